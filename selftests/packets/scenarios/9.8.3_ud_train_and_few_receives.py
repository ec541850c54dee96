# SPDX-License-Identifier: GPL-2.0
"""Of datagrams in one super-packet those arrive for which there is a receive. IBA 9.8.3."""
from scenario import LANDING, data


def run(t):
    t.connect(transport="UD", ip=6)
    for n in range(2):
        t.post_recv(200, LANDING + 200 * n)
    t.send_train([t.part("UD_SEND_ONLY", i, payload=data(64, i)) for i in range(5)])
    for n in range(2):
        t.expect_recv(byte_len=104)
        at = LANDING + 200 * n
        t.expect_memory(at, t.read_memory(at, 40) + data(64, n))
    t.expect_counters(drop_no_recv=3)
    t.expect_next(5)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: four SENDs in one super-packet take four receives."""
from scenario import LANDING, data


def run(t):
    t.connect(ip=6)
    posted = [t.post_recv(100, LANDING + 100 * i) for i in range(4)]
    t.send_train([t.part("SEND_ONLY", i, payload=data(8, i)) for i in range(4)])
    t.expect_ack(3, msn=4)
    for i, wr_id in enumerate(posted):
        t.expect_memory(LANDING + 100 * i, data(8, i))
        t.expect_recv(wr_id=wr_id, byte_len=8)

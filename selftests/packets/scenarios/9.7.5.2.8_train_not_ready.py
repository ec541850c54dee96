# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5.2.8: four SENDs in one super-packet, and one receive: RNR NAK for the second."""
from scenario import LANDING, data


def run(t):
    t.connect(ip=6)
    t.post_recv(100)
    t.send_train([t.part("SEND_ONLY", i, payload=data(8, i)) for i in range(4)])
    t.expect_rnr(1, msn=1)
    t.expect_memory(LANDING, data(8, 0))
    t.expect_recv(byte_len=8)
    t.expect_dropped("sequence", 2)

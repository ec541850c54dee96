# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: an RNR NAK acknowledges what came before its PSN."""
from scenario import LANDING, data


def run(t):
    t.connect()
    t.post_recv(100)
    t.send("SEND_ONLY", 0, payload=data(8), ackreq=0)
    t.send("SEND_ONLY", 1, payload=data(8, 2))
    t.expect_rnr(1, msn=1)
    t.expect_memory(LANDING, data(8))
    t.expect_recv(byte_len=8)

# SPDX-License-Identifier: GPL-2.0
"""IBA C9-105: a SEND with immediate data that comes again completes nothing twice."""
from scenario import LANDING, data


def run(t):
    t.connect()
    t.post_recv(100)
    t.post_recv(100, LANDING + 200)
    t.send("SEND_ONLY_IMM", 0, payload=data(8), imm=0x01020304)
    t.expect_ack(0, msn=1)
    t.expect_memory(LANDING, data(8))
    t.expect_recv(imm=0x01020304)
    t.send("SEND_ONLY_IMM", 0, payload=data(8), imm=0x01020304)
    t.expect_ack(0, msn=1)
    t.expect_counters(duplicate_request=1)

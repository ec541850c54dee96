# SPDX-License-Identifier: GPL-2.0
"""IBA A19: soro's FLUSH, and its answer."""

CASES = {
    "range": (0x7001, 5000, 1, 0),
    "region": (0, 0, 1, 1),
    "persistence of all that fits": (0x7001, 0xffffffff, 2, 0),
    "both types": (0x7001, 0, 3, 1),
}


def run(t, case):
    va, length, kind, level = case
    t.flushable()
    t.connect()
    wr = t.post_flush((va, 0x99), length, kind, level)
    t.expect_request("FLUSH", 0, feth=kind | level << 4, reth=(va, 0x99, length))
    t.respond(0, b"", msn=1)
    t.expect_sent(wr_id=wr, opcode="FLUSH")

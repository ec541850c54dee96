# SPDX-License-Identifier: GPL-2.0
"""IBA A19: soro's ATOMIC WRITE, and its answer."""
from scenario import data


def run(t):
    t.connect()
    wr = t.post_atomic_write(data(8), (0x7000, 0x99))
    t.expect_request("ATOMIC_WRITE", 0, payload=data(8), reth=(0x7000, 0x99, 8))
    t.respond(0, b"", msn=1)
    t.expect_sent(wr_id=wr, opcode="ATOMIC_WRITE")

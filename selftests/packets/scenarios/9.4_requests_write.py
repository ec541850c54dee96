# SPDX-License-Identifier: GPL-2.0
"""IBA 9.4: WRITEs: the RETH in FIRST and ONLY announces all of the message."""
from scenario import data

CASES = {str(length): length for length in (0, 5, 256, 600, 3000)}


def run(t, length):
    t.connect()
    wr = t.post("WRITE", data(length), remote=(0x123456789abcdef0, 0x11223344))
    n = t.expect_message("WRITE", 0, data(length), reth=(0x123456789abcdef0, 0x11223344, length))
    t.ack(n - 1, msn=1)
    t.expect_sent(wr_id=wr, opcode="WRITE")

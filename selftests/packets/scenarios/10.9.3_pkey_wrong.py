# SPDX-License-Identifier: GPL-2.0
"""IBA 9.6.1, 10.9.3: the partition key must match."""

CASES = {"0x0000": 0, "0x0001": 1, "0x8000": 0x8000, "0x8001": 0x8001, "0xfffe": 0xfffe,
         "0x7ffe": 0x7ffe}


def run(t, pkey):
    t.connect()
    t.send("WRITE_ONLY", 0, reth=(0, 0, 0), pkey=pkey)
    t.expect_dropped("pkey")
    t.expect_alive(0, msn=1)

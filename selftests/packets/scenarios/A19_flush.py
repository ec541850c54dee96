# SPDX-License-Identifier: GPL-2.0
"""IBA A19: FLUSH of a range, of no bytes, of a region: answered by READ data of no bytes."""
import qp
from scenario import BUFFER_BYTES, data

ACCESS = qp.ALL_ACCESS | qp.FLUSH_GLOBAL
RANGE, REGION = 0x01, 0x11

CASES = {
    "range": (RANGE, 64, 8),
    "one byte": (RANGE, BUFFER_BYTES - 1, 1),
    "all of it": (RANGE, 0, BUFFER_BYTES),
    "no bytes": (RANGE, BUFFER_BYTES, 0),
    "region": (REGION, 0, 0),
    "region, whatever the range says": (REGION, BUFFER_BYTES, 0xffffffff),
}


def run(t, case):
    feth, offset, length = case
    key = t.flushable()
    t.connect(access=ACCESS)
    t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(64, 8), ackreq=0)
    t.send("FLUSH", 1, feth=feth, reth=t.reth(offset, length, key=key))
    t.expect_read(1, b"", msn=2)
    t.expect_memory(64, data(8))
    t.expect_alive(2, msn=3)

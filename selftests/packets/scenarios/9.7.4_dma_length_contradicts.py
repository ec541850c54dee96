# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: the payload of a WRITE is not what its RETH announced: invalid request."""
from scenario import data

CASES = {
    "ONLY, one less": [("WRITE_ONLY", 8, 9)],
    "ONLY, one more": [("WRITE_ONLY", 8, 7)],
    "ONLY, nothing": [("WRITE_ONLY", 0, 8)],
    "ONLY, for nothing": [("WRITE_ONLY", 8, 0)],
    "FIRST, that is all": [("WRITE_FIRST", 256, 256)],
    "FIRST, of nothing": [("WRITE_FIRST", 256, 0)],
    "MIDDLE, that is all": [("WRITE_FIRST", 256, 512), ("WRITE_MIDDLE", 256, 0)],
    "MIDDLE, one more": [("WRITE_FIRST", 256, 511), ("WRITE_MIDDLE", 256, 0)],
    "LAST, one less": [("WRITE_FIRST", 256, 300), ("WRITE_LAST", 43, 0)],
    "LAST, one more": [("WRITE_FIRST", 256, 300), ("WRITE_LAST", 45, 0)],
    "LAST, too early": [("WRITE_FIRST", 256, 1000), ("WRITE_LAST", 256, 0)],
}


def run(t, packets):
    t.connect()
    for psn, (name, size, length) in enumerate(packets):
        fields = {} if psn else {"reth": t.reth(0, length)}
        last = psn == len(packets) - 1
        t.send(name, psn, payload=data(size, psn), ackreq=int(last), **fields)
        if not last:
            t.expect_memory(256 * psn, data(size, psn))
    t.expect_fatal("INVALID", len(packets) - 1, "QP_REQ_ERR", msn=0)

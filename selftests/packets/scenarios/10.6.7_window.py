# SPDX-License-Identifier: GPL-2.0
"""IBA 10.6.7: what a window permits to its peer, for each type, and what it does not."""
from scenario import data

WRITE, READ, ABOVE, BELOW, REGION = range(5)
CASES = {f"{name} type {kind}": (what, kind) for kind in (1, 2) for name, what in (
    ("write", WRITE), ("read", READ), ("above", ABOVE), ("below", BELOW), ("region's key", REGION))}


def run(t, case):
    what, kind = case
    t.connect()
    window = t.window(kind, 1000, 600)
    if what == WRITE:
        t.send_message("WRITE", 0, data(600), 1000, key=window.key)
        t.expect_ack(2, msn=1)
        t.expect_memory(1000, data(600))
        return
    if what == READ:
        t.send("READ_REQUEST", 0, reth=t.reth(1000, 600, key=window.key))
        t.expect_read(0, t.read_memory(1000, 600), msn=1)
        return
    offset, key = {ABOVE: (1593, window.key), BELOW: (999, window.key),
                   REGION: (1000, t.regions[-1].key)}[what]
    t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(offset, 8, key=key))
    t.expect_fatal("ACCESS", 0, "QP_ACCESS_ERR", msn=0)

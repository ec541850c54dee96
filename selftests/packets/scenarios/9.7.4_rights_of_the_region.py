# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: the region does not grant remote WRITE, or remote READ."""
from scenario import data

CASES = {
    "WRITE to a local region": ("WRITE", lambda t: t.lab.local.key),
    "WRITE to a readable region": ("WRITE", lambda t: t.lab.readable.key),
    "READ of a local region": ("READ", lambda t: t.lab.local.key),
    "READ of a writable region": ("READ", lambda t: t.lab.writable.key),
}


def run(t, case):
    kind, key = case
    t.connect()
    if kind == "WRITE":
        t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8, key=key(t)))
    else:
        t.send("READ_REQUEST", 0, reth=t.reth(0, 8, key=key(t)))
    t.expect_fatal("ACCESS", 0, "QP_ACCESS_ERR")

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: an atomic inside a WRITE is out of sequence."""
from scenario import data

CASES = {name: name for name in ("CMP_SWP", "FETCH_ADD", "ATOMIC_WRITE")}


def run(t, name):
    t.connect()
    t.send("WRITE_FIRST", 0, payload=data(256), reth=t.reth(0, 600))
    t.expect_memory(0, data(256))
    fields = {"atomic": (t.address(1024), t.key, 1, 0)}
    if name == "ATOMIC_WRITE":
        fields = {"payload": data(8), "reth": t.reth(1024, 8)}
    t.send(name, 1, **fields)
    t.expect_fatal("INVALID", 1, "QP_REQ_ERR", msn=0)

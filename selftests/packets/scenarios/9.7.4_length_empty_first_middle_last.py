# SPDX-License-Identifier: GPL-2.0
"""IBA 9.4, 9.7.4: only an ONLY may be empty."""
from scenario import data

CASES = {"FIRST": "FIRST", "MIDDLE": "MIDDLE", "LAST": "LAST"}


def run(t, position):
    t.connect()
    reth = {"reth": t.reth(0, 512)}
    if position != "FIRST":
        t.send("WRITE_FIRST", 0, payload=data(256), ackreq=1, **reth)
        t.expect_ack(0)
        t.expect_memory(0, data(256))
        reth = {}
    psn = 0 if position == "FIRST" else 1
    t.send(f"WRITE_{position}", psn, **reth)
    t.expect_fatal("INVALID", psn, "QP_REQ_ERR", msn=0)

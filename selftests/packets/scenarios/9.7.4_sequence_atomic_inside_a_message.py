# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: an atomic inside a WRITE is out of sequence."""
from scenario import data

CASES = {"CMP_SWP": "CMP_SWP", "FETCH_ADD": "FETCH_ADD"}


def run(t, name):
    t.connect()
    t.send("WRITE_FIRST", 0, payload=data(256), reth=t.reth(0, 600))
    t.expect_memory(0, data(256))
    t.send(name, 1, atomic=(t.address(1024), t.key, 1, 0))
    t.expect_fatal("INVALID", 1, "QP_REQ_ERR", msn=0)

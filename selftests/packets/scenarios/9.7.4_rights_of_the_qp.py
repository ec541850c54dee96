# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: the QP does not permit WRITE, or READ, or any READ at a time: invalid request."""
import qp
from scenario import data

CASES = {
    "WRITE": ("WRITE", {"access": qp.ALL_ACCESS & ~qp.REMOTE_WRITE}),
    "READ": ("READ", {"access": qp.ALL_ACCESS & ~qp.REMOTE_READ}),
    "READ, none at a time": ("READ", {"dest_rd_atomic": 0}),
}


def run(t, case):
    kind, options = case
    t.connect(**options)
    if kind == "WRITE":
        t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8))
    else:
        t.send("READ_REQUEST", 0, reth=t.reth(0, 8))
    t.expect_fatal("INVALID", 0, "QP_REQ_ERR")

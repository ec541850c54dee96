# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: what the QP does not permit, it does not permit for zero bytes either."""
import qp

CASES = {"WRITE": ("WRITE_ONLY", qp.REMOTE_WRITE), "READ": ("READ_REQUEST", qp.REMOTE_READ)}


def run(t, case):
    name, right = case
    t.connect(access=qp.ALL_ACCESS & ~right)
    t.send(name, 0, reth=(0, 0, 0))
    t.expect_fatal("INVALID", 0, "QP_REQ_ERR")

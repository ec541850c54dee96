# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: the QP does not permit atomics, or none at a time: invalid request."""
import qp

CASES = {
    "not permitted": {"access": qp.ALL_ACCESS & ~qp.REMOTE_ATOMIC},
    "none at a time": {"dest_rd_atomic": 0},
}


def run(t, options):
    t.connect(**options)
    t.send("FETCH_ADD", 0, atomic=(t.address(64), t.key, 1, 0))
    t.expect_fatal("INVALID", 0, "QP_REQ_ERR", msn=0)

# SPDX-License-Identifier: GPL-2.0
"""IBA A19: a FLUSH that nothing was granted for, as on kernels without a right for it."""


def run(t):
    t.connect()
    t.send("FLUSH", 0, feth=1, reth=t.reth(0, 8))
    t.expect_fatal("INVALID", 0, "QP_REQ_ERR", msn=0)

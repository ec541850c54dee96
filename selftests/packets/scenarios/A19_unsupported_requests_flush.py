# SPDX-License-Identifier: GPL-2.0
"""IBA A19: a program's FLUSH where the kernel has no right for it."""
import qp
from scenario import Skip


def run(t):
    try:
        t.register(0, 4096, qp.FLUSH_GLOBAL)
    except OSError:
        t.connect()
        wr = t.post_flush((0x7000, 0x99), 8)
        t.expect_sent("LOC_QP_OP_ERR", wr_id=wr)
        t.expect_state("ERR")
        return
    raise Skip("the kernel has rights for FLUSH")

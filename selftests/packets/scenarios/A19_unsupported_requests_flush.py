# SPDX-License-Identifier: GPL-2.0
"""IBA A19: a kernel without rights for FLUSH: none for a region, a QP or a request."""
import qp
from scenario import HAS_FLUSH, Skip


def run(t):
    if HAS_FLUSH:
        raise Skip("the kernel has rights for FLUSH")
    for right in (qp.FLUSH_GLOBAL, qp.FLUSH_PERSISTENT):
        t.expect_error(lambda: t.register(0, 4096, right))
        t.connect(state="RESET", access=qp.ALL_ACCESS | right)
        t.expect_error(lambda: t.modify("INIT"))
        t.destroy_qp()
    t.connect()
    wr = t.post_flush((0x7000, 0x99), 8)
    t.expect_sent("LOC_QP_OP_ERR", wr_id=wr)
    t.expect_state("ERR")

# SPDX-License-Identifier: GPL-2.0
"""IBA A19, 10.6.7: a window cannot grant FLUSH if its region does not."""
import qp


def run(t):
    t.flushable()
    t.connect(access=qp.ALL_ACCESS | qp.FLUSH_GLOBAL)
    region = t.register(0, 4096, qp.LOCAL_WRITE | qp.MW_BIND)
    window = t.lab.device.window(2)
    t.windows.append(window)
    t.qp.bind(7, window, region, 0, 4096, qp.FLUSH_GLOBAL)
    t.expect_sent("MW_BIND_ERR", wr_id=7)
    t.expect_state("ERR")

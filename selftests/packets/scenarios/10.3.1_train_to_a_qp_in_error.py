# SPDX-License-Identifier: GPL-2.0
"""IBA 10.3.1: a super-packet for a QP in ERR."""


def run(t):
    t.connect(ip=6)
    t.modify("ERR")
    t.send_train([t.part("WRITE_ONLY", psn) for psn in range(3)])
    t.expect_dropped("qp_state", 3)

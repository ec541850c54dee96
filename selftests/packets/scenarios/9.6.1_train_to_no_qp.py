# SPDX-License-Identifier: GPL-2.0
"""IBA 9.6.1: a super-packet for a QP that does not exist: each of its packets is counted."""


def run(t):
    t.connect(ip=6)
    t.send_train([t.part("WRITE_ONLY", psn, qpn=t.qpn ^ 0x800000) for psn in range(3)])
    t.expect_dropped("no_qp", 3)
    t.expect_alive(0, msn=1)

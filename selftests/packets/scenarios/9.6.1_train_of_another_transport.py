# SPDX-License-Identifier: GPL-2.0
"""IBA 9.6.1: a super-packet of UC packets for an RC QP."""


def run(t):
    t.connect(ip=6)
    t.send_train([t.part(0x24, psn, payload=bytes(8)) for psn in range(3)])
    t.expect_dropped("qp_type", 3)
    t.expect_alive(0, msn=1)

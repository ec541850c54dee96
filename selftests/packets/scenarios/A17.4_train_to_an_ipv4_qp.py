# SPDX-License-Identifier: GPL-2.0
"""IBA A17.4: a super-packet over IPv6 for a QP whose peer has an IPv4 address."""


def run(t):
    t.connect(ip=4)
    t.ip = 6
    parts = [t.part("WRITE_ONLY", psn) for psn in range(3)]
    t.ip = 4
    t.send_train(parts)
    t.expect_dropped("address", 3)
    t.expect_alive(0, msn=1)

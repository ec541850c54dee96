# SPDX-License-Identifier: GPL-2.0
"""IBA 9.6.1: a super-packet of segments shorter than any packet."""


def run(t):
    t.connect(ip=6)
    t.send_train([bytes(8)] * 10)
    t.expect_dropped("short")
    t.expect_alive(0, msn=1)

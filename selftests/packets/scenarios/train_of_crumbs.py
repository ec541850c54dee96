# SPDX-License-Identifier: GPL-2.0
"""A super-packet of segments shorter than any packet. IBA 9.6.1."""


def run(t):
    t.connect(ip=6)
    t.send_train([bytes(8)] * 10)
    t.expect_dropped("short")
    t.expect_alive(0, msn=1)

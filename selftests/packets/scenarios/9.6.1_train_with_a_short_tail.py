# SPDX-License-Identifier: GPL-2.0
"""IBA 9.6.1: a super-packet whose last segment is shorter than any packet: dropped as a whole."""


def run(t):
    t.connect(ip=6)
    parts = [t.part("WRITE_ONLY", psn) for psn in range(2)]
    t.send_train(parts + [parts[0][:12]])
    t.expect_dropped("short")
    t.expect_alive(0, msn=1)

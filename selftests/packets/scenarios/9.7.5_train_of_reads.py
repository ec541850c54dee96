# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: three READs in one super-packet, answered in order."""


def run(t):
    t.connect(ip=6)
    t.send_train([t.part("READ_REQUEST", 2 * i, reth=t.reth(1000 * i, 300)) for i in range(3)])
    for i in range(3):
        t.expect_read(2 * i, t.read_memory(1000 * i, 300))

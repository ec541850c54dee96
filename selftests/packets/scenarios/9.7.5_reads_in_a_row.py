# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: as many READs as were agreed, back to back."""


def run(t):
    t.connect(dest_rd_atomic=4)
    for i in range(4):
        t.send("READ_REQUEST", 3 * i, reth=t.reth(1024 * i, 600))
    for i in range(4):
        t.expect_read(3 * i, t.read_memory(1024 * i, 600))
    t.expect_alive(12, msn=5)

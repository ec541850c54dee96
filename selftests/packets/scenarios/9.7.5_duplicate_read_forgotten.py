# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: the responder keeps as many READs as were agreed; an older one is not answered."""


def run(t):
    t.connect(dest_rd_atomic=2)
    for psn in range(3):
        t.send("READ_REQUEST", psn, reth=t.reth(8 * psn, 8))
        t.expect_read(psn, t.read_memory(8 * psn, 8), msn=psn + 1)
    t.send("READ_REQUEST", 0, reth=t.reth(0, 8))
    t.expect_dropped("duplicate_bad")
    t.send("READ_REQUEST", 1, reth=t.reth(8, 8))
    t.expect_read(1, t.read_memory(8, 8), msn=3)
    t.expect_counters(duplicate_request=2)
    t.expect_alive(3, msn=4)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: a READ of nothing comes again."""


def run(t):
    t.connect()
    for _ in range(2):
        t.send("READ_REQUEST", 0, reth=(1, 2, 0))
        t.expect_read(0, b"", msn=1)
    t.expect_counters(duplicate_request=1)

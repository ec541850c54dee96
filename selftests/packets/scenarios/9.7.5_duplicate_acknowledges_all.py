# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: the ACK of an old duplicate has the PSN and MSN of now."""


def run(t):
    t.connect()
    for psn in range(5):
        t.send("WRITE_ONLY", psn, reth=(0, 0, 0))
        t.expect_ack(psn, msn=psn + 1)
    t.send("WRITE_ONLY", 1, reth=(0, 0, 0))
    t.expect_ack(4, msn=5)
    t.expect_counters(duplicate_request=1)

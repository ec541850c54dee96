# SPDX-License-Identifier: GPL-2.0
"""
IBA 9.7.1: half of the PSN space is ahead of the expected PSN, half behind. What
lies ahead is a gap, what lies behind a duplicate.
"""
from scenario import data

HALF = 1 << 23
CASES = {
    "1 ahead": (1, "NAK"),
    "2^23 - 1 ahead": (HALF - 1, "NAK"),
    "1 behind": (-1, "ACK"),
    "2^23 - 1 behind": (1 - HALF, "ACK"),
}


def run(t, case):
    psn, answer = case
    t.connect()
    t.send("WRITE_ONLY", psn, payload=data(8), reth=t.reth(0, 8))
    if answer == "NAK":
        t.expect_nak("SEQUENCE", 0, msn=0)
    else:
        t.expect_ack(-1, msn=0)
        t.expect_counters(duplicate_request=1)
    t.expect_alive(0, msn=1)

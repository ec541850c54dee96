# SPDX-License-Identifier: GPL-2.0
"""
IBA 9.7.1: half of the PSN space is ahead of the expected PSN, half behind, with 2^23. What
lies ahead is a gap, what lies behind a duplicate. What lies far ahead is not kept.
"""
from scenario import data

HALF = 1 << 23
CASES = {
    "4096 ahead": (4096, "held_trains"),
    "4097 ahead": (4097, "drop_sequence"),
    "2^23 - 1 ahead": (HALF - 1, "drop_sequence"),
    "2^23 away": (HALF, "duplicate_request"),
    "1 behind": (-1, "duplicate_request"),
    "2^23 - 1 behind": (1 - HALF, "duplicate_request"),
}


def run(t, case):
    psn, counter = case
    t.connect()
    t.send("WRITE_ONLY", psn, payload=data(8), reth=t.reth(0, 8))
    if counter != "duplicate_request":
        t.expect_nak("SEQUENCE", 0, msn=0)
    else:
        t.expect_ack(-1, msn=0)
    t.expect_counters(**{counter: 1})
    if counter == "held_trains":
        t.send("WRITE_ONLY", 0, reth=(0, 0, 0))
        t.expect_ack(0, msn=1)
    else:
        t.expect_alive(0, msn=1)

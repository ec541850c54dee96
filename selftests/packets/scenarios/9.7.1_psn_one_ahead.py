# SPDX-License-Identifier: GPL-2.0
"""
IBA 9.7.1, 9.7.5: a request one ahead of the expected PSN is a gap: NAK, nothing
executed. soro keeps it for the time when the gap is filled.
"""
from scenario import data


def run(t):
    t.connect()
    t.post_recv()
    t.send("SEND_ONLY", 1, payload=data(50))
    t.expect_nak("SEQUENCE", 0, msn=0)
    t.expect_no_completion()
    t.expect_counters(held_trains=1)

# SPDX-License-Identifier: GPL-2.0
"""
IBA 9.7.5.2.4: a train fails twice, its packets arrive one by one: the path is one that damages
trains, and for a while soro sends packets alone.
"""
from scenario import data


def sent_trains(t):
    return t.lab.counters.read()["sent_trains"]


def run(t):
    content = data(1000)
    t.connect(ip=6, timeout=22)
    wr = t.post("WRITE", content, remote=(0, 1))
    t.expect_message("WRITE", 0, content, reth=(0, 1, 1000))
    t.nak("SEQUENCE", 0)
    t.expect_message("WRITE", 0, content, reth=(0, 1, 1000))
    t.nak("SEQUENCE", 0)
    for i, (position, part) in enumerate(t.segments(content)):
        t.expect_request(f"WRITE_{position}", i, payload=part)
    t.ack(3, msn=1)
    t.expect_sent(wr_id=wr)
    t.expect_counters(nak_sequence_rcvd=2, resent_pkts=8, path_marked_singles=1)
    before = sent_trains(t)
    wr = t.post("WRITE", content, remote=(0, 1))
    t.expect_message("WRITE", 4, content, reth=(0, 1, 1000))
    if sent_trains(t) - before != 4:
        t.fail(f"{sent_trains(t) - before} trains, not 4 packets alone")
    t.ack(7, msn=2)
    t.expect_sent(wr_id=wr)

# SPDX-License-Identifier: GPL-2.0
"""
IBA 9.7.5: what is kept beyond a gap is bounded: at some point packets are dropped, and
when the gap is filled, what was kept is executed and a NAK asks for the rest.
"""

PACKETS = 160


def run(t):
    t.connect(pmtu=4096)
    content = t.read_memory(0, 4096)
    for psn in range(1, PACKETS):
        t.send("WRITE_ONLY", psn, payload=content, reth=t.reth(0, 4096), ackreq=0)
    t.expect_nak("SEQUENCE", 0, msn=0)

    def count(name):
        return t.lab.counters.read()[name] - t.before[name]

    t.until(lambda: count("held_trains") + count("drop_sequence") == PACKETS - 1,
            lambda: f"{count('held_trains')} kept, {count('drop_sequence')} dropped")
    kept = count("held_trains")
    if not 32 <= kept < PACKETS - 1:
        t.fail(f"{kept} packets kept")
    t.expect_counters(held_trains=kept, drop_sequence=PACKETS - 1 - kept)
    t.send("WRITE_ONLY", 0, payload=content, reth=t.reth(0, 4096))
    t.expect_ack(kept, msn=kept + 1)

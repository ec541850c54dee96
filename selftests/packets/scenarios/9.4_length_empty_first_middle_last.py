# SPDX-License-Identifier: GPL-2.0
"""
IBA 9.4: only an ONLY may be empty. soro takes an empty FIRST, MIDDLE or LAST for
malformed and drops it: the peer has to say it again, and right.
"""
from scenario import data

CASES = {"FIRST": "FIRST", "MIDDLE": "MIDDLE", "LAST": "LAST"}


def run(t, position):
    t.connect()
    if position != "FIRST":
        t.send("WRITE_FIRST", 0, payload=data(256), reth=t.reth(0, 512), ackreq=1)
        t.expect_ack(0)
        t.expect_memory(0, data(256))
    psn = 0 if position == "FIRST" else 1
    t.send(f"WRITE_{position}", psn)
    t.expect_dropped("length")

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: what claims to be a READ that was executed, and is not that one, is dropped."""

CASES = {
    "other key": lambda t: t.reth(0, 600, key=t.lab.small.key),
    "other address": lambda t: t.reth(4, 600),
    "longer": lambda t: t.reth(0, 601),
    "nothing": lambda t: t.reth(0, 0),
}


def run(t, case):
    t.connect()
    t.send("READ_REQUEST", 0, reth=t.reth(0, 600))
    t.expect_read(0, t.read_memory(0, 600), msn=1)
    t.send("READ_REQUEST", 0, reth=case(t))
    t.expect_dropped("duplicate_bad")
    t.expect_counters(duplicate_request=1)
    t.expect_alive(3)

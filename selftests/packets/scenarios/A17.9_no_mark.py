# SPDX-License-Identifier: GPL-2.0
"""IBA A17.9: what could be marked and is not, is not answered by a CNP."""
from scenario import data

CASES = {"not capable": 0, "capable, 1": 1, "capable, 0": 2}


def run(t, ecn):
    t.knob("cnp", 1)
    t.connect()
    t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8), ip={"tos": ecn})
    t.expect_ack(0, msn=1)
    t.expect_memory(0, data(8))

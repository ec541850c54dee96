# SPDX-License-Identifier: GPL-2.0
"""IBA A17.9: FECN and BECN in a request change nothing of what it asks for."""
from scenario import data

CASES = {"FECN": 0x80, "BECN": 0x40, "both": 0xc0}


def run(t, bits):
    t.connect()
    t.send("WRITE_ONLY", 0, payload=data(4), reth=t.reth(0, 4), resv8a=bits)
    t.expect_ack(0, msn=1)
    t.expect_memory(0, data(4))

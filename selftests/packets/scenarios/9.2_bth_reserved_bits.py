# SPDX-License-Identifier: GPL-2.0
"""IBA 9.2: reserved bits of the BTH are ignored when received."""
from scenario import data


def run(t):
    t.connect()
    t.send("WRITE_ONLY", 0, payload=data(4), reth=t.reth(0, 4), resv8a=0x3f, resv7=0x7f)
    t.expect_ack(0, msn=1)
    t.expect_memory(0, data(4))

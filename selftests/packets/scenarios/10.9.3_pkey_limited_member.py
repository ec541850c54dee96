# SPDX-License-Identifier: GPL-2.0
"""IBA 10.9.3: the membership bit takes no part: a full member hears a limited one."""
from scenario import data


def run(t):
    t.connect()
    t.send("WRITE_ONLY", 0, payload=data(4), reth=t.reth(0, 4), pkey=0x7fff)
    t.expect_ack(0, msn=1)
    t.expect_memory(0, data(4))

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5.2.8: without a receive it waits, and nothing is invalidated."""
from scenario import data


def run(t):
    t.connect()
    window = t.window()
    t.send("SEND_ONLY_INV", 0, payload=data(8), ieth=window.key)
    t.expect_rnr(0, msn=0)
    t.send("WRITE_ONLY", 0, payload=data(64), reth=t.reth(100, 64, key=window.key))
    t.expect_ack(0, msn=1)
    t.expect_memory(100, data(64))

# SPDX-License-Identifier: GPL-2.0
"""IBA C9-105: a duplicate is acknowledged; a window that was bound again meanwhile stays valid."""
from scenario import LANDING, data


def run(t):
    t.connect()
    window = t.window()
    t.post_recv()
    t.post_recv(1024, LANDING + 1024)
    t.send("SEND_ONLY_INV", 0, payload=data(8), ieth=window.key)
    t.expect_ack(0, msn=1)
    t.expect_recv(byte_len=8, inv=window.key)
    t.expect_memory(LANDING, data(8))
    again = t.rebind(window)
    t.send("SEND_ONLY_INV", 0, payload=data(8), ieth=again)
    t.expect_ack(0, msn=1)
    t.expect_counters(duplicate_request=1)
    t.send("WRITE_ONLY", 1, payload=data(64), reth=t.reth(100, 64, key=again))
    t.expect_ack(1, msn=2)
    t.expect_memory(100, data(64))

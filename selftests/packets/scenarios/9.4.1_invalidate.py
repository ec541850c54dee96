# SPDX-License-Identifier: GPL-2.0
"""IBA 9.4.1, 10.6.5: SEND with invalidate ends a window of type 2B: completion, flag, key."""
from scenario import LANDING, data

CASES = {"nothing": 0, "one packet": 200, "full packet": 256, "three packets": 600}


def run(t, length):
    t.connect()
    window = t.window()
    t.send("WRITE_ONLY", 0, payload=data(64), reth=t.reth(100, 64, key=window.key))
    t.expect_ack(0, msn=1)
    t.expect_memory(100, data(64))
    t.post_recv()
    parts = t.segments(data(length, 3))
    for i, (position, part) in enumerate(parts):
        if position in ("LAST", "ONLY"):
            t.send(f"SEND_{position}_INV", 1 + i, payload=part, ieth=window.key)
        else:
            t.send(f"SEND_{position}", 1 + i, payload=part, ackreq=0)
    psn = 1 + len(parts)
    t.expect_ack(psn - 1, msn=2)
    t.expect_recv(byte_len=length, inv=window.key)
    t.expect_memory(LANDING, data(length, 3))
    t.send("WRITE_ONLY", psn, payload=data(8), reth=t.reth(0, 8, key=window.key))
    t.expect_fatal("ACCESS", psn, "QP_ACCESS_ERR", msn=2)

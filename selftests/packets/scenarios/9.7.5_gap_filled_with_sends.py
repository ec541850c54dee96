# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: SENDs that came out of order take receives in the order of their PSNs."""
from scenario import LANDING, data


def run(t):
    t.connect()
    posted = [t.post_recv(100, LANDING + 100 * i) for i in range(4)]
    t.send("SEND_ONLY", 3, payload=data(8, 3))
    t.expect_nak("SEQUENCE", 0, msn=0)
    t.send("SEND_ONLY", 1, payload=data(8, 1))
    t.send("SEND_ONLY", 2, payload=data(8, 2))
    t.expect_silence()
    t.send("SEND_ONLY", 0, payload=data(8, 0))
    t.expect_ack(3, msn=4)
    for i, wr_id in enumerate(posted):
        t.expect_memory(LANDING + 100 * i, data(8, i))
        t.expect_recv(wr_id=wr_id, byte_len=8)
    t.expect_counters(held_trains=3)

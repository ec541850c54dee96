# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: the response of an atomic that was never sent is dropped."""
import craft
from scenario import data


def run(t):
    t.connect()
    t.send("ATOMIC_ACK", 0, aeth=(craft.ack_syndrome(), 1), atomic_ack=5)
    t.expect_dropped("stale")
    wr = t.post("SEND", data(8))
    t.expect_request("SEND_ONLY", 0)
    t.send("ATOMIC_ACK", 1, aeth=(craft.ack_syndrome(), 1), atomic_ack=5)
    t.expect_dropped("stale")
    t.ack(0, msn=1)
    t.expect_sent(wr_id=wr)

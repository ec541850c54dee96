# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: the ACK comes after the packet went again, and then the ACK of that: one is stale."""
from scenario import TIMEOUT, data


def run(t):
    t.connect(timeout=TIMEOUT)
    wr = t.post("SEND", data(8))
    t.expect_request("SEND_ONLY", 0)
    t.expect_request("SEND_ONLY", 0)
    t.ack(0, msn=1)
    t.ack(0, msn=1)
    t.expect_sent(wr_id=wr)
    t.expect_dropped("stale")
    t.expect_counters(local_ack_timeout_err=1, resent_pkts=1)

# SPDX-License-Identifier: GPL-2.0
"""
IBA 9.7.6: once soro knows the round trip time, it asks again long before the timeout,
with AckReq, and spends no retry on it.
"""
from scenario import data


def run(t):
    t.connect(timeout=22, retry_cnt=0)
    wr = t.post("SEND", data(8))
    t.expect_request("SEND_ONLY", 0)
    t.ack(0, msn=1)
    t.expect_sent(wr_id=wr)
    wr = t.post("SEND", data(8, 2))
    t.expect_request("SEND_ONLY", 1)
    t.expect_probes("SEND_ONLY", 1, lambda: t.ack(1, msn=2), payload=data(8, 2), ackreq=1)
    t.expect_sent(wr_id=wr)

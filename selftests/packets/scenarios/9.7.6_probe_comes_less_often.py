# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: probes come at growing distances, and end with the retries of the timeout."""
from scenario import data


def run(t):
    t.connect(timeout=16, retry_cnt=0)
    wr = t.post("SEND", data(8))
    t.expect_request("SEND_ONLY", 0)
    t.ack(0, msn=1)
    t.expect_sent(wr_id=wr)
    wr = t.post("SEND", data(8))
    t.expect_request("SEND_ONLY", 1)
    t.expect_sent("RETRY_EXC_ERR", wr_id=wr)
    t.expect_state("ERR")
    probes = 0
    while t.next_packet(0.01):
        probes += 1
    if probes > 6:
        t.fail(f"{probes} probes in 268 ms")
    t.expect_counters(local_ack_timeout_err=1, retry_exceeded_err=1, sent_probes=probes,
                      resent_pkts=probes)

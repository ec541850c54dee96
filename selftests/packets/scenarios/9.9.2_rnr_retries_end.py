# SPDX-License-Identifier: GPL-2.0
"""IBA 9.9.2: rnr_retry RNR NAKs without progress, and one more: RNR_RETRY_EXC_ERR."""
from scenario import data

CASES = {"0": 0, "2": 2, "6": 6}


def run(t, retries):
    t.connect(rnr_retry=retries)
    first, second = t.post("SEND", data(8)), t.post("SEND", data(8, 2))
    for _ in range(retries + 1):
        t.expect_request("SEND_ONLY", 0)
        t.expect_request("SEND_ONLY", 1)
        t.rnr(0, 1)
    t.expect_sent("RNR_RETRY_EXC_ERR", wr_id=first)
    t.expect_sent("WR_FLUSH_ERR", wr_id=second)
    t.expect_state("ERR")
    t.expect_counters(rnr_nak_rcvd=retries + 1, retry_rnr_exceeded_err=1,
                      resent_pkts=2 * retries)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5.2.8: the ACK timeout does not run during the wait: no retry is spent."""
from scenario import TIMEOUT, data


def run(t):
    t.connect(timeout=TIMEOUT, retry_cnt=0)
    t.post("SEND", data(8), flags=0)
    t.expect_request("SEND_ONLY", 0)
    t.rnr(0, 0)        # 655 ms
    t.expect_request("SEND_ONLY", 0)
    t.ack(0, msn=1)
    t.expect_counters(rnr_nak_rcvd=1, resent_pkts=1)

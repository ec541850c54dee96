# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6.1.3: nothing of a long message is acknowledged: after the timeout all of it again,
the oldest packet alone, then twice as many with each answer."""
from scenario import TIMEOUT, data


def run(t):
    def expect_again(psn, name):
        t.expect_request(name, psn, payload=data(1000)[256 * psn:256 * psn + 256], ackreq=1)

    t.connect(timeout=TIMEOUT)
    wr = t.post("SEND", data(1000))
    t.expect_message("SEND", 0, data(1000))
    expect_again(0, "SEND_FIRST")
    t.ack(0)
    expect_again(1, "SEND_MIDDLE")
    expect_again(2, "SEND_MIDDLE")
    t.ack(2)
    expect_again(3, "SEND_LAST")
    t.ack(3, msn=1)
    t.expect_sent(wr_id=wr)
    t.expect_counters(local_ack_timeout_err=1, resent_pkts=4)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6.1.3: nothing of a long message is acknowledged: after the timeout all of it again."""
from scenario import TIMEOUT, data


def run(t):
    t.connect(timeout=TIMEOUT)
    wr = t.post("SEND", data(1000))
    t.expect_message("SEND", 0, data(1000))
    for psn, name in enumerate(("SEND_FIRST", "SEND_MIDDLE", "SEND_MIDDLE", "SEND_LAST")):
        t.expect_request(name, psn, payload=data(1000)[256 * psn:256 * psn + 256], ackreq=1)
    t.ack(3, msn=1)
    t.expect_sent(wr_id=wr)
    t.expect_counters(local_ack_timeout_err=1, resent_pkts=4)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6.1.3: after a timeout everything goes again from the oldest that is not acknowledged."""
from scenario import TIMEOUT, data


def run(t):
    t.connect(timeout=TIMEOUT)
    wr = t.post("SEND", data(1000))
    t.expect_message("SEND", 0, data(1000))
    t.ack(1)
    for psn, name in ((2, "SEND_MIDDLE"), (3, "SEND_LAST")):
        t.expect_request(name, psn, payload=data(1000)[256 * psn:256 * psn + 256])
    t.ack(3, msn=1)
    t.expect_sent(wr_id=wr)
    t.expect_counters(local_ack_timeout_err=1, resent_pkts=2)

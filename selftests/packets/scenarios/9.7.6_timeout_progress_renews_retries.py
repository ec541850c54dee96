# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: what is acknowledged gives all retries back: one retry is enough for three losses."""
from scenario import TIMEOUT, data


def run(t):
    t.connect(timeout=TIMEOUT, retry_cnt=1)
    wr = t.post("SEND", data(700))
    t.expect_message("SEND", 0, data(700))
    names = ("SEND_FIRST", "SEND_MIDDLE", "SEND_LAST")
    for psn in range(3):
        # The oldest comes again and is acknowledged, then the rest, which is lost once more.
        t.expect_request(names[psn], psn)
        t.ack(psn)
        for again in range(psn + 1, 3):
            t.expect_request(names[again], again)
    t.expect_sent(wr_id=wr)
    t.expect_counters(local_ack_timeout_err=3, resent_pkts=3 + 2 + 1)

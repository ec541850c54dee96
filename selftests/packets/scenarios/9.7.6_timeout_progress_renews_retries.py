# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: what is acknowledged gives all retries back: one retry is enough for three losses."""
from scenario import TIMEOUT, data


def run(t):
    t.connect(timeout=TIMEOUT, retry_cnt=1)
    wr = t.post("SEND", data(700))
    t.expect_message("SEND", 0, data(700))
    names = ("SEND_FIRST", "SEND_MIDDLE", "SEND_LAST")
    for psn in range(3):
        # All that is outstanding comes again, and only the first of it is acknowledged.
        for again in range(psn, 3):
            t.expect_request(names[again], again)
        t.ack(psn)
    t.expect_sent(wr_id=wr)
    t.expect_counters(local_ack_timeout_err=3, resent_pkts=3 + 2 + 1)

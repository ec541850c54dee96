# SPDX-License-Identifier: GPL-2.0
"""IBA 10.8: receives complete in the order in which they were posted."""
from scenario import LANDING, data


def run(t):
    t.connect()
    posted = [t.post_recv(100, LANDING + 100 * i) for i in range(8)]
    for psn in range(8):
        t.send("SEND_ONLY", psn, payload=data(10 + psn, psn))
        t.expect_ack(psn, msn=psn + 1)
        t.expect_memory(LANDING + 100 * psn, data(10 + psn, psn))
    for psn, wr_id in enumerate(posted):
        t.expect_recv(wr_id=wr_id, byte_len=10 + psn)

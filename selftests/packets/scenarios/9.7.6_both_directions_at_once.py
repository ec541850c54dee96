# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7: both halves of a QP have PSNs of their own and do not disturb each other."""
from scenario import LANDING, data


def run(t):
    t.connect(rq_psn=5, sq_psn=5)
    t.post_recv(100)
    wr = t.post("SEND", data(8))
    t.expect_request("SEND_ONLY", 0)
    t.send("SEND_ONLY", 0, payload=data(8, 2))
    t.expect_ack(0, msn=1)
    t.expect_memory(LANDING, data(8, 2))
    t.expect_recv(byte_len=8)
    t.expect_no_completion()
    t.ack(0, msn=1)
    t.expect_sent(wr_id=wr)

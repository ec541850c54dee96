# SPDX-License-Identifier: GPL-2.0
"""IBA 9.9.2: sequence NAKs without progress cost retries, and end the QP when none is left."""
from scenario import data


def run(t):
    t.connect(retry_cnt=0)
    wr = t.post("SEND", data(8))
    t.expect_request("SEND_ONLY", 0)
    t.nak("SEQUENCE", 0)
    t.expect_sent("RETRY_EXC_ERR", wr_id=wr)
    t.expect_state("ERR")
    t.expect_counters(nak_sequence_rcvd=1, retry_exceeded_err=1)

# SPDX-License-Identifier: GPL-2.0
"""IBA 10.3.1: in ERR no response is taken: what was flushed stays flushed."""
from scenario import data


def run(t):
    t.connect()
    wr = t.post("SEND", data(8))
    t.expect_request("SEND_ONLY", 0)
    t.modify("ERR")
    t.expect_sent("WR_FLUSH_ERR", wr_id=wr)
    t.ack(0, msn=1)
    t.expect_dropped("qp_state")

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: a NAK of any kind for what is not outstanding is dropped, and ends no QP."""
from scenario import data

CASES = {code: code for code in ("SEQUENCE", "INVALID", "ACCESS", "OPERATION")}


def run(t, code):
    t.connect()
    wr = t.post("SEND", data(8))
    t.expect_request("SEND_ONLY", 0)
    t.nak(code, 1)
    t.nak(code, -1)
    t.expect_dropped("stale", 2)
    t.ack(0, msn=1)
    t.expect_sent(wr_id=wr)
    t.nak(code, 0)
    t.expect_dropped("stale")

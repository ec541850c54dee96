# SPDX-License-Identifier: GPL-2.0
"""IBA 11.6.2, 10.3.1: a send longer than the path MTU: length error, SQE, RTS again; no packet."""
import qp
from scenario import data

CASES = {"4097": 4097, "10000": 10000}


def run(t, length):
    t.connect(transport="UD")
    wr = t.post("SEND", data(length), flags=0)
    t.expect_sent("LOC_LEN_ERR", wr_id=wr)
    t.expect_state("SQE")
    t.expect_silence()
    wr = t.post("SEND", data(8), flags=qp.SIGNALED)
    t.expect_sent("WR_FLUSH_ERR", wr_id=wr)
    t.resume()
    wr = t.post("SEND", data(8))
    t.expect_request("UD_SEND_ONLY", 0, payload=data(8))
    t.expect_sent(wr_id=wr)

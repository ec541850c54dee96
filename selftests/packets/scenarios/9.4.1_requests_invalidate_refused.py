# SPDX-License-Identifier: GPL-2.0
"""IBA 9.9.2: the peer refuses to invalidate: remote access error."""
from scenario import data


def run(t):
    t.connect()
    wr = t.post("SEND_INV", data(8), imm=0x1234)
    t.expect_request("SEND_ONLY_INV", 0, payload=data(8), ieth=0x1234, ackreq=1)
    t.nak("ACCESS", 0)
    t.expect_sent("REM_ACCESS_ERR", wr_id=wr)
    t.expect_counters(nak_access_rcvd=1)
    t.expect_state("ERR")

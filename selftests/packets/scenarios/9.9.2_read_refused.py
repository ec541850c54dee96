# SPDX-License-Identifier: GPL-2.0
"""IBA 9.9.2: the READ is refused: at its first PSN, or in the middle of its response."""
from scenario import SOURCE, data

CASES = {"first": 0, "middle": 1}


def run(t, psn):
    t.connect()
    wr = t.post("READ", length=600, remote=(0x1000, 0x55))
    t.expect_request("READ_REQUEST", 0)
    if psn:
        t.send("READ_RESPONSE_FIRST", 0, payload=data(256))
        t.expect_memory(SOURCE, data(256))
    t.nak("ACCESS", psn)
    t.expect_sent("REM_ACCESS_ERR", wr_id=wr)
    t.expect_state("ERR")
    t.expect_counters(nak_access_rcvd=1)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.9.2: a fatal NAK for a packet in the middle ends its message."""
from scenario import data

CASES = {"INVALID": "REM_INV_REQ_ERR", "ACCESS": "REM_ACCESS_ERR", "OPERATION": "REM_OP_ERR"}
CASES = {code: (code, status) for code, status in CASES.items()}


def run(t, case):
    code, status = case
    t.connect()
    wr = t.post("WRITE", data(1000), remote=(0, 1))
    t.expect_message("WRITE", 0, data(1000), reth=(0, 1, 1000))
    t.nak(code, 2)
    t.expect_sent(status, wr_id=wr)
    t.expect_state("ERR")
    t.expect_counters(**{f"nak_{code.lower()}_rcvd": 1})

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.9.2: the READ is refused: at its first PSN, or in the middle of its response."""
from scenario import SOURCE, data

STATUSES = {"INVALID": "REM_INV_REQ_ERR", "ACCESS": "REM_ACCESS_ERR", "OPERATION": "REM_OP_ERR"}
CASES = {f"{code}, {where}": (code, status, psn) for code, status in STATUSES.items()
         for where, psn in (("first", 0), ("middle", 1))}


def run(t, case):
    code, status, psn = case
    t.connect()
    wr = t.post("READ", length=600, remote=(0x1000, 0x55))
    t.expect_request("READ_REQUEST", 0)
    if psn:
        t.send("READ_RESPONSE_FIRST", 0, payload=data(256))
        t.expect_memory(SOURCE, data(256))
    t.nak(code, psn)
    t.expect_sent(status, wr_id=wr)
    t.expect_state("ERR")
    t.expect_counters(**{f"nak_{code.lower()}_rcvd": 1})

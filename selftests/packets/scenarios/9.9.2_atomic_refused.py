# SPDX-License-Identifier: GPL-2.0
"""IBA 9.9.2: the NAKs that end an atomic."""

CASES = {"INVALID": "REM_INV_REQ_ERR", "ACCESS": "REM_ACCESS_ERR", "OPERATION": "REM_OP_ERR"}
CASES = {code: (code, status) for code, status in CASES.items()}


def run(t, case):
    code, status = case
    t.connect()
    wr = t.post("FETCH_ADD", length=8, remote=(0x7000, 0x99), compare_add=5)
    t.expect_request("FETCH_ADD", 0)
    t.nak(code, 0)
    t.expect_sent(status, wr_id=wr)
    t.expect_state("ERR")
    t.expect_counters(**{f"nak_{code.lower()}_rcvd": 1})

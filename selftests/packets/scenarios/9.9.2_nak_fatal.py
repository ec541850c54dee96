# SPDX-License-Identifier: GPL-2.0
"""IBA 9.9.2: the NAKs that end it: status of the WQE, what is behind it is flushed, QP in error."""
from scenario import data

CASES = {
    "INVALID": ("INVALID", "REM_INV_REQ_ERR"),
    "ACCESS": ("ACCESS", "REM_ACCESS_ERR"),
    "OPERATION": ("OPERATION", "REM_OP_ERR"),
}


def run(t, case):
    code, status = case
    t.connect()
    recv = t.post_recv()
    posted = [t.post("WRITE", data(8, psn), remote=(0, 1)) for psn in range(3)]
    for psn in range(3):
        t.expect_request("WRITE_ONLY", psn)
    t.nak(code, 1, msn=1)
    t.expect_sent(wr_id=posted[0])
    t.expect_sent(status, wr_id=posted[1])
    t.expect_sent("WR_FLUSH_ERR", wr_id=posted[2])
    t.expect_state("ERR")
    t.expect_recv("WR_FLUSH_ERR", wr_id=recv)
    t.expect_counters(**{f"nak_{code.lower()}_rcvd": 1})

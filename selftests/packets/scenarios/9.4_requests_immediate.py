# SPDX-License-Identifier: GPL-2.0
"""IBA 9.4: immediate data goes in the LAST or ONLY, solicited as the application says."""
import qp
from scenario import data

CASES = {
    "SEND": ("SEND", 8, 0), "SEND solicited": ("SEND", 600, 1),
    "WRITE": ("WRITE", 8, 0), "WRITE solicited": ("WRITE", 600, 1), "WRITE of nothing":
    ("WRITE", 0, 0),
}


def run(t, case):
    kind, length, se = case
    t.connect()
    wr = t.post(f"{kind}_IMM", data(length), remote=(0x4000, 0x77), imm=0xcafef00d,
                flags=qp.SIGNALED | se * qp.SOLICITED)
    n = t.expect_message(kind, 0, data(length), reth=(0x4000, 0x77, length), imm=0xcafef00d,
                         se=se)
    t.ack(n - 1, msn=1)
    t.expect_sent(wr_id=wr)

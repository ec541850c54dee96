# SPDX-License-Identifier: GPL-2.0
"""IBA 9.4.1: soro sends the key in the LAST or ONLY, solicited as the application says."""
import qp
from scenario import data

CASES = {"nothing": (0, 0), "short": (8, 0), "solicited": (8, 1), "long": (600, 1),
         "whole packets": (512, 0)}


def run(t, case):
    length, se = case
    t.connect()
    wr = t.post("SEND_INV", data(length), imm=0xcafef00d, flags=qp.SIGNALED | se * qp.SOLICITED)
    parts = t.segments(data(length))
    for i, (position, part) in enumerate(parts):
        if position in ("LAST", "ONLY"):
            t.expect_request(f"SEND_{position}_INV", i, payload=part, ieth=0xcafef00d, se=se,
                             ackreq=1)
        else:
            t.expect_request(f"SEND_{position}", i, payload=part, se=0, ackreq=0)
    t.ack(len(parts) - 1, msn=1)
    t.expect_sent(wr_id=wr, opcode="SEND")

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.4, 9.7.4: FIRST and MIDDLE of less than the path MTU: invalid request."""
from scenario import LANDING, data

CASES = {"FIRST": ("FIRST", 0, None), "MIDDLE": ("MIDDLE", 1, "REM_INV_REQ_ERR")}


def run(t, case):
    position, psn, recv = case
    t.connect()
    t.post_recv()
    if psn:
        t.send("SEND_FIRST", 0, payload=data(256), ackreq=1)
        t.expect_ack(0)
        t.expect_memory(LANDING, data(256))
    t.send(f"SEND_{position}", psn, payload=data(252))
    t.expect_fatal("INVALID", psn, "QP_REQ_ERR", msn=0, recv=recv)
    if not psn:
        t.expect_recv("WR_FLUSH_ERR")

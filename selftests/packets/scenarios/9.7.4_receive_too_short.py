# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4, 11.6.2: one byte more than the receive has: invalid request, LOC_LEN_ERR here."""
from scenario import LANDING, data

CASES = {"ONLY": (100, 101, 0), "LAST": (300, 301, 1), "MIDDLE": (300, 700, 1)}


def run(t, case):
    room, length, psn = case
    t.connect()
    t.post_recv(room)
    later = t.post_recv(1000)
    t.send_message("SEND", 0, data(length))
    t.expect_fatal("INVALID", psn, None, msn=0, recv="LOC_LEN_ERR")
    t.expect_recv("WR_FLUSH_ERR", wr_id=later)
    if psn:
        t.expect_memory(LANDING, data(length)[:256])
    if case[1] > 512:
        t.expect_counters(drop_qp_state=1)

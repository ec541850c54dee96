# SPDX-License-Identifier: GPL-2.0
"""IBA 9.9.3, 11.6.2: a receive that is too short completes with a length error, QP in error."""
from scenario import LANDING, data

CASES = {"ONLY": (100, 101), "LAST": (300, 301), "of nothing": (0, 1)}


def run(t, case):
    room, length = case
    t.connect(transport="UC")
    recv = t.post_recv(room)
    later = t.post_recv(1000)
    t.send_message("SEND", 0, data(length))
    t.expect_recv_fault("LOC_LEN_ERR", recv)
    t.expect_recv("WR_FLUSH_ERR", wr_id=later)
    if length > 256:
        t.expect_memory(LANDING, data(length)[:256])

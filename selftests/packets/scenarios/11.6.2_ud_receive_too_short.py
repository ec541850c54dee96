# SPDX-License-Identifier: GPL-2.0
"""IBA 11.6.2: a receive without room for header and datagram: length error, QP in error."""
from scenario import data

CASES = {"1 too short": 139, "room for the header": 40, "not even that": 39, "of nothing": 0}


def run(t, room):
    t.connect(transport="UD")
    recv = t.post_recv(room)
    later = t.post_recv(1000)
    t.send("UD_SEND_ONLY", 0, payload=data(100))
    t.expect_recv_fault("LOC_LEN_ERR", recv)
    t.expect_recv("WR_FLUSH_ERR", wr_id=later)
    t.send("UD_SEND_ONLY", 1, payload=data(100))
    t.expect_dropped("qp_state")

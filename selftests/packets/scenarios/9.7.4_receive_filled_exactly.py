# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: a message as long as the receive, over several packets."""
from scenario import LANDING, data


def run(t):
    t.connect()
    recv = t.post_recv(515)
    t.send_message("SEND", 0, data(515))
    t.expect_ack(2, msn=1)
    t.expect_memory(LANDING, data(515))
    t.expect_recv(wr_id=recv, byte_len=515)

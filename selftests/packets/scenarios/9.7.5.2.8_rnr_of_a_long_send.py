# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5.2.8: the FIRST of a SEND finds no receive; later packets are dropped."""
from scenario import LANDING, data


def run(t):
    t.connect()
    t.send_message("SEND", 0, data(700))
    t.expect_rnr(0, msn=0)
    t.expect_dropped("sequence", 2)
    recv = t.post_recv(1000)
    t.send_message("SEND", 0, data(700))
    t.expect_ack(2, msn=1)
    t.expect_memory(LANDING, data(700))
    t.expect_recv(wr_id=recv, byte_len=700)

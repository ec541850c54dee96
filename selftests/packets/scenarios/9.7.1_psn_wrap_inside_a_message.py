# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.1: a message goes on over the wrap of PSNs; one ACK for all of it."""
from scenario import LANDING, data


def run(t):
    t.connect(rq_psn=0xfffffe)
    recv = t.post_recv(2000)
    t.send_message("SEND", 0, data(1111))
    t.expect_ack(4, msn=1)
    t.expect_memory(LANDING, data(1111))
    t.expect_recv(wr_id=recv, byte_len=1111)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: an ACK behind a SEND in one super-packet: it reaches nobody."""
from scenario import data


def run(t):
    t.connect(ip=6)
    wr = t.post("SEND", data(8))
    t.expect_request("SEND_ONLY", 0)
    t.post_recv(100)
    t.send_train([t.part("SEND_ONLY", 0, payload=bytes(4)), t.part("ACK", 0)])
    t.expect_ack(0, msn=1)
    t.shadow[32768:32772] = bytes(4)
    t.expect_recv(byte_len=4)
    t.expect_dropped("mixed_train")
    t.ack(0, msn=1)
    t.expect_sent(wr_id=wr)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.6.1, 10.9.3: an ACK with a wrong partition key acknowledges nothing."""


def run(t):
    t.connect()
    wr = t.post("SEND", b"hello")
    t.expect_request("SEND_ONLY", 0, payload=b"hello")
    t.ack(0, pkey=0x8001)
    t.expect_dropped("pkey")
    t.ack(0)
    t.expect_sent(wr_id=wr)

# SPDX-License-Identifier: GPL-2.0
"""IBA A17.3.3: an ACK and READ data with a wrong ICRC are not there."""
from scenario import SOURCE, data


def spoil(datagram):
    datagram[-1] ^= 0x10


def run(t):
    t.connect()
    wr = t.post("SEND", b"hello")
    t.expect_request("SEND_ONLY", 0)
    t.ack(0, alter=spoil)
    t.expect_dropped("icrc")
    t.expect_no_completion()
    t.ack(0)
    t.expect_sent(wr_id=wr)
    wr = t.post("READ", length=8, remote=(0x1000, 0x55))
    t.expect_request("READ_REQUEST", 1)
    t.send("READ_RESPONSE_ONLY", 1, payload=data(8, 2), alter=spoil)
    t.expect_dropped("icrc")
    t.expect_no_completion()
    t.respond(1, data(8))
    t.expect_sent(wr_id=wr)
    t.expect_memory(SOURCE, data(8))

# SPDX-License-Identifier: GPL-2.0
"""IBA A17.4: an ACK, a NAK or READ data from a stranger does nothing to the requester."""
from scenario import SOURCE, STRANGER_IP, data


def run(t):
    t.connect(ip=4)
    wr = t.post("READ", length=8, remote=(0x1000, 0x55))
    t.expect_request("READ_REQUEST", 0)
    t.send("READ_RESPONSE_ONLY", 0, payload=data(8, 2), ip={"src": STRANGER_IP[4]})
    t.nak("ACCESS", 0, ip={"src": STRANGER_IP[4]})
    t.expect_dropped("address", 2)
    t.expect_no_completion()
    t.respond(0, data(8))
    t.expect_sent(wr_id=wr)
    t.expect_memory(SOURCE, data(8))

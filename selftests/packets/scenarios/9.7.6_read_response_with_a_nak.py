# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: the AETH of READ data cannot say no: dropped; the real answer is awaited."""
import craft
from scenario import SOURCE, data

CASES = {
    "NAK sequence": craft.nak_syndrome("SEQUENCE"), "NAK access": craft.nak_syndrome("ACCESS"),
    "RNR": craft.rnr_syndrome(1), "reserved": 0x80,
}


def run(t, syndrome):
    t.connect()
    wr = t.post("READ", length=8, remote=(0x1000, 0x55))
    t.expect_request("READ_REQUEST", 0)
    t.send("READ_RESPONSE_ONLY", 0, payload=data(8, 2), aeth=(syndrome, 0))
    t.expect_dropped("syndrome")
    t.respond(0, data(8))
    t.expect_sent(wr_id=wr)
    t.expect_memory(SOURCE, data(8))

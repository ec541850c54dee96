# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: AETH syndromes that are reserved, or NAK codes that RC has not: dropped."""
from scenario import data

CASES = {
    "type 2": range(0x40, 0x60), "NAK 4 to 31": range(0x64, 0x80), "bit 7": range(0x80, 0x100),
}


def run(t, syndromes):
    t.connect()
    wr = t.post("SEND", data(8))
    t.expect_request("SEND_ONLY", 0)
    for syndrome in syndromes:
        t.send("ACK", 0, aeth=(syndrome, 0))
    t.expect_dropped("syndrome", len(syndromes))
    t.expect_no_completion()
    t.ack(0, msn=1)
    t.expect_sent(wr_id=wr)

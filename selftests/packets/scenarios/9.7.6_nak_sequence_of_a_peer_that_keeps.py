# SPDX-License-Identifier: GPL-2.0
"""
IBA 9.7.5.2: a peer that acknowledged more than was sent again after its NAK keeps what comes
out of order. At its next NAK soro sends the first 16 KiB of what is missing, then waits.
"""
from scenario import data

PACKETS, HOLE = 100, 16384 // 256


def run(t):
    content = data(256 * PACKETS)
    t.knob("train_max", 1)
    t.connect(ip=6, timeout=22)
    wr = t.post("WRITE", content, remote=(0, 1))
    t.expect_message("WRITE", 0, content, reth=(0, 1, len(content)))
    t.send_train([t.part("ACK", 1, aeth=(0x60, 0)), t.part("ACK", 5, aeth=(0x1f, 0))])
    t.expect_silence()
    t.nak("SEQUENCE", 10)
    for psn in range(10, 10 + HOLE):
        packet = t.expect_request("WRITE_MIDDLE", psn, payload=content[256 * psn:256 * (psn + 1)])
    if not packet.ackreq:
        t.fail("the last one asks for no ACK")
    t.expect_silence()
    t.ack(PACKETS - 1, msn=1)
    t.expect_sent(wr_id=wr)
    t.expect_counters(nak_sequence_rcvd=2, resent_pkts=HOLE)

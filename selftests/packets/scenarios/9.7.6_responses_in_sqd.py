# SPDX-License-Identifier: GPL-2.0
"""IBA 10.3.1: in SQD what is outstanding is still acknowledged; what is posted then waits."""
from scenario import data


def run(t):
    t.connect()
    wr = t.post("SEND", data(8))
    t.expect_request("SEND_ONLY", 0)
    t.modify("SQD")
    later = t.post("SEND", data(8, 2))
    packet = t.next_packet(0.02)
    if packet and packet.psn != t.sq_psn:
        t.fail("a request was sent in SQD")
    t.ack(0, msn=1)
    t.expect_sent(wr_id=wr)
    t.expect_silence()
    t.resume()
    t.expect_request("SEND_ONLY", 1)
    t.ack(1, msn=2)
    t.expect_sent(wr_id=later)

# SPDX-License-Identifier: GPL-2.0
"""IBA A17.9: a marked ACK is taken, and answered by a CNP."""
from scenario import data


def run(t):
    t.knob("cnp", 1)
    t.connect()
    wr = t.post("SEND", data(8))
    t.expect_request("SEND_ONLY", 0)
    t.ack(0, msn=1, ip={"tos": 3})
    packet = t.next_packet()
    if packet is None or packet.name != "CNP":
        t.fail("no CNP")
    t.expect_sent(wr_id=wr)
    t.expect_counters(np_ecn_marked_roce_packets=1, np_cnp_sent=1)

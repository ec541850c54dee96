# SPDX-License-Identifier: GPL-2.0
"""IBA A17.9: a marked packet is counted; without the knob nobody is notified."""


def run(t):
    def mark(datagram):
        datagram[1] |= 3

    t.connect(ip=4)
    t.send("WRITE_ONLY", 0, reth=(0, 0, 0), alter=mark)
    t.expect_ack(0, msn=1)
    t.expect_counters(np_ecn_marked_roce_packets=1, np_cnp_sent=0)

# SPDX-License-Identifier: GPL-2.0
"""IBA A17.3.3: IPv6: traffic class, flow label and hop limit are not under the ICRC."""
from scenario import data

CASES = {
    "traffic class": [(0, 0x0f), (1, 0xf0)],
    "flow label": [(1, 0x0f), (2, 0xff), (3, 0xff)],
    "hop limit": [(7, 0x3f), (7, 0x80)],
}


def run(t, places):
    t.connect(ip=6)
    for psn, (at, mask) in enumerate(places):
        def change(datagram, at=at, mask=mask):
            datagram[at] ^= mask

        t.send("WRITE_ONLY", psn, payload=data(8, psn), reth=t.reth(0, 8), alter=change)
        t.expect_ack(psn, msn=psn + 1)
        t.expect_memory(0, data(8, psn))
        if (at, mask) == (1, 0xf0):
            t.expect_counters(np_ecn_marked_roce_packets=1)

# SPDX-License-Identifier: GPL-2.0
"""IBA A17.3.3: what routers change is not under the ICRC: ToS and TTL, and the checksum."""
from scenario import data

CASES = {
    "ToS": [(1, value) for value in (0x01, 0x03, 0x28, 0xfc)],
    "TTL": [(8, value) for value in (1, 63, 255)],
}


def run(t, places):
    t.connect(ip=4)
    for psn, (at, value) in enumerate(places):
        def change(datagram, at=at, value=value):
            datagram[at] = value

        t.send("WRITE_ONLY", psn, payload=data(8, psn), reth=t.reth(0, 8), alter=change)
        t.expect_ack(psn, msn=psn + 1)
        t.expect_memory(0, data(8, psn))
        if at == 1 and value & 3 == 3:
            t.expect_counters(np_ecn_marked_roce_packets=1)

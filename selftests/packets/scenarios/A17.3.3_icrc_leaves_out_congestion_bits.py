# SPDX-License-Identifier: GPL-2.0
"""IBA A17.3.3, 7.8.1: FECN, BECN and the reserved bits beside them are not under the ICRC."""
from scenario import data


def run(t):
    t.connect(ip=4)
    for bit in range(8):
        def flip(datagram, mask=1 << bit):
            datagram[28 + 4] ^= mask

        t.send("WRITE_ONLY", bit, payload=data(8, bit), reth=t.reth(0, 8), alter=flip)
        t.expect_ack(bit, msn=bit + 1)
        t.expect_memory(0, data(8, bit))

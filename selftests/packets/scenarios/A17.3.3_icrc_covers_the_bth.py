# SPDX-License-Identifier: GPL-2.0
"""
IBA A17.3.3: each bit of the BTH flipped behind the ICRC's back: whatever the
packet then seems to be, nothing comes of it. Bits whose change is found earlier
(opcode, version, pad, QP) are counted there.
"""
from scenario import data

BTH = 28
CASES = {
    "SE and MigReq": [(1, 0x80), (1, 0x40)],
    "partition key": [(byte, 1 << bit) for byte in (2, 3) for bit in range(8)],
    "AckReq and reserved": [(8, 1 << bit) for bit in range(8)],
    "PSN": [(byte, 1 << bit) for byte in (9, 10, 11) for bit in range(8)],
}


def run(t, bits):
    t.connect(ip=4)
    for byte, mask in bits:
        def flip(datagram, at=BTH + byte, mask=mask):
            datagram[at] ^= mask

        t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8), alter=flip)
    t.expect_dropped("icrc", len(bits))
    t.expect_alive(0, msn=1)

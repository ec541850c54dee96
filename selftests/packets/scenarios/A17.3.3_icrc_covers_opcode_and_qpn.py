# SPDX-License-Identifier: GPL-2.0
"""IBA A17.3.3: each bit of opcode, pad, version and QP number flipped: dropped, for some reason."""
from scenario import data

BTH = 28
BITS = [(0, bit) for bit in range(8)] + [(1, bit) for bit in range(6)] + \
    [(byte, bit) for byte in (5, 6, 7) for bit in range(8)]
REASONS = ("icrc", "opcode", "tver", "pad", "length", "qp_type", "no_qp", "short", "stale",
           "syndrome")


def run(t):
    t.connect(ip=4)
    for byte, bit in BITS:
        def flip(datagram, at=BTH + byte, mask=1 << bit):
            datagram[at] ^= mask

        t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8), alter=flip)

    def dropped():
        now = t.lab.counters.read()
        return {f"drop_{reason}": now[f"drop_{reason}"] - t.before[f"drop_{reason}"]
                for reason in REASONS if now[f"drop_{reason}"] != t.before[f"drop_{reason}"]}

    t.until(lambda: sum(dropped().values()) == len(BITS), lambda: f"dropped: {dropped()}")
    t.expect_counters(**dropped())
    t.expect_silence()
    t.expect_alive(0, msn=1)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: two super-packets beyond a gap, one of them with a spoilt packet."""
from scenario import data


def run(t):
    t.connect(ip=6)
    parts = [t.part("WRITE_ONLY", psn, payload=data(8, psn), reth=t.reth(8 * psn, 8))
             for psn in range(1, 7)]
    parts[4] = parts[4][:-1] + bytes([parts[4][-1] ^ 1])
    t.send_train(parts[:3])
    t.expect_nak("SEQUENCE", 0, msn=0)
    t.send_train(parts[3:])
    t.expect_counters(held_trains=2, drop_icrc=1, drop_sequence=1)
    t.send("WRITE_ONLY", 0, payload=data(8, 0), reth=t.reth(0, 8))
    t.expect_ack(4, msn=5)
    t.expect_memory(0, b"".join(data(8, psn) for psn in range(5)))

# SPDX-License-Identifier: GPL-2.0
"""IBA A17.3.3: the third of four packets is spoilt: two are executed, the last is beyond a gap."""
from scenario import data


def run(t):
    t.connect(ip=6)
    parts = [t.part("WRITE_ONLY", psn, payload=data(8, psn), reth=t.reth(8 * psn, 8))
             for psn in range(4)]
    parts[2] = parts[2][:-1] + bytes([parts[2][-1] ^ 1])
    t.send_train(parts)
    t.expect_ack(1, msn=2)
    t.expect_memory(0, data(8, 0) + data(8, 1))
    t.expect_dropped("icrc")
    t.expect_counters(drop_sequence=1)
    t.expect_alive(2, msn=3)

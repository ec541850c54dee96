# SPDX-License-Identifier: GPL-2.0
"""IBA 9.6.1: the third of four packets is for another QP: nobody gets it."""
from scenario import data


def run(t):
    t.connect(ip=6)
    parts = [t.part("WRITE_ONLY", psn, payload=data(8, psn), reth=t.reth(8 * psn, 8),
                    qpn=t.qpn + (psn == 2)) for psn in range(4)]
    t.send_train(parts)
    t.expect_ack(1, msn=2)
    t.expect_memory(0, data(8, 0) + data(8, 1))
    t.expect_dropped("mixed_train")
    t.expect_counters(drop_sequence=1)
    t.expect_alive(2, msn=3)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: PSNs 0, 2, 3 in one super-packet: the first is executed, the rest kept: NAK."""
from scenario import data


def run(t):
    t.connect(ip=6)
    t.send_train([t.part("WRITE_ONLY", psn, payload=data(8, psn), reth=t.reth(8 * psn, 8))
                  for psn in (0, 2, 3)])
    t.expect_nak("SEQUENCE", 1, msn=1)
    t.expect_memory(0, data(8, 0))
    t.expect_counters(held_trains=1)
    t.send("WRITE_ONLY", 1, payload=data(8, 1), reth=t.reth(8, 8))
    t.expect_ack(3, msn=4)
    t.expect_memory(8, data(8, 1) + data(8, 2) + data(8, 3))

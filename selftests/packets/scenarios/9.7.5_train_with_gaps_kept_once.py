# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: PSNs 1 and 3 in one super-packet: kept until 0 comes, but not once more for 2."""
from scenario import data


def run(t):
    t.connect(ip=6)
    t.send_train([t.part("WRITE_ONLY", psn, payload=data(8, psn), reth=t.reth(8 * psn, 8))
                  for psn in (1, 3)])
    t.expect_nak("SEQUENCE", 0, msn=0)
    t.expect_counters(held_trains=1)
    t.send("WRITE_ONLY", 0, payload=data(8, 0), reth=t.reth(0, 8))
    t.expect_nak("SEQUENCE", 2, msn=2)
    t.expect_counters(drop_sequence=1)
    for psn in (2, 3):
        t.send("WRITE_ONLY", psn, payload=data(8, psn), reth=t.reth(8 * psn, 8))
        t.expect_ack(psn, msn=psn + 1)
    t.expect_memory(0, b"".join(data(8, psn) for psn in range(4)))

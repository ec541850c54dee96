# SPDX-License-Identifier: GPL-2.0
"""PSNs 0, 2, 3 in one super-packet: the first is executed, NAK for the gap. IBA 9.7.5."""
from scenario import data


def run(t):
    t.connect(ip=6)
    t.send_train([t.part("WRITE_ONLY", psn, payload=data(8, psn), reth=t.reth(8 * psn, 8))
                  for psn in (0, 2, 3)])
    t.expect_nak("SEQUENCE", 1, msn=1)
    t.expect_memory(0, data(8, 0))

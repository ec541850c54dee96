# SPDX-License-Identifier: GPL-2.0
"""IBA C9-105: two duplicates and two new requests in one super-packet."""
from scenario import data


def run(t):
    t.connect(ip=6)
    for psn in (0, 1):
        t.expect_alive(psn)
    t.send_train([t.part("WRITE_ONLY", psn, payload=data(8, psn), reth=t.reth(8 * psn, 8))
                  for psn in range(4)])
    t.expect_ack(3, msn=4)
    t.expect_memory(16, data(8, 2) + data(8, 3))
    t.expect_counters(duplicate_request=2)

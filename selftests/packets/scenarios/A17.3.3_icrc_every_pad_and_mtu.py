# SPDX-License-Identifier: GPL-2.0
"""IBA A17.3.3: soro's own ICRC over READ responses of each pad count and path MTU."""

CASES = {str(pmtu): pmtu for pmtu in (256, 512, 1024, 2048, 4096)}


def run(t, pmtu):
    t.connect(pmtu=pmtu)
    psn = 0
    for extra in range(4):
        t.send("READ_REQUEST", psn, reth=t.reth(0, 2 * pmtu + extra))
        t.expect_read(psn, t.read_memory(0, 2 * pmtu + extra))
        psn += 3 if extra else 2

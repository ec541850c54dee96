# SPDX-License-Identifier: GPL-2.0
"""IBA A17.3.2: the UDP source port is entropy for routers: it may be any, and change."""


def run(t):
    t.connect()
    for psn, port in enumerate((0xc000, 0xffff, 1, 4791)):
        t.send("WRITE_ONLY", psn, reth=(0, 0, 0), ip={"sport": port})
        t.expect_ack(psn, msn=psn + 1)

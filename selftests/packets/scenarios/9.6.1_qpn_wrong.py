# SPDX-License-Identifier: GPL-2.0
"""IBA 9.6.1: no QP of that number: dropped, without an answer."""

CASES = {
    "next": lambda t: t.qpn + 1,
    "high bit": lambda t: t.qpn ^ 0x800000,
    "QP0": lambda t: 0,
    "the peer's own": lambda t: 0xabc,
}


def run(t, number):
    t.connect()
    t.send("WRITE_ONLY", 0, reth=(0, 0, 0), qpn=number(t))
    t.expect_dropped("no_qp")
    t.expect_alive(0, msn=1)

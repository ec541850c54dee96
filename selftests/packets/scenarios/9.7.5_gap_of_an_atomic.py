# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: an atomic beyond a gap is not executed; NAK."""


def run(t):
    t.connect()
    t.send("FETCH_ADD", 1, atomic=(t.address(64), t.key, 1, 0))
    t.expect_nak("SEQUENCE", 0, msn=0)
    t.expect_alive(0, msn=1)

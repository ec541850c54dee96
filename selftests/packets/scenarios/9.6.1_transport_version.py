# SPDX-License-Identifier: GPL-2.0
"""IBA 9.6.1: the transport header version is 0; anything else is dropped."""


def run(t):
    t.connect()
    for tver in range(1, 16):
        t.send("WRITE_ONLY", 0, reth=(0, 0, 0), tver=tver)
    t.expect_dropped("tver", 15)
    t.expect_alive(0, msn=1)

# SPDX-License-Identifier: GPL-2.0
"""IBA A17.9: a marked packet that is dropped is no reason for a CNP."""


def run(t):
    t.knob("cnp", 1)
    t.connect()
    t.send("WRITE_ONLY", 0, reth=(0, 0, 0), pkey=1, ip={"tos": 3})
    t.expect_dropped("pkey")

    def spoil(datagram):
        datagram[-1] ^= 1

    t.send("WRITE_ONLY", 0, reth=(0, 0, 0), alter=spoil, ip={"tos": 3})
    t.expect_dropped("icrc")

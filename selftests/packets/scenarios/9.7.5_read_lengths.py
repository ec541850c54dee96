# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: READ responses of each form: ONLY, FIRST and LAST, with MIDDLEs."""

CASES = {str(length): (length, 4)
         for length in (0, 1, 255, 256, 257, 511, 512, 513, 768, 2500, 16384)}
CASES["2500 over IPv6"] = (2500, 6)


def run(t, case):
    length, version = case
    t.connect(ip=version)
    t.send("READ_REQUEST", 0, reth=t.reth(1, length))
    t.expect_read(0, t.read_memory(1, length), msn=1)
    t.expect_alive(max(1, -(-length // 256)), msn=2)

# SPDX-License-Identifier: GPL-2.0
"""
IBA 9.2.1, 9.6.1: reserved opcodes of RC. soro drops them before it looks for a QP;
the request that is expected comes next.
"""

CASES = {f"0x{opcode:02x}": opcode for opcode in (0x15, 0x18, 0x19, 0x1a, 0x1b, 0x1e, 0x1f)}


def run(t, opcode):
    t.connect()
    t.send(opcode, 0, payload=bytes(16), ackreq=1)
    t.expect_dropped("opcode")
    t.expect_alive(0, msn=1)

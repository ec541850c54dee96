# SPDX-License-Identifier: GPL-2.0
"""IBA 9.2.1: UC has no READs, atomics and invalidation: such opcodes are reserved."""
def run(t):
    t.connect(transport="UC")
    for opcode in range(0x2c, 0x40):
        t.send(opcode, 0, payload=bytes(32))
    t.expect_dropped("opcode", 0x40 - 0x2c)
    t.expect_next(0)

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.2.1: of UD's opcodes only 0x64 and 0x65 are defined."""
def run(t):
    t.connect(transport="UD")
    opcodes = [*range(0x60, 0x64), *range(0x66, 0x80)]
    for opcode in opcodes:
        t.send(opcode, 0, payload=bytes(40))
    t.expect_dropped("opcode", len(opcodes))
    t.expect_next(1)

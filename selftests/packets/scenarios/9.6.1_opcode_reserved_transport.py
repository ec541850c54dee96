# SPDX-License-Identifier: GPL-2.0
"""
IBA 9.2.1, 9.6.1: opcodes of transports that soro does not speak (RD, XRC), that are
reserved or vendor specific: every one of the range, one after the other.
"""

CASES = {
    "UC 0x2c-0x3f": range(0x2c, 0x40),
    "RD 0x40-0x5f": range(0x40, 0x60),
    "UD 0x60-0x63": range(0x60, 0x64),
    "UD 0x66-0x7f": range(0x66, 0x80),
    "CNP 0x80": range(0x80, 0x81),
    "CNP 0x82-0x9f": range(0x82, 0xa0),
    "XRC 0xa0-0xbf": range(0xa0, 0xc0),
    "vendor 0xc0-0xff": range(0xc0, 0x100),
}


def run(t, opcodes):
    t.connect()
    for opcode in opcodes:
        t.send(opcode, 0, payload=bytes(32), ackreq=1)
    t.expect_dropped("opcode", len(opcodes))
    t.expect_alive(0, msn=1)

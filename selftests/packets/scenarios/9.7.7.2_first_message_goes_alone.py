# SPDX-License-Identifier: GPL-2.0
"""
IBA 9.7.7.2: a requester begins without credits: one message goes, asks for an ACK, and the
others wait for what that says.
"""
from scenario import data

CASES = {"SEND": ("SEND", "SEND_ONLY", {}),
         "WRITE with immediate": ("WRITE_IMM", "WRITE_ONLY_IMM", {"imm": 7})}


def run(t, case):
    opcode, name, fields = case
    t.connect(credits=None)
    for _ in range(3):
        t.post(opcode, data(8), flags=0, **fields)
    t.expect_request(name, 0, ackreq=1)
    t.expect_silence()
    t.ack(0, msn=1, credits=2)
    t.expect_request(name, 1)
    t.expect_request(name, 2, ackreq=1)
    t.ack(2, msn=3)

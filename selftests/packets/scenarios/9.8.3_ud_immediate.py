# SPDX-License-Identifier: GPL-2.0
"""IBA 9.4, 9.8.3: immediate data of a datagram."""
from scenario import data

CASES = {"0": 0, "8": 8, "1001": 1001}


def run(t, length):
    t.connect(transport="UD")
    t.post_recv(2000)
    header = t.send("UD_SEND_ONLY_IMM", 0, payload=data(length), imm=0x8000cafe)
    t.expect_datagram(data(length), header, imm=0x8000cafe)

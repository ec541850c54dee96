# SPDX-License-Identifier: GPL-2.0
"""IBA A17.3.3: a bit is flipped anywhere in a datagram: dropped."""
from scenario import data

CASES = {"ICRC": -1, "payload": -8, "DETH": 20 + 8 + 12 + 2, "BTH": 20 + 8 + 9,
         "source address": 15, "source port": 21}


def flip(datagram, at):
    datagram[at] ^= 0x02


def run(t, at):
    t.connect(ip=4, transport="UD")
    t.post_recv()
    t.send("UD_SEND_ONLY", 0, payload=data(16), alter=lambda datagram: flip(datagram, at))
    t.expect_dropped("icrc")
    t.expect_next(1, receive=False)

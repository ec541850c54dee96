# SPDX-License-Identifier: GPL-2.0
"""IBA 9.6.1, A17.3.3: wrong P_Key, wrong source, flipped bit: dropped, and the message with it."""
from scenario import STRANGER_IP, data

CASES = {
    "P_Key": ("pkey", {"pkey": 0x8001}, None),
    "source": ("address", {"ip": {"src": STRANGER_IP[4]}}, None),
    "ICRC": ("icrc", {}, -1),
    "payload": ("icrc", {}, -8),
}


def flip(datagram, at):
    datagram[at] ^= 0x10


def run(t, case):
    reason, fields, at = case
    t.connect(ip=4, transport="UC")
    t.post_recv()
    t.send("UC_SEND_ONLY", 0, payload=data(16),
           alter=None if at is None else lambda datagram: flip(datagram, at), **fields)
    t.expect_dropped(reason)
    t.expect_next(1, receive=False)

# SPDX-License-Identifier: GPL-2.0
"""
IBA 9.7.7.2: a WRITE is a message, but it takes no receive: one credit is enough for the
SEND behind it.
"""
from scenario import data


def run(t):
    t.connect(credits=1)
    for _ in range(3):
        t.post("WRITE", data(8), remote=(0x1000, 0x55), flags=0)
    for _ in range(2):
        t.post("SEND", data(8), flags=0)
    for psn in range(3):
        t.expect_request("WRITE_ONLY", psn)
    t.expect_request("SEND_ONLY", 3, ackreq=1)
    t.expect_silence()
    t.ack(3, msn=4, credits=1)
    t.expect_request("SEND_ONLY", 4, ackreq=1)
    t.ack(4, msn=5)

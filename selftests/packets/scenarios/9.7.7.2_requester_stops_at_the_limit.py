# SPDX-License-Identifier: GPL-2.0
"""
IBA 9.7.7.2: as many messages go as there are credits, the last asks for an ACK; when that
brings none, one goes without, and 0x1f lets all go.
"""
import craft
from scenario import data

CASES = {f"code {code}": code for code in range(1, 12)}


def run(t, code):
    count = craft.CREDITS[code]
    t.connect(credits=code, send_wr=64)
    for _ in range(count + 3):
        t.post("SEND", data(8), flags=0)
    for psn in range(count):
        packet = t.expect_request("SEND_ONLY", psn)
    if not packet.ackreq:
        t.fail("the last message by a credit asks for no ACK")
    t.expect_silence()
    t.ack(count - 1, msn=count, credits=0)
    t.expect_request("SEND_ONLY", count, ackreq=1)
    t.expect_silence()
    t.ack(count, msn=count + 1)
    t.expect_request("SEND_ONLY", count + 1)
    t.expect_request("SEND_ONLY", count + 2)
    t.ack(count + 2, msn=count + 3)

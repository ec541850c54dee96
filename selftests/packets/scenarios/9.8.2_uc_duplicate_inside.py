# SPDX-License-Identifier: GPL-2.0
"""A packet comes twice inside a message: the second is dropped, the message arrives."""
from scenario import LANDING, data


def run(t):
    t.connect(transport="UC")
    t.post_recv(1000)
    parts = data(600)
    t.send("UC_SEND_FIRST", 0, payload=parts[:256])
    t.send("UC_SEND_MIDDLE", 1, payload=parts[256:512])
    t.send("UC_SEND_FIRST", 0, payload=data(256, 5))
    t.send("UC_SEND_MIDDLE", 1, payload=data(256, 5))
    t.expect_dropped("stale", 2)
    t.send("UC_SEND_LAST", 2, payload=parts[512:])
    t.expect_message_taken(parts, LANDING)

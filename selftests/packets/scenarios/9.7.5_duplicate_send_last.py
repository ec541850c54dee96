# SPDX-License-Identifier: GPL-2.0
"""IBA C9-105: the LAST of a message alone comes again."""
from scenario import LANDING, data


def run(t):
    t.connect()
    t.post_recv(1024)
    t.post_recv(1024, LANDING + 1024)
    t.send_message("SEND", 0, data(600))
    t.expect_ack(2, msn=1)
    t.expect_memory(LANDING, data(600))
    t.expect_recv(byte_len=600)
    t.send("SEND_LAST", 2, payload=data(88, 7))
    t.expect_ack(2, msn=1)
    t.expect_counters(duplicate_request=1)

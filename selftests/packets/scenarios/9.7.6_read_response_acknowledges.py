# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: READ data acknowledges the SENDs that went before the READ."""
from scenario import SOURCE, data


def run(t):
    t.connect()
    sends = [t.post("SEND", data(8), offset=SOURCE + 100) for _ in range(2)]
    read = t.post("READ", length=8, remote=(0x1000, 0x55))
    t.expect_request("SEND_ONLY", 0)
    t.expect_request("SEND_ONLY", 1)
    t.expect_request("READ_REQUEST", 2)
    t.respond(2, data(8))
    for wr in sends + [read]:
        t.expect_sent(wr_id=wr)
    t.expect_memory(SOURCE, data(8))

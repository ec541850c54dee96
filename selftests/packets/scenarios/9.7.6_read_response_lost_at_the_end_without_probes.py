# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6.1.3: the LAST is lost, and there is no timeout: nothing is asked for again."""
from scenario import SOURCE, data


def run(t):
    t.connect(timeout=0)
    wr = t.post("READ", length=600, remote=(0x10000, 0x55))
    t.expect_request("READ_REQUEST", 0)
    t.send("READ_RESPONSE_FIRST", 0, payload=data(600)[:256])
    t.send("READ_RESPONSE_MIDDLE", 1, payload=data(600)[256:512])
    t.expect_silence(0.1)
    t.send("READ_RESPONSE_LAST", 2, payload=data(600)[512:])
    t.expect_sent(wr_id=wr)
    t.expect_memory(SOURCE, data(600))

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.9.2: a READ response whose opcode is not that of its place: BAD_RESP_ERR."""
from scenario import SOURCE, data

CASES = {
    "LAST instead of FIRST": [("READ_RESPONSE_LAST", 256)],
    "ONLY instead of FIRST": [("READ_RESPONSE_ONLY", 256)],
    "LAST instead of MIDDLE": [("READ_RESPONSE_FIRST", 256), ("READ_RESPONSE_LAST", 256)],
    "MIDDLE instead of LAST": [("READ_RESPONSE_FIRST", 256), ("READ_RESPONSE_MIDDLE", 256),
                               ("READ_RESPONSE_MIDDLE", 256)],
}


def run(t, packets):
    t.connect()
    wr = t.post("READ", length=768, remote=(0x1000, 0x55))
    t.expect_request("READ_REQUEST", 0)
    for psn, (name, size) in enumerate(packets):
        t.send(name, psn, payload=data(size, psn))
        if psn < len(packets) - 1:
            t.expect_memory(SOURCE + 256 * psn, data(size, psn))
    t.expect_sent("BAD_RESP_ERR", wr_id=wr)
    t.expect_state("ERR")

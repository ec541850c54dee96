# SPDX-License-Identifier: GPL-2.0
"""IBA 9.9.2: READ data of a length that its place does not have: BAD_RESP_ERR, nothing placed."""
from scenario import SOURCE, data

CASES = {
    "ONLY, one less": (8, [("READ_RESPONSE_ONLY", 7)]),
    "ONLY, one more": (8, [("READ_RESPONSE_ONLY", 9)]),
    "ONLY, nothing": (8, [("READ_RESPONSE_ONLY", 0)]),
    "ONLY, for nothing": (0, [("READ_RESPONSE_ONLY", 4)]),
    "FIRST, not full": (600, [("READ_RESPONSE_FIRST", 252)]),
    "FIRST, more than full": (600, [("READ_RESPONSE_FIRST", 260)]),
    "LAST, one less": (600, [("READ_RESPONSE_FIRST", 256), ("READ_RESPONSE_MIDDLE", 256),
                             ("READ_RESPONSE_LAST", 87)]),
}


def run(t, case):
    length, packets = case
    t.connect()
    wr = t.post("READ", length=length, remote=(0x1000, 0x55))
    t.expect_request("READ_REQUEST", 0)
    for psn, (name, size) in enumerate(packets):
        t.send(name, psn, payload=data(size, psn))
        if psn < len(packets) - 1:
            t.expect_memory(SOURCE + 256 * psn, data(size, psn))
    t.expect_sent("BAD_RESP_ERR", wr_id=wr)
    t.expect_state("ERR")

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.2: bits of the BTH that a receiver does not look at, and the version, which it does."""
from scenario import data

CASES = {
    "reserved bits": ({"resv7": 0x7f, "resv8a": 0x3f}, True), "MigReq 0": ({"mig": 0}, True),
    "version 1": ({"tver": 1}, False), "version 15": ({"tver": 15}, False),
}


def run(t, case):
    fields, taken = case
    t.connect(transport="UD")
    t.post_recv()
    header = t.send("UD_SEND_ONLY", 0, payload=data(8), **fields)
    if taken:
        t.expect_datagram(data(8), header)
    else:
        t.expect_dropped("tver")
        t.expect_next(1, receive=False)

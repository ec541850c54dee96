# SPDX-License-Identifier: GPL-2.0
"""IBA 9.2: pad is no part of a datagram, whatever its bytes; more of it than payload is refused."""
from scenario import data

CASES = {"1": 1, "2": 2, "3": 3}


def run(t, pad):
    t.connect(transport="UD")
    t.post_recv()
    header = t.send("UD_SEND_ONLY", 0, payload=data(8 - pad), pad_bytes=b"\xa5" * pad)
    t.expect_datagram(data(8 - pad), header)
    t.send("UD_SEND_ONLY", 1, payload=b"", pad=pad)
    t.expect_dropped("pad")
    t.expect_next(2)

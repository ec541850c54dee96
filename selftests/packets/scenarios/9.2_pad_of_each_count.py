# SPDX-License-Identifier: GPL-2.0
"""IBA 9.2: pad bytes are no payload, whatever is in them."""
from scenario import LANDING, data

CASES = {"1": 3, "2": 2, "3": 1}


def run(t, length):
    t.connect()
    recv = t.post_recv(100)
    t.send("SEND_ONLY", 0, payload=data(length), pad_bytes=b"\xaa\xbb\xcc"[:-length % 4])
    t.expect_ack(0)
    t.expect_memory(LANDING, data(length))
    t.expect_recv(wr_id=recv, byte_len=length)

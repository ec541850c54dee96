# SPDX-License-Identifier: GPL-2.0
"""UC messages in super-packets, as one, and with a hole in them. IBA 9.8.2.2."""
from scenario import LANDING, data

CASES = {"whole": False, "with a hole": True}


def run(t, hole):
    t.connect(transport="UC", ip=6)
    t.post_recv(2000)
    content = data(1024)
    parts = [t.part(f"UC_SEND_{'FIRST' if i == 0 else 'LAST' if i == 3 else 'MIDDLE'}", i,
                    payload=content[256 * i:256 * i + 256]) for i in range(4)]
    if hole:
        del parts[1]
    t.send_train(parts)
    if hole:
        t.expect_dropped("sequence", 2)
        t.expect_memory(LANDING, content[:256])
        t.expect_no_completion()
    else:
        t.expect_message_taken(content, LANDING)
    t.expect_next(4, receive=not hole)

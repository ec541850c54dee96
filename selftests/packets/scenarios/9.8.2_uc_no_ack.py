# SPDX-License-Identifier: GPL-2.0
"""IBA 9.8.2.1, 9.7.5.1.6: AckReq means nothing on UC: no acknowledgment."""
from scenario import LANDING, REMOTE, data


def run(t):
    t.connect(transport="UC")
    t.post_recv()
    t.send_message("SEND", 0, data(600), ackreq=1)
    t.expect_message_taken(data(600), LANDING)
    t.send_message("WRITE", 3, data(600, 2), offset=REMOTE, ackreq=1)
    t.expect_memory(REMOTE, data(600, 2))
    t.expect_silence(0.1)

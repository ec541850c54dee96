# SPDX-License-Identifier: GPL-2.0
"""A message that another overtook is late: dropped. IBA 9.8.2: in their order or not at all."""
from scenario import LANDING, data


def run(t):
    t.connect(transport="UC")
    t.post_recv(100)
    t.post_recv(100, LANDING + 100)
    t.send("UC_SEND_ONLY", 5, payload=data(8))
    t.send("UC_SEND_ONLY", 3, payload=data(8, 2))
    t.expect_message_taken(data(8), LANDING)
    t.expect_dropped("stale")
    t.send("UC_SEND_ONLY", 6, payload=data(8, 3))
    t.expect_message_taken(data(8, 3), LANDING + 100)

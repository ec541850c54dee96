# SPDX-License-Identifier: GPL-2.0
"""IBA 9.8.2.2.4: payloads that are longer than the path MTU, or shorter where they must fill it."""
from scenario import data

CASES = {
    "ONLY of 260": ("UC_SEND_ONLY", 260), "FIRST of 252": ("UC_SEND_FIRST", 252),
    "FIRST of 260": ("UC_SEND_FIRST", 260), "FIRST of 0": ("UC_SEND_FIRST", 0),
}


def run(t, case):
    opcode, length = case
    t.connect(transport="UC")
    t.post_recv(1000)
    t.send(opcode, 0, payload=data(length))
    t.until(lambda: t.wrong_counters(), lambda: "nothing was dropped")
    reason = t.wrong_counters()[0][0]
    if reason not in ("drop_refused", "drop_length"):
        t.fail(f"dropped for {reason}")
    t.expect_counters(**{reason: 1})
    t.expect_next(1, receive=False)

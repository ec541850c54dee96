# SPDX-License-Identifier: GPL-2.0
"""IBA 10.3.1, 11.6.3: UC receives in RTR (and says so), RTS and SQD, not before, not in ERR."""
from scenario import data

CASES = {state: state for state in ("RESET", "INIT", "RTR", "SQD", "ERR")}


def run(t, state):
    t.connect(transport="UC", state=state if state in ("RESET", "INIT", "RTR") else "RTS")
    if state in ("SQD", "ERR"):
        t.modify(state)
    if state in ("RTR", "SQD"):
        t.expect_next(0)
        if state == "RTR":
            t.expect_event("COMM_EST")
        return
    t.send("UC_SEND_ONLY", 0, payload=data(8))
    now = t.lab.counters.read()
    # A QP without addresses may find that first.
    reason = "address" if now["drop_address"] != t.before["drop_address"] else "qp_state"
    t.expect_dropped(reason)

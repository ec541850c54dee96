# SPDX-License-Identifier: GPL-2.0
"""IBA 10.3.1: in RESET and INIT nothing is received."""

CASES = {"RESET": "RESET", "INIT": "INIT"}


def run(t, state):
    t.connect(state=state)
    t.send("WRITE_ONLY", 0, reth=(0, 0, 0))
    # A QP without addresses may find that first.
    now = t.lab.counters.read()
    reason = "address" if now["drop_address"] != t.before["drop_address"] else "qp_state"
    t.expect_dropped(reason)

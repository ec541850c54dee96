# SPDX-License-Identifier: GPL-2.0
"""IBA 10.3.1: UD receives in RTR, RTS, SQD and SQE, not before and not in ERR."""
import qp
from scenario import data

CASES = {state: state for state in ("RESET", "INIT", "RTR", "SQD", "SQE", "ERR")}


def run(t, state):
    t.connect(transport="UD", state=state if state in ("RESET", "INIT", "RTR") else "RTS")
    if state in ("SQD", "ERR"):
        t.modify(state)
    if state == "SQE":
        wr = t.post("SEND", data(8), key=t.key ^ 1, flags=qp.SIGNALED)
        t.expect_sent("LOC_PROT_ERR", wr_id=wr)
        t.expect_state("SQE")
    if state in ("RTR", "SQD", "SQE"):
        t.expect_next(0)
        return
    t.send("UD_SEND_ONLY", 0, payload=data(8))
    t.expect_dropped("qp_state")

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.8.2.2.3: a QP without the right to be written to drops WRITEs, and takes SENDs."""
import qp
from scenario import REMOTE, data

CASES = {"WRITE": None, "WRITE with immediate": 5}


def run(t, imm):
    t.connect(transport="UC", access=qp.LOCAL_WRITE)
    t.post_recv()
    t.send_message("WRITE", 0, data(8), offset=REMOTE, imm=imm)
    t.expect_dropped("refused")
    t.expect_next(1, receive=False)

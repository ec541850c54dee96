# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: inside a SEND only its MIDDLE and LAST may come; the receive in hand fails."""
from scenario import LANDING, data

CASES = {
    "SEND_FIRST": {"payload": data(256)},
    "SEND_ONLY": {"payload": data(8)},
    "SEND_ONLY_IMM": {"payload": data(8)},
    "SEND_ONLY_INV": {"payload": data(8)},
    "WRITE_FIRST": {"payload": data(256), "reth": (0, 0, 500)},
    "WRITE_MIDDLE": {"payload": data(256)},
    "WRITE_LAST": {"payload": data(8)},
    "WRITE_LAST_IMM": {"payload": data(8)},
    "WRITE_ONLY": {"reth": (0, 0, 0)},
    "WRITE_ONLY_IMM": {"reth": (0, 0, 0)},
    "READ_REQUEST": {"reth": (0, 0, 0)},
}
CASES = {name: (name, fields) for name, fields in CASES.items()}


def run(t, case):
    name, fields = case
    t.connect()
    t.post_recv()
    later = t.post_recv()
    t.send("SEND_FIRST", 0, payload=data(256))
    t.expect_memory(LANDING, data(256))
    t.send(name, 1, **fields)
    t.expect_fatal("INVALID", 1, "QP_REQ_ERR", msn=0, recv="REM_INV_REQ_ERR")
    t.expect_recv("WR_FLUSH_ERR", wr_id=later)

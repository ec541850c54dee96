# SPDX-License-Identifier: GPL-2.0
"""IBA 9.4, 9.7.4: more payload than the path MTU of the QP: invalid request."""
from scenario import data

CASES = {
    "SEND_ONLY": {"payload": data(260)},
    "SEND_FIRST": {"payload": data(260)},
    "WRITE_ONLY": {"payload": data(257), "reth": None},
    "WRITE_FIRST": {"payload": data(512), "reth": None},
}
CASES = {name: (name, fields) for name, fields in CASES.items()}


def run(t, case):
    name, fields = case
    t.connect(pmtu=256)
    recv = t.post_recv()
    if "reth" in fields:
        length = len(fields["payload"])
        fields = {**fields, "reth": t.reth(0, length if name == "WRITE_ONLY" else 4 * length)}
    t.send(name, 0, **fields)
    t.expect_fatal("INVALID", 0, "QP_REQ_ERR", msn=0)
    t.expect_recv("WR_FLUSH_ERR", wr_id=recv)

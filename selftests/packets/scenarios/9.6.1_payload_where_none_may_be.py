# SPDX-License-Identifier: GPL-2.0
"""IBA 9.4, 9.6.1: opcodes without payload that have some."""
from scenario import data

CASES = {
    "READ_REQUEST": {"reth": (0, 0, 0)},
    "ACK": {"aeth": (0x1f, 0)},
}
CASES = {name: (name, fields) for name, fields in CASES.items()}


def run(t, case):
    name, fields = case
    t.connect()
    t.send(name, 0, payload=data(4), **fields)
    t.expect_dropped("length")
    t.expect_alive(0, msn=1)

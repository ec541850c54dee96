# SPDX-License-Identifier: GPL-2.0
"""IBA 9.4.5, 9.7.6: soro's atomics: the request's fields, and what was there lands in memory."""
from scenario import SOURCE

CASES = {"CMP_SWP": ("CMP_SWP", 0x1111, 0x2222), "FETCH_ADD": ("FETCH_ADD", 0x3333, 0)}


def run(t, case):
    name, first, second = case
    t.connect()
    wr = t.post(name, length=8, remote=(0x7000, 0x99), compare_add=first, swap=second)
    # On the wire: swap or add, then compare.
    wanted = (second, first) if name == "CMP_SWP" else (first, 0)
    packet = t.expect_request(name, 0, payload=b"")
    if packet.atomic[:2] != (0x7000, 0x99) or packet.atomic[2] != wanted[0] or \
       name == "CMP_SWP" and packet.atomic[3] != wanted[1]:
        t.fail(f"AtomicETH is {packet.atomic}")
    t.answer_atomic(0, 0x0102030405060708, msn=1)
    t.expect_sent(wr_id=wr, opcode=name)
    t.expect_memory(SOURCE, (0x0102030405060708).to_bytes(8, "little"))

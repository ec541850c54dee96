# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: the AETH of an atomic's answer cannot say no: dropped."""
import craft
from scenario import SOURCE

CASES = {"NAK access": craft.nak_syndrome("ACCESS"), "RNR": craft.rnr_syndrome(1)}


def run(t, syndrome):
    t.connect()
    wr = t.post("FETCH_ADD", length=8, remote=(0x7000, 0x99), compare_add=5)
    t.expect_request("FETCH_ADD", 0)
    t.send("ATOMIC_ACK", 0, aeth=(syndrome, 0), atomic_ack=5)
    t.expect_dropped("syndrome")
    t.answer_atomic(0, 77)
    t.expect_sent(wr_id=wr)
    t.expect_memory(SOURCE, (77).to_bytes(8, "little"))

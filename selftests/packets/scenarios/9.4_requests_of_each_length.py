# SPDX-License-Identifier: GPL-2.0
"""IBA 9.2, 9.4: SENDs that soro cuts into packets: opcodes, PSNs, pad, AckReq in the last."""
from scenario import data

CASES = {str(length): (length, 4)
         for length in (0, 1, 2, 3, 4, 255, 256, 257, 512, 513, 1024, 5000)}
CASES["5000 over IPv6"] = (5000, 6)


def run(t, case):
    length, version = case
    t.connect(ip=version)
    wr = t.post("SEND", data(length))
    n = t.expect_message("SEND", 0, data(length))
    t.ack(n - 1, msn=1)
    t.expect_sent(wr_id=wr, opcode="SEND")

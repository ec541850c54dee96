# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: READs: one request, responses of each form, all bytes in place."""
from scenario import SOURCE, data

CASES = {str(length): (length, 4) for length in (0, 1, 255, 256, 257, 512, 600, 3001)}
CASES["3001 over IPv6"] = (3001, 6)


def run(t, case):
    length, version = case
    t.connect(ip=version)
    wr = t.post("READ", length=length, remote=(0xabcdef0000, 0x1234))
    t.expect_request("READ_REQUEST", 0, reth=(0xabcdef0000, 0x1234, length), payload=b"")
    t.respond(0, data(length), msn=1)
    t.expect_sent(wr_id=wr, opcode="READ")
    t.expect_memory(SOURCE, data(length))

# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: four FETCH_ADDs in one super-packet: each executed once, each answered."""


def run(t):
    t.connect(ip=6)
    t.write_memory(64, bytes(8))
    t.send_train([t.part("FETCH_ADD", i, atomic=(t.address(64), t.key, 1, 0)) for i in range(4)])
    for i in range(4):
        t.expect_atomic(i, i)
    t.expect_memory(64, (4).to_bytes(8, "little"))

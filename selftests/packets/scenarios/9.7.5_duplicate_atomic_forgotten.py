# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5: results are kept for as many as were agreed; an older duplicate gets no answer."""


def run(t):
    t.connect(dest_rd_atomic=2)
    t.write_memory(64, bytes(8))
    for psn in range(3):
        t.send("FETCH_ADD", psn, atomic=(t.address(64), t.key, 1, 0))
        t.expect_atomic(psn, psn, msn=psn + 1)
    t.expect_memory(64, (3).to_bytes(8, "little"))
    t.send("FETCH_ADD", 0, atomic=(t.address(64), t.key, 1, 0))
    t.expect_dropped("duplicate_bad")
    t.send("FETCH_ADD", 1, atomic=(t.address(64), t.key, 1, 0))
    t.expect_atomic(1, 1, msn=3)
    t.expect_counters(duplicate_request=2)

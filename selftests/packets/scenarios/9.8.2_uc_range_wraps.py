# SPDX-License-Identifier: GPL-2.0
"""IBA 9.8.2.2.3: address plus length beyond 2^64: dropped in silence."""
from scenario import data


def run(t):
    t.connect(transport="UC")
    t.send("UC_WRITE_ONLY", 0, payload=data(8), reth=(2**64 - 4, t.key, 8))
    t.expect_dropped("refused")
    t.expect_next(1)

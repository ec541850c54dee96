# SPDX-License-Identifier: GPL-2.0
"""IBA A17.3.2: RoCEv2 is UDP port 4791 and no other; soro hears nothing of the rest."""


def run(t):
    t.connect()
    t.send("WRITE_ONLY", 0, reth=(0, 0, 0), ip={"dport": 4790})
    t.send("WRITE_ONLY", 0, reth=(0, 0, 0), ip={"dport": 4792})
    t.expect_silence()
    t.expect_alive(0, msn=1)

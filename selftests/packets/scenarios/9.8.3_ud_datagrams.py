# SPDX-License-Identifier: GPL-2.0
"""IBA 9.8.3, A17.4.5.1: datagrams of each length, behind their network header of 40 bytes."""
from scenario import data

CASES = {f"{length} over IPv{version}": (length, version)
         for length in (0, 1, 2, 3, 4, 255, 1000, 4096) for version in (4, 6)}


def run(t, case):
    length, version = case
    t.connect(transport="UD", ip=version)
    recv = t.post_recv(40 + length)
    header = t.send("UD_SEND_ONLY", 0, payload=data(length))
    t.expect_datagram(data(length), header, wr_id=recv)
    t.expect_silence()

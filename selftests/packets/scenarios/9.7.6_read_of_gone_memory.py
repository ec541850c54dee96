# SPDX-License-Identifier: GPL-2.0
"""IBA 9.9.2: the local region went before the data came: LOC_PROT_ERR, nothing placed."""
import qp
from scenario import SOURCE, data


def run(t):
    t.connect()
    region = t.register(SOURCE, 4096, qp.LOCAL_WRITE)
    wr = t.post("READ", length=8, remote=(0x1000, 0x55), key=region.key)
    t.expect_request("READ_REQUEST", 0)
    t.deregister(region)
    t.respond(0, data(8))
    t.expect_sent("LOC_PROT_ERR", wr_id=wr)
    t.expect_state("ERR")

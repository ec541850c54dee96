# SPDX-License-Identifier: GPL-2.0
"""IBA A17.3: soro sends the traffic class of the address vector, in requests and replies."""

CASES = {"IPv4": 4, "IPv6": 6}


def run(t, version):
    def check(packet):
        got = packet.data[1] if version == 4 else (packet.data[0] << 4 | packet.data[1] >> 4) & 0xff
        if got != 0x68:
            t.fail(f"traffic class is 0x{got:02x}")

    t.connect(ip=version, traffic_class=0x68)
    t.send("WRITE_ONLY", 0, reth=(0, 0, 0))
    check(t.expect_ack(0, msn=1))
    wr = t.post("SEND", b"hello")
    check(t.expect_request("SEND_ONLY", 0))
    t.ack(0)
    t.expect_sent(wr_id=wr)

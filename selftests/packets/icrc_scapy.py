#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
icrc_scapy.py [--all] [--sweep] CAPTURE... - the ICRC of every RoCEv2 packet in captures.

Each packet's ICRC must be what roce.py computes, and for IPv4 what scapy's RoCE
layer computes. Scapy takes a millisecond for a packet, fifty in an emulated
guest: it is asked once per opcode and pad count and once per pad count and 64
bytes of payload length, or always with --all; that roce.py and scapy agree
about every length is icrc_wire.py's business. Super-packets, as a capture on veth or lo
shows them, are taken apart first. TAP, one line per capture; a capture without
a RoCEv2 packet fails. With --sweep a capture must hold every payload length
from 0 to 4096 bytes in SEND ONLY, WRITE ONLY and READ RESPONSE ONLY.
"""

import argparse
import collections
import sys

sys.dont_write_bytecode = True
import roce                         # noqa: E402

SHOWN = 10              # bad packets printed per capture
SWEPT = {0x04: "SEND ONLY", 0x0a: "WRITE ONLY", 0x10: "READ RESPONSE ONLY"}
PAYLOADS = set(range(4097))


class Report:
    """What one capture held."""

    def __init__(self, ask_always):
        self.ask_always = ask_always
        self.asked = set()
        self.scapy = 0
        self.datagrams = 0
        self.packets = 0
        self.bad = 0
        self.opcodes = collections.Counter()
        self.payloads = collections.defaultdict(set)

    def complain(self, text):
        self.bad += 1
        if self.bad <= SHOWN:
            print(f"# datagram {self.datagrams}: {text}")

    def wants_scapy(self, packet, opcode, payload, pad):
        """Whether scapy has not yet judged a packet like this."""
        if packet[0] >> 4 != 4:
            return False
        news = {("opcode", opcode, pad), ("length", payload // 64, pad)} - self.asked
        self.asked |= news
        return self.ask_always or bool(news)

    def check(self, packet):
        opcode, payload, pad = roce.fields(packet)
        self.packets += 1
        self.opcodes[opcode] += 1
        self.payloads[opcode].add(payload)
        if payload < 0 or pad != -payload & 3:
            self.complain(f"opcode {opcode:#04x}, payload {payload}, pad count {pad}")

        seen = packet[-roce.ICRC_BYTES:]
        wanted = {"reference": roce.icrc(packet)}
        if self.wants_scapy(packet, opcode, payload, pad):
            self.scapy += 1
            wanted["scapy"] = roce.scapy_icrc(packet)
        for who, value in wanted.items():
            if value != seen:
                self.complain(f"opcode {opcode:#04x}, {len(packet)} bytes: "
                              f"ICRC {seen.hex()}, {who} says {value.hex()}")

    def missing(self):
        """Payload lengths that a sweep should have shown, in words."""
        for opcode, name in SWEPT.items():
            lengths = sorted(PAYLOADS - self.payloads[opcode])
            if lengths:
                yield f"{name}: {len(lengths)} payload lengths missing, such as {lengths[:5]}"


def read(path, ask_always):
    report = Report(ask_always)
    for datagram in roce.capture(path):
        report.datagrams += 1
        if isinstance(datagram, roce.Malformed):
            report.complain(datagram)
            continue
        for packet in roce.packets(datagram):
            report.check(packet)
    return report


def main():
    parser = argparse.ArgumentParser(description="check the ICRC of captured packets")
    parser.add_argument("--all", action="store_true", help="ask scapy about every packet")
    parser.add_argument("--sweep", action="store_true", help="want every payload length")
    parser.add_argument("captures", nargs="+", metavar="CAPTURE")
    args = parser.parse_args()

    failed = 0
    print("TAP version 13")
    for number, path in enumerate(args.captures, 1):
        report = read(path, args.all)
        missing = list(report.missing()) if args.sweep else []
        for line in missing:
            print(f"# {line}")
        for opcode, count in sorted(report.opcodes.items()):
            print(f"# opcode {opcode:#04x}: {count}")
        bad = report.bad or missing or not report.packets
        failed += bool(bad)
        print(f"{'not ok' if bad else 'ok'} {number} - {path}: {report.packets} packets "
              f"in {report.datagrams} datagrams, {report.scapy} by scapy, {report.bad} bad")
    total = len(args.captures)
    print(f"1..{total}\n# {total - failed} passed, {failed} failed, 0 skipped")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

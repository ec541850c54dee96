# SPDX-License-Identifier: GPL-2.0
"""
RoCEv2 packets for the packet tests: reading captures, taking super-packets
apart, and an ICRC of our own that knows IPv6.

Owns no test. Works on the bytes of IP datagrams.
"""

import contextlib
import logging
import struct
import zlib

ROCE_PORT = 4791
UDP_BYTES = 8
BTH_BYTES = 12
ICRC_BYTES = 4
PACKET_MIN = BTH_BYTES + ICRC_BYTES
PACKET_MAX = 40 + 4096 + ICRC_BYTES
SEGMENTS_MAX = 128

LINKTYPE_ETHERNET = 1
LINKTYPE_RAW = 101
VLAN_TAGS = (b"\x81\x00", b"\x88\xa8")
IP_TYPES = (b"\x08\x00", b"\x86\xdd")

# Bytes of extension headers by opcode, where there are any.
EXTENSIONS = {
    0x03: 4, 0x05: 4, 0x06: 16, 0x09: 4, 0x0a: 16, 0x0b: 20, 0x0c: 16, 0x0d: 4, 0x0f: 4,
    0x10: 4, 0x11: 4, 0x12: 12, 0x13: 28, 0x14: 28, 0x16: 4, 0x17: 4, 0x1c: 20, 0x1d: 16,
    0x23: 4, 0x25: 4, 0x26: 16, 0x29: 4, 0x2a: 16, 0x2b: 20, 0x64: 8, 0x65: 12, 0x81: 16,
}


class Malformed(Exception):
    """A datagram to port 4791 that is no RoCEv2 packet or train."""


def ip_bytes(datagram):
    """Length of the IP header; the datagram is UDP to port 4791."""
    return 20 if datagram[0] >> 4 == 4 else 40


def fields(datagram):
    """Opcode, payload length and pad count of a datagram of one packet."""
    bth = ip_bytes(datagram) + UDP_BYTES
    opcode, pad = datagram[bth], datagram[bth + 1] >> 4 & 3
    headers = bth + BTH_BYTES + EXTENSIONS.get(opcode, 0)
    return opcode, len(datagram) - headers - pad - ICRC_BYTES, pad


def icrc(datagram):
    """The ICRC that a datagram of one packet must end with, by zlib alone (IBA A17.3.3)."""
    masked = bytearray(datagram[:-ICRC_BYTES])
    if masked[0] >> 4 == 4:
        masked[1] = 0xff                                # ToS
        masked[8] = 0xff                                # TTL
        masked[10:12] = b"\xff\xff"                     # header checksum
    else:
        masked[0] |= 0x0f                               # traffic class, flow label
        masked[1:4] = b"\xff\xff\xff"
        masked[7] = 0xff                                # hop limit
    udp = ip_bytes(datagram)
    masked[udp + 6:udp + 8] = b"\xff\xff"               # UDP checksum
    masked[udp + UDP_BYTES + 4] = 0xff                  # FECN, BECN, reserved
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + masked))


def scapy_icrc(datagram):
    """The same by scapy's RoCE layer; IPv4 only."""
    # Here and below: scapy takes seconds to load in an emulated guest.
    logging.getLogger("scapy").setLevel(logging.ERROR)
    from scapy.contrib.roce import BTH
    from scapy.layers.inet import IP

    packet = IP(datagram)
    packet[BTH].icrc = None
    return bytes(packet)[-ICRC_BYTES:]


def good(datagram):
    return icrc(datagram) == datagram[-ICRC_BYTES:]


def segment(datagram, size, index):
    """Packet `index` of a train, as UDP segmentation puts it on a wire."""
    udp = ip_bytes(datagram)
    start = udp + UDP_BYTES + index * size
    part = datagram[start:start + size]
    headers = bytearray(datagram[:udp + UDP_BYTES])
    if udp == 20:
        ident = struct.unpack_from(">H", headers, 4)[0]
        struct.pack_into(">HH", headers, 2, 20 + UDP_BYTES + len(part), (ident + index) & 0xffff)
    else:
        struct.pack_into(">H", headers, 4, UDP_BYTES + len(part))
    struct.pack_into(">H", headers, udp + 4, UDP_BYTES + len(part))
    return bytes(headers) + part


def segment_size(datagram):
    """
    Size of the packets of a train. A capture does not say it: the first size
    whose first packet has a right ICRC is taken, else the whole datagram.
    """
    whole = len(datagram) - ip_bytes(datagram) - UDP_BYTES
    if good(datagram):
        return whole
    smallest = max(PACKET_MIN, -(-whole // SEGMENTS_MAX) + 3 & ~3)
    for size in range(smallest, min(PACKET_MAX, whole - 1) + 1, 4):
        if good(segment(datagram, size, 0)):
            return size
    return whole


def packets(datagram):
    """The packets of a datagram, each as a datagram of its own."""
    whole = len(datagram) - ip_bytes(datagram) - UDP_BYTES
    size = segment_size(datagram)
    if size == whole:
        return [datagram]
    return [segment(datagram, size, i) for i in range(-(-whole // size))]


def network(frame, linktype):
    """The IP datagram of a captured frame, perhaps with padding; None if it is no IP."""
    if linktype == LINKTYPE_RAW:
        return frame
    if linktype != LINKTYPE_ETHERNET:
        raise ValueError(f"link type {linktype} of the capture is not known")
    at = 12
    while frame[at:at + 2] in VLAN_TAGS:
        at += 4
    return frame[at + 2:] if frame[at:at + 2] in IP_TYPES else None


def is_roce(data):
    """Whether a datagram is UDP to RoCE's port, whatever else is wrong with it."""
    if len(data) < 20:
        return False
    proto, udp = (data[9], (data[0] & 0xf) * 4) if data[0] >> 4 == 4 else (data[6], 40)
    return (proto == 17 and len(data) >= udp + 4 and
            struct.unpack_from(">H", data, udp + 2)[0] == ROCE_PORT)


def trim(data):
    """The datagram without the padding of the link."""
    ipv4 = data[0] >> 4 == 4
    length = struct.unpack_from(">H", data, 2 if ipv4 else 4)[0] + (0 if ipv4 else 40)
    if len(data) < length:
        raise Malformed(f"cut off: {len(data)} of {length} bytes captured")
    if ipv4 and (data[0] & 0xf != 5 or struct.unpack_from(">H", data, 6)[0] & 0x3fff):
        raise Malformed("IP options or fragment")
    if length < ip_bytes(data) + UDP_BYTES + PACKET_MIN:
        raise Malformed(f"too short: {length} bytes")
    return data[:length]


def capture(path):
    """All RoCEv2 datagrams of a pcap or pcapng file; Malformed where one is none."""
    from scapy.utils import RawPcapReader

    with contextlib.closing(RawPcapReader(path)) as reader:
        for frame, metadata in reader:
            linktype = getattr(metadata, "linktype", None)
            data = network(frame, reader.linktype if linktype is None else linktype)
            if data is None or not is_roce(data):
                continue
            try:
                yield trim(data)
            except Malformed as error:
                yield error

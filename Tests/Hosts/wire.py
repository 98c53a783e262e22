"""Reads pcap, Ethernet, IP and TCP to reassemble the streams of a capture."""

import struct


class Segment:
    """A TCP segment with data, or the first one of a connection."""

    def __init__(self, flow, sequence, is_syn, data):
        self.flow = flow
        self.sequence = sequence
        self.is_syn = is_syn
        self.data = data


def packets(path):
    """The bytes of each Ethernet frame."""
    return (packet for _, packet in timed_packets(path))


def timed_packets(path):
    """(seconds since 1970, bytes) of each Ethernet frame."""
    with open(path, "rb") as file:
        raw = file.read()
    position = 24
    while position + 16 <= len(raw):
        second, microsecond, captured, _ = struct.unpack("=IIII", raw[position:position + 16])
        position += 16
        yield second + microsecond / 1e6, raw[position:position + captured]
        position += captured


def _network_layer(packet):
    kind, = struct.unpack(">H", packet[12:14])
    return kind, packet[14:]


def _transport_layer(kind, packet):
    if kind == 0x0800:
        header = (packet[0] & 15) * 4
        total, = struct.unpack(">H", packet[2:4])
        return packet[9], packet[12:16], packet[16:20], packet[header:total]
    if kind == 0x86DD:
        length, = struct.unpack(">H", packet[4:6])
        return packet[6], packet[8:24], packet[24:40], packet[40:40 + length]
    return None, b"", b"", b""


def payloads(path):
    """(MAC of the sender, number of the transport protocol, payload) of each UDP and TCP packet."""
    return (rest for _, *rest in timed_payloads(path))


def timed_payloads(path):
    """(seconds since 1970, MAC of the sender, number of the transport protocol, payload) of each UDP and TCP packet."""
    for when, packet in timed_packets(path):
        protocol, _, _, body = _transport_layer(*_network_layer(packet))
        header = 8 if protocol == 17 else (body[12] >> 4) * 4 if protocol == 6 and len(body) >= 20 else None
        if header is not None:
            yield when, packet[6:12], protocol, body[header:]


def segments(path):
    for packet in packets(path):
        protocol, source, target, body = _transport_layer(*_network_layer(packet))
        if protocol != 6 or len(body) < 20:
            continue
        source_port, target_port, sequence = struct.unpack(">HHI", body[:8])
        header = (body[12] >> 4) * 4
        yield Segment((source, source_port, target, target_port), sequence, bool(body[13] & 2), body[header:])


def clocks(path):
    """The flow of each TCP packet, and by how many ms the clock in it (RFC 7323) is ahead of 1970, modulo 2^32; None without one."""
    for when, packet in timed_packets(path):
        protocol, source, target, body = _transport_layer(*_network_layer(packet))
        if protocol != 6 or len(body) < 20:
            continue
        source_port, target_port = struct.unpack(">HH", body[:4])
        clock = _timestamp(body[20:(body[12] >> 4) * 4])
        yield (source, source_port, target, target_port), None if clock is None else (clock - int(when * 1000)) % (1 << 32)


def _timestamp(options):
    while options and options[0] != 0:
        if options[0] == 8:
            return int.from_bytes(options[2:6], "big")
        options = options[1 if options[0] == 1 else max(2, options[1]):]
    return None


def dials(path):
    """(seconds since 1970, target port) of the first segment of each connection."""
    for when, packet in timed_packets(path):
        protocol, _, _, body = _transport_layer(*_network_layer(packet))
        if protocol == 6 and len(body) >= 20 and body[13] & 0x12 == 0x02:
            yield when, struct.unpack(">H", body[2:4])[0]


def streams(path):
    """(flow, bytes up to the first gap) of each direction of each connection whose first segment was captured."""
    starts, pieces = {}, {}
    for segment in segments(path):
        if segment.is_syn:
            starts[segment.flow] = (segment.sequence + 1) & 0xFFFFFFFF
            pieces.setdefault(segment.flow, {})
        elif segment.data and segment.flow in starts:
            offset = (segment.sequence - starts[segment.flow]) & 0xFFFFFFFF
            known = pieces[segment.flow].get(offset, b"")
            if len(segment.data) > len(known):
                pieces[segment.flow][offset] = segment.data
    for flow, parts in pieces.items():
        stream = bytearray()
        for offset in sorted(parts):
            if offset > len(stream):
                break
            stream[offset:offset + len(parts[offset])] = parts[offset]
        yield flow, bytes(stream)


def record_lengths(stream):
    """The lengths of the complete records of a stream, in bytes, prefixes included."""
    position, lengths = 0, []
    while position + 2 <= len(stream):
        length = int.from_bytes(stream[position:position + 2], "big") + 2
        if position + length > len(stream):
            break
        lengths.append(length)
        position += length
    return lengths

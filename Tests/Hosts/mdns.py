"""Reads the mDNS messages of a capture (RFC 1035 section 4): the announced names, and which of them appear again."""

import struct

import wire

A, PTR, TXT, AAAA, SRV = 1, 12, 16, 28, 33


class Record:
    """`target` is the name in the record's data, None without one; `rest` is the other bytes of the data."""

    def __init__(self, name, kind, ttl, target, rest):
        self.name, self.kind, self.ttl, self.target, self.rest = name, kind, ttl, target, rest


def read_name(message, position):
    """A name with labels in lower case, and the position behind it."""
    labels, end = [], None
    for _ in range(128):
        length = message[position]
        if length == 0:
            return ".".join(labels), position + 1 if end is None else end
        if length & 0xC0:
            end = position + 2 if end is None else end
            position = (length & 0x3F) << 8 | message[position + 1]
        else:
            labels.append(message[position + 1:position + 1 + length].decode("ascii", "replace").lower())
            position += 1 + length
    raise ValueError("a name that does not end")


def read(message):
    """Whether it is a response, the names that it asks for, and its records."""
    flags, questions, *counts = struct.unpack(">HHHHH", message[2:12])
    position, asked, records = 12, [], []
    for _ in range(questions):
        name, position = read_name(message, position)
        asked.append(name)
        position += 4
    for _ in range(sum(counts)):
        owner, position = read_name(message, position)
        kind, _, ttl, length = struct.unpack(">HHIH", message[position:position + 10])
        position += 10
        before = {PTR: 0, SRV: 6}.get(kind, length)
        target = read_name(message, position + before)[0] if kind in (PTR, SRV) else None
        records.append(Record(owner, kind, ttl, target, message[position:position + before]))
        position += length
    return bool(flags & 0x8000), asked, records


def services(path, mac):
    """[(instance, host, TTL)] of each SRV record of an Earshot service from this MAC, in order."""
    told = [record for sender, protocol, data in wire.payloads(path) if sender == mac and protocol == 17
            for is_response, _, records in [read(data)] if is_response for record in records]
    return [(record.name.split(".")[0], record.target.split(".")[0], record.ttl) for record in told
            if record.kind == SRV and record.name.endswith("._earshot._tcp.local")]


def timed_services(path, mac):
    """[(seconds since 1970, instance, TTL)] of each SRV record of an Earshot service from this MAC, in order."""
    return [(when, record.name.split(".")[0], record.ttl) for when, record in _timed_records(path, mac)]


def timed_ports(path, mac):
    """[(seconds since 1970, TCP port, TTL)] of each SRV record of an Earshot service from this MAC, in order."""
    return [(when, struct.unpack(">H", record.rest[4:6])[0], record.ttl) for when, record in _timed_records(path, mac)]


def _timed_records(path, mac):
    return [(when, record) for when, sender, protocol, data in wire.timed_payloads(path)
            if sender == mac and protocol == 17
            for is_response, _, records in [read(data)] if is_response for record in records
            if record.kind == SRV and record.name.endswith("._earshot._tcp.local")]


def ports(path, mac):
    """The TCP ports in the SRV records of Earshot services from this MAC."""
    told = [record for sender, protocol, data in wire.payloads(path) if sender == mac and protocol == 17
            for is_response, _, records in [read(data)] if is_response for record in records]
    return {struct.unpack(">H", record.rest[4:6])[0] for record in told
            if record.kind == SRV and record.name.endswith("._earshot._tcp.local")}


def words(message):
    """Every label of every name, and the remaining bytes of every record."""
    _, names, records = read(message)
    names = names + [name for record in records for name in (record.name, record.target) if name]
    return {label.encode() for name in names for label in name.split(".")} | {record.rest for record in records}

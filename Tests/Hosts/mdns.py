"""Reads the records out of mDNS messages in a capture (RFC 1035 section 4): enough to see who announces what."""

import struct

import wire

PTR, SRV = 12, 33


class Record:
    def __init__(self, name, kind, ttl, target):
        self.name, self.kind, self.ttl, self.target = name, kind, ttl, target


def name(message, position):
    """A name, labels in lower case, and where it ends."""
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


def records(message):
    """The records that a response tells; none of a query's, which repeats what others have said."""
    flags, questions, *counts = struct.unpack(">HHHHH", message[2:12])
    if not flags & 0x8000:
        return
    position = 12
    for _ in range(questions):
        position = name(message, position)[1] + 4
    for _ in range(sum(counts)):
        owner, position = name(message, position)
        kind, _, ttl, length = struct.unpack(">HHIH", message[position:position + 10])
        position += 10
        skipped = {PTR: 0, SRV: 6}.get(kind)
        target = None if skipped is None else name(message, position + skipped)[0]
        yield Record(owner, kind, ttl, target)
        position += length


def services(path, mac):
    """[(instance, host, TTL)] of each SRV record of ours that the machine with this MAC has told, in order."""
    return [(record.name.split(".")[0], record.target.split(".")[0], record.ttl)
            for sender, protocol, data in wire.payloads(path) if sender == mac and protocol == 17 and len(data) >= 12
            for record in records(data) if record.kind == SRV and record.name.endswith("._earshot._tcp.local")]

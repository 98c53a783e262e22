"""The data that an observer of all links has: time, direction and size of each record and each packet, and no content."""

import ipaddress
import struct
import sys
from pathlib import Path

import numpy

sys.path[:0] = [str(Path(__file__).resolve().parent.parent / "Hosts")]

import wire  # noqa: E402


class Series:
    """Times in seconds since 1970, ascending, and the size in bytes at each."""

    def __init__(self, times=(), sizes=()):
        order = numpy.argsort(numpy.asarray(times, dtype=float), kind="stable")
        self.times = numpy.asarray(times, dtype=float)[order]
        self.sizes = numpy.asarray(sizes, dtype=float)[order]
        self.total = numpy.concatenate([[0.0], numpy.cumsum(self.sizes)])

    def windows(self, edges):
        """(number of entries, bytes) between each two of these ascending times."""
        places = numpy.searchsorted(self.times, edges)
        return numpy.diff(places), numpy.diff(self.total[places])

    def after(self, time, count=1):
        """(times, sizes) of the next `count` entries from `time` on; fewer if there are fewer."""
        place = numpy.searchsorted(self.times, time)
        return self.times[place:place + count], self.sizes[place:place + count]


NOTHING = Series()


class Trace:
    """All traffic that was seen between the nodes 0 to `count` - 1. `records` and `packets` are lists of (time, source, target, size);
    a packet without data has size 0."""

    def __init__(self, count, records, packets=()):
        self.count = count
        self.records = self._links(records)
        self.acknowledgements = self._links([packet for packet in packets if packet[3] == 0])
        self.sent = [self._joined(lambda one, _, node=node: one == node) for node in range(count)]
        self.received = [self._joined(lambda _, other, node=node: other == node) for node in range(count)]

    def link(self, one, other):
        """The records from one node to another."""
        return self.records.get((one, other), NOTHING)

    def bare(self, one, other):
        """The packets without data from one node to another."""
        return self.acknowledgements.get((one, other), NOTHING)

    @staticmethod
    def _links(entries):
        found = {}
        for time, source, target, size in entries:
            times, sizes = found.setdefault((source, target), ([], []))
            times.append(time)
            sizes.append(size)
        return {link: Series(*lists) for link, lists in found.items()}

    def _joined(self, wanted):
        parts = [series for link, series in self.records.items() if wanted(*link)]
        if not parts:
            return NOTHING
        return Series(numpy.concatenate([part.times for part in parts]), numpy.concatenate([part.sizes for part in parts]))


class _Stream:
    """One direction of a connection, in the order of its bytes. Its records have a prefix of two bytes with their length."""

    def __init__(self, start):
        self.next, self.early, self.rest = start, {}, b""

    def add(self, time, sequence, data):
        """The (time, length with prefix) of the records that this segment completes."""
        self.early.setdefault(sequence, (time, data))
        while self.next in self.early:
            _, data = self.early.pop(self.next)
            self.next = (self.next + len(data)) & 0xFFFFFFFF
            self.rest += data
            yield from self._records(time)

    def _records(self, time):
        while len(self.rest) >= 2 and len(self.rest) >= (length := int.from_bytes(self.rest[:2], "big") + 2):
            self.rest = self.rest[length:]
            yield time, length


def read(path, addresses):
    """The trace of a capture; `addresses` has the IPv4 address of each node. Connections count from their first segment on."""
    numbers = {ipaddress.ip_address(address).packed: number for number, address in enumerate(addresses)}
    streams, records, packets = {}, [], []
    for time, flow, sequence, is_syn, data in _segments(path):
        source, target = numbers.get(flow[0]), numbers.get(flow[2])
        if source is None or target is None:
            continue
        packets.append((time, source, target, len(data)))
        if is_syn:
            streams[flow] = _Stream((sequence + 1) & 0xFFFFFFFF)
        elif data and flow in streams:
            records += [(when, source, target, size) for when, size in streams[flow].add(time, sequence, data)]
    return Trace(len(addresses), records, packets)


def totals(path):
    """[(seconds since 1970, bytes)] of the frames of a capture, with all headers."""
    return [(time, len(packet)) for time, packet in wire.timed_packets(path)]


def _segments(path):
    """(time, flow, sequence number, whether it begins a connection, data) of each TCP segment over IPv4."""
    for time, packet in wire.timed_packets(path):
        if packet[12:14] != b"\x08\x00" or packet[23] != 6:
            continue
        start = 14 + (packet[14] & 15) * 4
        total, = struct.unpack(">H", packet[16:18])
        body = packet[start:14 + total]
        source, target, sequence = struct.unpack(">HHI", body[:8])
        yield (time, (packet[26:30], source, packet[30:34], target), sequence, bool(body[13] & 2),
               body[(body[12] >> 4) * 4:])

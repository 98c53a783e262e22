"""Attacks by members with valid keys: valid frames of the protocol at excessive rates."""

import hashlib
import os
import selectors
import socket
import struct
import threading

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from noise_peer import issue, raw
from stranger import HAVE, PING, PRESENCE, PUBLIC, REQUEST, WANT, Stranger, now, presence

CERTIFICATE, SEALED = 2, 9


def enter(stage, number=None, **options):
    """A member of the room, connected with the victim."""
    sizes = {name: options.pop(name) for name in ("SO_RCVBUF",) if name in options}
    stream = stage.connect(number, **sizes)
    try:
        return Stranger("initiator", stream, **options)
    except BaseException:
        stream.close()
        raise


def reads(stage, member):
    """Reads and discards the victim's bytes in a thread of its own, and sets the flag when the victim closes."""
    closed = threading.Event()

    def read():
        try:
            while member.peer.stream.recv(65_536):
                pass
        except socket.timeout:
            return
        except (OSError, ValueError):
            pass
        closed.set()

    threading.Thread(target=read, daemon=True).start()
    return closed


class Drain:
    """Reads and discards what the victim sends to many members, in one thread: a thread for each would take the processors from the
    members for each message."""

    def __init__(self):
        self.selector = selectors.DefaultSelector()
        threading.Thread(target=self.run, daemon=True).start()

    def add(self, member):
        """The flag that is set when the victim closes."""
        closed = threading.Event()
        self.selector.register(member.peer.stream, selectors.EVENT_READ, closed)
        return closed

    def run(self):
        while True:
            for key, _ in self.selector.select():
                try:
                    if key.fileobj.recv(65_536):
                        continue
                except OSError:
                    pass
                self.selector.unregister(key.fileobj)
                key.data.set()

    def end(self, member):
        try:
            self.selector.unregister(member.peer.stream)
        except KeyError:
            pass
        member.peer.stream.close()


class Flood:
    """One member that sends records at the given rate, and reconnects when closed."""

    SOURCES = 500

    def __init__(self, stage, pace):
        self.stage, self.pace, self.number = stage, pace, 0

    def prepare(self, member):
        pass

    def frames(self, member, number):
        raise NotImplementedError

    def run(self):
        while self.stage.running.is_set():
            self.number += 1
            try:
                member = enter(self.stage, self.number, nickname="flood")
            except (OSError, AssertionError):
                if not self.stage.pause(0.5):
                    return
                continue
            self.press(member)
            member.peer.stream.close()

    def press(self, member):
        closed = reads(self.stage, member)
        self.prepare(member)
        try:
            for number in self.stage.paced(self.pace):
                if closed.is_set():
                    break
                frames = self.frames(member, number)
                member.send(*frames)
                self.stage.count("frames_sent", len(frames))
        except OSError:
            closed.set()
        self.stage.count("closed_by_victim" if closed.is_set() or self.stage.running.is_set() else "still_open_at_the_end")


class Talkative(Flood):
    """10,000 public messages a second, 20 in a record, each signed before the attack begins."""

    def __init__(self, stage):
        super().__init__(stage, 500)
        self.ready = []

    def prepare(self, member):
        self.ready = [member.payload(PUBLIC, b"\0" + member.nickname + b"\x00flood %d" % number) for number in range(4_000)]

    def frames(self, member, number):
        start = number * 20 % 4_000
        return self.ready[start:start + 20]


class Fresh(Talkative):
    """A flood of messages with a new number in each, which is signed when it is sent."""

    def prepare(self, member):
        pass

    def frames(self, member, number):
        return [member.payload(PUBLIC, b"\0" + member.nickname + b"\x00flood") for _ in range(8)]


class Pings(Flood):
    """Hundreds of pings in each record; it never reads the answers."""

    def press(self, member):
        record = [bytes([PING]) + os.urandom(8)] * 300
        sent = 0
        try:
            member.peer.stream.settimeout(1)
            for _ in self.stage.paced(self.pace):
                member.send(*record)
                sent += len(record)
        except OSError:
            self.stage.count("closed_by_victim")
        else:
            self.stage.count("still_open_at_the_end")
        self.stage.count("frames_sent", sent)

    def run(self):
        while self.stage.running.is_set():
            self.number += 1
            try:
                member = enter(self.stage, self.number, nickname="deaf", SO_RCVBUF=4_096)
            except (OSError, AssertionError):
                self.stage.pause(0.5)
                continue
            self.press(member)
            member.peer.stream.close()


class Certificates(Flood):
    """Valid certificates of always new identities, 20 in a record."""

    def __init__(self, stage):
        super().__init__(stage, 100)
        self.ready = []
        for _ in range(2_000):
            self.ready.append(bytes([CERTIFICATE]) + issue(Ed25519PrivateKey.generate(), os.urandom(32), now()))

    def frames(self, member, number):
        start = number * 20 % len(self.ready)
        return self.ready[start:start + 20]


class Sealed(Flood):
    """Sealed messages for the victim that do not open: each would cost it a key agreement."""

    def frames(self, member, number):
        to = hashlib.sha256(member.them).digest()[:16]
        return [bytes([SEALED]) + to + os.urandom(16 + 477) for _ in range(8)]


class Offers(Flood):
    """Endless offers of missing history and requests for the victim's history."""

    def frames(self, member, number):
        ids = os.urandom(8 * 300)
        have = struct.pack(">BH", HAVE, 300) + ids
        want = struct.pack(">BH", WANT, 100) + ids[:800]
        return [have, want]


class Presences(Flood):
    """Joins, becomes away and returns with always new nicknames."""

    def frames(self, member, number):
        return [member.payload(PRESENCE, presence(step % 2, f"{number % 1_000_000:06}"))
                for step in range(20)]


class Crowd:
    """Many identities at once, each from an address of its own, that repeat an action at a rate."""

    def __init__(self, stage, count, pace):
        self.stage, self.count, self.pace = stage, count, pace
        self.number = 0
        self.identities = [Ed25519PrivateKey.generate() for _ in range(count)]

    def act(self, member, number):
        pass

    def run(self):
        crowd, drain = [], Drain()
        for identity in self.identities:
            self.number += 1
            if not self.stage.pause(1 / self.pace):
                break
            try:
                member = enter(self.stage, self.number, nickname="many", identity=identity)
            except (OSError, AssertionError):
                self.stage.count("refused")
                continue
            crowd.append((member, drain.add(member)))
            self.stage.count("members")
        for number in self.stage.paced(self.pace):
            if not crowd:
                break
            member, closed = crowd[number % len(crowd)]
            if not closed.is_set():
                try:
                    self.act(member, number)
                except OSError:
                    closed.set()
        for member, closed in crowd:
            self.stage.count("closed_by_victim" if closed.is_set() else "still_open_at_the_end")
            drain.end(member)


class Requests(Crowd):
    """Each sends contact requests repeatedly."""

    def __init__(self, stage):
        super().__init__(stage, 36, 200)

    def run(self):
        self.pace = 18
        super().run()

    def act(self, member, number):
        member.write_to_them(REQUEST, f"may I? {number}")
        self.stage.count("frames_sent")


class Sybils(Crowd):
    """As many members as the victim admits."""

    def __init__(self, stage):
        super().__init__(stage, 320, 19)


class Trickles(Crowd):
    """Members that begin a record and continue with a byte a second."""

    def __init__(self, stage):
        super().__init__(stage, 20, 20)

    def act(self, member, number):
        if not hasattr(member, "begun"):
            member.begun = True
            member.peer.stream.sendall(b"\x02\x10")
        member.peer.stream.sendall(b"\0")


def raw_key(identity):
    return raw(identity.public_key())


ATTACKS = {
    "message-flood": Talkative,
    "message-flood-fresh": Fresh,
    "pings-unread": lambda stage: Pings(stage, 500),
    "certificates": Certificates,
    "sealed-flood": lambda stage: Sealed(stage, 100),
    "false-history": lambda stage: Offers(stage, 200),
    "presence-flood": lambda stage: Presences(stage, 50),
    "requests": Requests,
    "many-members": Sybils,
    "slow-records": Trickles,
}

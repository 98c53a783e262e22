"""Attacks by strangers, which have no key or do not get as far as sending one."""

import os
import selectors

from noise_peer import first_message

FIRST_MESSAGE = 530


class Sockets:
    """Many simultaneous connections, with callbacks for the victim's answers and ends."""

    def __init__(self, stage):
        self.stage = stage
        self.selector = selectors.DefaultSelector()
        self.open = {}

    def add(self, stream, then=None):
        stream.setblocking(False)
        self.open[stream] = then
        self.selector.register(stream, selectors.EVENT_READ)

    def drop(self, stream):
        self.selector.unregister(stream)
        del self.open[stream]
        stream.close()

    def read(self, patience=0.0):
        """Reads the received bytes; counts the connections that the victim closed."""
        for key, _ in self.selector.select(patience):
            stream = key.fileobj
            try:
                data = stream.recv(65_536)
            except OSError:
                data = b""
            if data:
                self.stage.count("answers")
                continue
            self.stage.count("closed_by_victim")
            self.drop(stream)

    def leave(self):
        self.read(0.3)
        for stream in list(self.open):
            self.stage.count("still_open_at_the_end")
            self.drop(stream)
        self.selector.close()


class Flood:
    """Opens connections at a rate, from one address or many; each sends `opening` and stays open."""

    def __init__(self, stage, pace, opening=None, sources=None, closes=False):
        self.stage, self.pace, self.opening, self.sources, self.closes = stage, pace, opening, sources, closes
        self.number = 0

    def run(self):
        sockets = Sockets(self.stage)
        for _ in self.stage.paced(self.pace):
            self.number += 1
            try:
                stream = self.stage.connect(self.sources and self.number % self.sources)
                if self.opening:
                    stream.sendall(self.opening())
            except OSError:
                self.stage.count("not_connected")
                continue
            if self.closes:
                stream.close()
            else:
                sockets.add(stream)
                sockets.read()
        sockets.leave()


class Trickle:
    """A thousand connections that send one byte a second each, and are opened again when closed."""

    COUNT = 1_000

    def __init__(self, stage):
        self.stage, self.number = stage, 0

    def run(self):
        sockets = Sockets(self.stage)
        message = b"\x02\x10" + os.urandom(528)
        sent = {}
        for second in self.stage.paced(1):
            while len(sockets.open) < self.COUNT and self.stage.running.is_set():
                if self.number % self.COUNT == self.COUNT - 1:
                    sockets.read()
                self.number += 1
                try:
                    stream = self.stage.connect(self.number % 5_000)
                except OSError:
                    continue
                sockets.add(stream)
                sent[stream] = 0
                if self.number % self.COUNT == 0:
                    break
            for stream in list(sockets.open):
                try:
                    stream.send(message[sent[stream]:sent[stream] + 1])
                except OSError:
                    pass
                sent[stream] += 1
            sockets.read()
            sent = {stream: count for stream, count in sent.items() if stream in sockets.open}
        sockets.leave()


class Garbage:
    """Invalid lengths and invalid handshakes, from always new addresses."""

    PIECES = [b"\0\0", b"\0\1", b"\2\x0f", b"\2\x11", b"\xff\xff", b"\2\x10" + bytes(528), b"\5\x10" + bytes(1_296),
              b"\x16\x03\x01\x02\x00", b"GET / HTTP/1.1\r\n\r\n"]

    def __init__(self, stage):
        self.stage = stage

    def run(self):
        flood = Flood(self.stage, 15, lambda: self.PIECES[flood.number % len(self.PIECES)] + os.urandom(600), 60_000)
        flood.run()


# One genuine first message, repeated: each time it costs the victim an answer, and the attacker nothing.
REPEATED = first_message()

ATTACKS = {
    "slow-handshakes": Trickle,
    "connect-and-close": lambda stage: Flood(stage, 650, closes=True),
    "connect-and-close-many": lambda stage: Flood(stage, 650, closes=True, sources=60_000),
    "idle-connections": lambda stage: Flood(stage, 50, sources=60_000),
    "handshake-flood-one": lambda stage: Flood(stage, 200, lambda: REPEATED),
    "handshake-flood-many": lambda stage: Flood(stage, 200, lambda: REPEATED, 60_000),
    "garbage": Garbage,
}

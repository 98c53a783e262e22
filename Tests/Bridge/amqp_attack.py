"""An AMQP client that does what a hostile operator of a broker can: listen, repeat, alter, inject and flood."""

import os
import socket
import struct
import time


def short(text):
    return bytes([len(text)]) + text.encode()


class Attack:
    def __init__(self, port, user="guest", password="guest"):
        self.socket = socket.create_connection(("127.0.0.1", port), 20)
        self.buffer = b""
        self.sent = 0
        self.socket.sendall(b"AMQP\0\0\x09\x01")
        self._expect(10, 10)
        login = f"\0{user}\0{password}".encode()
        self._method(0, 10, 11, struct.pack(">I", 0) + short("PLAIN") + struct.pack(">I", len(login)) + login + short("en_US"))
        self._expect(10, 30)
        self._method(0, 10, 31, struct.pack(">HIH", 2047, 131072, 0))
        self._method(0, 10, 40, short("/") + short("") + b"\0")
        self._expect(10, 41)
        self._method(1, 20, 10, short(""))
        self._expect(20, 11)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def listen(self, provoke, at_least):
        """All publications that the broker has after `provoke`, as (routing key, body), up to `at_least` of them."""
        self._method(1, 50, 10, struct.pack(">H", 0) + short("earshot.attacker") + b"\x0c" + struct.pack(">I", 0))
        self._expect(50, 11)
        self._method(1, 50, 20, struct.pack(">H", 0) + short("earshot.attacker") + short("earshot") + short("#") + b"\0" + struct.pack(">I", 0))
        self._expect(50, 21)
        self._method(1, 60, 20, struct.pack(">H", 0) + short("earshot.attacker") + short("") + b"\x02" + struct.pack(">I", 0))
        self._expect(60, 21)
        provoke()
        found = []
        while len(found) < at_least:
            method = self._expect(60, 60)
            at = 1 + method[0] + 9
            at += 1 + method[at]
            key = method[at + 1:at + 1 + method[at]].decode()
            size = struct.unpack(">Q", self._frame(2)[4:12])[0]
            body = b""
            while len(body) < size:
                body += self._frame(3)
            found.append((key, body))
        return found

    def publish(self, key, body):
        self.socket.sendall(self._publication(key, body))

    def flood(self, boxes, seconds):
        """Repeats, alters and invents publications for some seconds, and counts them."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            batch = b""
            for number in range(200):
                key, body = boxes[number % len(boxes)]
                topic = key.rsplit(".", 1)[0] + "." + os.urandom(8).hex()
                kind = number % 3
                if kind == 1:
                    place = number % len(body)
                    body = body[:place] + bytes([body[place] ^ 1]) + body[place + 1:]
                elif kind == 2:
                    body = os.urandom(len(body))
                batch += self._publication(topic, body)
            self.socket.sendall(batch)
            self.sent += 200

    def _publication(self, key, body):
        method = struct.pack(">HHH", 60, 40, 0) + short("earshot") + short(key) + b"\0"
        header = struct.pack(">HHQH", 60, 0, len(body), 0)
        return b"".join(struct.pack(">BHI", kind, 1, len(part)) + part + b"\xce" for kind, part in ((1, method), (2, header), (3, body)))

    def _method(self, channel, kind, number, arguments):
        part = struct.pack(">HH", kind, number) + arguments
        self.socket.sendall(struct.pack(">BHI", 1, channel, len(part)) + part + b"\xce")

    def _frame(self, kind):
        while True:
            while len(self.buffer) < 7 or len(self.buffer) < 8 + struct.unpack(">I", self.buffer[3:7])[0]:
                data = self.socket.recv(65536)
                if not data:
                    raise AssertionError("the broker ended the attacker's connection")
                self.buffer += data
            got, size = self.buffer[0], struct.unpack(">I", self.buffer[3:7])[0]
            part, self.buffer = self.buffer[7:7 + size], self.buffer[8 + size:]
            if got == kind:
                return part

    def _expect(self, kind, number):
        while True:
            part = self._frame(1)
            if struct.unpack(">HH", part[:4]) == (kind, number):
                return part[4:]
            if part[:4] in (b"\0\x0a\0\x32", b"\0\x14\0\x28"):
                raise AssertionError(f"the broker refused: {part[4:]!r}")

"""A minimal AMQP 0-9-1 client: it shares no code with librabbitmq."""

import socket
import struct

PERSISTENT = struct.pack(">HB", 0x1000, 2)


def short(text):
    return bytes([len(text)]) + text.encode()


def table(**entries):
    body = b""
    for name, value in entries.items():
        body += short(name.replace("_", "-"))
        body += b"S" + struct.pack(">I", len(value)) + value.encode() if isinstance(value, str) else b"l" + struct.pack(">q", value)
    return struct.pack(">I", len(body)) + body


class Client:
    """A connection with one channel."""

    def __init__(self, port, user="guest", password="guest", address="127.0.0.1"):
        self.socket = socket.create_connection((address, port), 20)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""
        self.socket.sendall(b"AMQP\0\0\x09\x01")
        self.expect(10, 10)
        login = f"\0{user}\0{password}".encode()
        self.method(0, 10, 11, table() + short("PLAIN") + struct.pack(">I", len(login)) + login + short("en_US"))
        self.expect(10, 30)
        self.method(0, 10, 31, struct.pack(">HIH", 2047, 131072, 0))
        self.method(0, 10, 40, short("/") + short("") + b"\0")
        self.expect(10, 41)
        self.method(1, 20, 10, short(""))
        self.expect(20, 11)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def exchange(self, name):
        """Declares a durable topic exchange."""
        self.method(1, 40, 10, struct.pack(">H", 0) + short(name) + short("topic") + b"\x02" + table())
        self.expect(40, 11)

    def queue(self, name, exchange, key, **arguments):
        """Declares a queue, durable if it has arguments and else of this connection, bound to a key."""
        flags = b"\x02" if arguments else b"\x0c"
        self.method(1, 50, 10, struct.pack(">H", 0) + short(name) + flags + table(**arguments))
        self.expect(50, 11)
        self.method(1, 50, 20, struct.pack(">H", 0) + short(name) + short(exchange) + short(key) + b"\0" + table())
        self.expect(50, 21)

    def consume(self, queue):
        """Consumes without acknowledgements."""
        self.method(1, 60, 20, struct.pack(">H", 0) + short(queue) + short("") + b"\x02" + table())
        self.expect(60, 21)

    def delivery(self):
        """The next delivery, as (routing key, body)."""
        method = self.expect(60, 60)
        at = 1 + method[0] + 9
        at += 1 + method[at]
        key = method[at + 1:at + 1 + method[at]].decode()
        size = struct.unpack(">Q", self.frame(2)[4:12])[0]
        body = b""
        while len(body) < size:
            body += self.frame(3)
        return key, body

    def confirm(self):
        """Has the broker confirm each publication from now on."""
        self.method(1, 85, 10, b"\0")
        self.expect(85, 11)

    def confirmation(self):
        """Waits for a confirmation; the number that it is about."""
        return struct.unpack(">Q", self.expect(60, 80)[:8])[0]

    def publish(self, key, body, exchange="earshot", properties=b"\0\0"):
        self.socket.sendall(self.publication(key, body, exchange, properties))

    @staticmethod
    def publication(key, body, exchange="earshot", properties=b"\0\0"):
        method = struct.pack(">HHH", 60, 40, 0) + short(exchange) + short(key) + b"\0"
        header = struct.pack(">HHQ", 60, 0, len(body)) + properties
        return b"".join(struct.pack(">BHI", kind, 1, len(part)) + part + b"\xce" for kind, part in ((1, method), (2, header), (3, body)))

    def method(self, channel, kind, number, arguments):
        part = struct.pack(">HH", kind, number) + arguments
        self.socket.sendall(struct.pack(">BHI", 1, channel, len(part)) + part + b"\xce")

    def frame(self, kind):
        while True:
            while len(self.buffer) < 7 or len(self.buffer) < 8 + struct.unpack(">I", self.buffer[3:7])[0]:
                data = self.socket.recv(65536)
                if not data:
                    raise AssertionError("the broker ended the connection")
                self.buffer += data
            got, size = self.buffer[0], struct.unpack(">I", self.buffer[3:7])[0]
            part, self.buffer = self.buffer[7:7 + size], self.buffer[8 + size:]
            if got == kind:
                return part

    def expect(self, kind, number):
        while True:
            part = self.frame(1)
            if struct.unpack(">HH", part[:4]) == (kind, number):
                return part[4:]
            if part[:4] in (b"\0\x0a\0\x32", b"\0\x14\0\x28"):
                raise AssertionError(f"the broker refused: {part[4:]!r}")

"""A broker that keeps no rule: it relays bridges to a real broker, and puts junk between what that delivers.

hostile_broker.py PORT: prints the port at which it listens. Each line of its input is a JSON object: `boxes`, the bodies to repeat
and alter in hexadecimal, `seconds`, at most, and `rate`, the junk deliveries a second, or null for as many as the bridge takes; or `end`,
which ends them before that; or `size`, the length of one message that is announced and does not come, on `channel`, 1 by default; or
`hold`, after how many ended readings of the stream deliveries of the queue go on; or `frames`, for how many seconds frames come that are
no part of a message: a line tells of the first, another of the end. It ignores the bridge's prefetch count, and prints how many it has
sent. In a process of its own it does not delay the test that measures.
"""

import contextlib
import json
import os
import select
import socket
import struct
import sys
import threading
import time

from amqp import short

DELIVER, ACKNOWLEDGE, CONSUMING, CANCEL = b"\0\x3c\0\x3c", b"\0\x3c\0\x50", b"\0\x3c\0\x15", b"\0\x3c\0\x1e"
CHUNK = 60


def frame(kind, payload, channel=1):
    return struct.pack(">BHI", kind, channel, len(payload)) + payload + b"\xce"


def frames(source):
    """The frames that come from a socket, each as (kind, channel, payload, bytes)."""
    buffer = b""
    while data := source.recv(262144):
        buffer += data
        at = 0
        while len(buffer) - at >= 7:
            kind, channel, size = struct.unpack_from(">BHI", buffer, at)
            if len(buffer) - at < size + 8:
                break
            yield kind, channel, buffer[at + 7:at + 7 + size], buffer[at:at + 8 + size]
            at += size + 8
        buffer = buffer[at:]


class Relay:
    """One bridge's connection. Deliveries get tags of its own, of which the real broker knows only those of its own deliveries."""

    def __init__(self, client, broker, holds):
        self.client, self.broker, self.holds = client, broker, holds
        self.lock = threading.RLock()
        self.consumer, self.held = "", []
        self.tag, self.real = 0, {}
        greeting = client.recv(8, socket.MSG_WAITALL)
        broker.sendall(greeting)
        for way in (self.down, self.up):
            threading.Thread(target=self.run, args=(way,), daemon=True).start()

    def run(self, way):
        with contextlib.suppress(OSError):
            way()
        for end in (self.client, self.broker):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def down(self):
        message, missing = [], None
        for kind, channel, payload, raw in frames(self.broker):
            if channel == 1 and kind == 1 and payload[:4] == DELIVER:
                message, missing = [payload], None
            elif channel == 1 and kind in (2, 3):
                message.append(raw)
                missing = struct.unpack_from(">Q", payload, 4)[0] if kind == 2 else missing - len(payload)
                if missing == 0:
                    self.deliver(message)
            else:
                if payload[:4] == CONSUMING and channel == 1:
                    self.consumer = payload[5:5 + payload[4]].decode()
                with self.lock:
                    self.client.sendall(raw)

    def deliver(self, message):
        with self.lock:
            self.held.append(message)
            while self.held and self.holds <= 0:
                self.send(self.held.pop(0))

    def send(self, message):
        at = 5 + message[0][4]
        self.tag += 1
        self.real[self.tag] = struct.unpack_from(">Q", message[0], at)[0]
        method = message[0][:at] + struct.pack(">Q", self.tag) + message[0][at + 8:]
        self.client.sendall(frame(1, method) + b"".join(message[1:]))

    def up(self):
        for kind, channel, payload, raw in frames(self.client):
            if channel == 1 and kind == 1 and payload[:4] == ACKNOWLEDGE:
                tag, is_multiple = struct.unpack_from(">QB", payload, 4)
                with self.lock:
                    taken = [own for own in self.real if own == tag or (is_multiple and own < tag)]
                    tags = [self.real.pop(own) for own in taken]
                raw = b"".join(frame(1, ACKNOWLEDGE + struct.pack(">QB", real, 0)) for real in tags)
            if channel == 2 and payload[:4] == CANCEL:
                self.holds -= 1
            self.broker.sendall(raw)

    def flood(self, boxes, seconds, rate):
        """Repeats, alters and invents publications until the next order; the number of them."""
        chunk, places = bytearray(), []
        for number in range(CHUNK):
            body = boxes[number // 4 % len(boxes)]
            if number % 4 == 1:
                body = body[:number] + bytes([body[number] ^ 1]) + body[number + 1:]
            elif number % 4 > 1:
                body = os.urandom(len(body) if number % 4 == 2 else number * 9)
            head = DELIVER + short(self.consumer)
            places.append(len(chunk) + 7 + len(head))
            chunk += frame(1, head + bytes(9) + short("earshot") + short("earshot.junk." + os.urandom(8).hex()))
            chunk += frame(2, struct.pack(">HHQ", 60, 0, len(body)) + b"\0\0") + (frame(3, body) if body else b"")
        began, sent = time.monotonic(), 0
        while (elapsed := time.monotonic() - began) < seconds and not select.select([sys.stdin], [], [], 0)[0]:
            if rate and sent > elapsed * rate:
                time.sleep(0.001)
                continue
            with self.lock:
                for number, place in enumerate(places):
                    struct.pack_into(">Q", chunk, place, self.tag + 1 + number)
                self.tag += CHUNK
                self.client.sendall(chunk)
            sent += CHUNK
        return sent

    def drown(self, seconds):
        chunk, ends = frame(3, b"-") * 100_000, time.monotonic() + seconds
        with self.lock:
            self.client.sendall(chunk)
        print(flush=True)
        while time.monotonic() < ends:
            with self.lock:
                self.client.sendall(chunk)

    def announce(self, size, channel):
        with self.lock:
            self.tag += 1
            method = DELIVER + short(self.consumer) + struct.pack(">QB", self.tag, 0) + short("earshot") + short("earshot.junk.0")
            head = struct.pack(">HHQ", 60, 0, size) + b"\0\0"
            self.client.sendall(frame(1, method, channel) + frame(2, head, channel))


def main(target):
    server = socket.create_server(("127.0.0.1", 0))
    print(server.getsockname()[1], flush=True)
    relays, holds = [], [0]

    def accept():
        while True:
            pair = server.accept()[0], socket.create_connection(("127.0.0.1", int(target)))
            for end in pair:
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            relays.append(Relay(*pair, holds[0]))

    threading.Thread(target=accept, daemon=True).start()
    for line in sys.stdin:
        order = json.loads(line)
        if "hold" in order:
            holds[0] = order["hold"]
            print(flush=True)
        elif "size" in order:
            relays[-1].announce(order["size"], order.get("channel", 1))
        elif "frames" in order:
            relays[-1].drown(order["frames"])
            print(flush=True)
        elif "boxes" in order:
            print(relays[-1].flood([bytes.fromhex(box) for box in order["boxes"]], order["seconds"], order["rate"]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

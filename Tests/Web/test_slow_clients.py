"""Attack on the hub that all servers share: clients of every kind that read nothing, among others that read all
(Docs/Architecture.md, "The clients of servers")."""

import json
import os
import socket
import threading
import time
import unittest

import websocket
from earshot_node import HAS_SANITIZER
from web import WebTest

# 3 kB in a text of allowed length: each message fills a record.
LONG = ("a" + "\u20d0" * 4) * 230
MESSAGES = 2_200
OF_A_KIND = 2
# The kinds of clients, by the counter of those that were let go.
KINDS = {"web_dropped": ("page", "events", "stomp_socket", "socketio"), "stomp_dropped": ("stomp",),
         "control_tails_dropped": ("tail",)}


class SlowClients(WebTest):
    def setUp(self):
        super().setUp()
        self.alice = self.served("alice", *self.control(), "--stomp", "0")
        place = self.alice.node.wait(lambda event: event["event"] == "listening" and event["face"] == "stomp", "listening")
        self.stomp_port = int(place["address"].rsplit(":", 1)[1])
        self.bob = self.person("bob", self.alice)

    def stream(self, client, address, data, until=b""):
        """A client that gets a stream of bytes, and has read its beginning, up to these bytes."""
        self.addCleanup(client.close)
        client.settimeout(60)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        client.connect(address)
        client.sendall(data)
        told = client.recv(4_096)
        while until not in told:
            told += client.recv(4_096)
        return client

    def web_socket(self, path, protocols=None):
        client = websocket.create_connection(f"ws://127.0.0.1:{self.alice.port}{path}", timeout=60, subprotocols=protocols,
                                             sockopt=[(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)])
        self.addCleanup(client.shutdown)
        return client

    def stomp_frames(self):
        return (f"CONNECT\naccept-version:1.2\nhost:x\npasscode:{self.alice.token}\n\n\0",
                "SUBSCRIBE\nid:1\ndestination:/channel/lobby\nreceipt:1\n\n\0")

    def page(self):
        client = self.web_socket("/api/v1/socket", ["earshot.v1", f"t.{self.alice.token}"])
        while json.loads(client.recv()).get("more"):
            pass
        return client

    def events(self):
        head = (f"GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1:{self.alice.port}\r\n"
                f"Authorization: Bearer {self.alice.token}\r\n\r\n")
        return self.stream(socket.socket(), ("127.0.0.1", self.alice.port), head.encode())

    def stomp_socket(self):
        client = self.web_socket("/stomp", ["v12.stomp"])
        for frame in self.stomp_frames():
            client.send(frame)
            self.assertNotIn("ERROR", client.recv())
        return client

    def socketio(self):
        client = self.web_socket("/socket.io/?EIO=4&transport=websocket")
        client.recv()
        client.send(f'40{{"token":"{self.alice.token}"}}')
        self.assertTrue(client.recv().startswith("40"))
        return client

    def stomp(self):
        frames = "".join(self.stomp_frames()).encode()
        return self.stream(socket.socket(), ("127.0.0.1", self.stomp_port), frames, until=b"RECEIPT")

    def tail(self):
        return self.stream(socket.socket(socket.AF_UNIX), self.control()[1], b"tail\n")

    def read(self, client, progress, kind):
        """Reads all messages, and fails unless each is there once and in its order."""
        told, number = b"", 0
        while number < MESSAGES:
            part = client.recv() if isinstance(client, websocket.WebSocket) else client.recv(1 << 20)
            self.assertTrue(part, f"the end behind {number} messages")
            # A ping of Engine.IO.
            if part == "2":
                client.send("3")
            told += part if isinstance(part, bytes) else part.encode()
            while (place := told.find(f"<{number:04}>".encode())) >= 0:
                told, number = told[place + 6:], number + 1
                progress[kind] = number
            self.assertNotIn(f"<{number + 1:04}>".encode(), told)

    def readers(self):
        """Clients of each kind that read, each in a thread; their failures, and how many messages each has read."""
        failures, progress = [], dict.fromkeys(sum(KINDS.values(), ()), 0)

        def read(kind, client):
            try:
                self.read(client, progress, kind)
            except BaseException as failure:  # noqa: BLE001
                failures.append((kind, failure))

        threads = []
        for kind in sum(KINDS.values(), ()):
            thread = threading.Thread(target=read, args=(kind, getattr(self, kind)()))
            thread.start()
            self.addCleanup(thread.join)
            threads.append(thread)
        return threads, failures, progress

    def test_clients_of_every_kind_that_read_nothing_end_and_the_others_miss_nothing(self):
        threads, failures, progress = self.readers()
        slow = {kind: [getattr(self, kind)() for _ in range(OF_A_KIND)] for kind in sum(KINDS.values(), ())}
        before = self.alice.node.result("stats")
        for number in range(MESSAGES):
            self.bob.say(f"<{number:04}>{LONG[:-6]}")
            # No reader is far behind, however slow the machine is.
            while number % 100 == 99 and not failures and min(progress.values()) < number - 100:
                time.sleep(0.01)
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        counters = self.alice.node.result("stats")
        for name, kinds in KINDS.items():
            # A client of Socket.IO that reads nothing answers no ping either, and may end for that.
            sure = OF_A_KIND * sum(kind != "socketio" for kind in kinds)
            self.assertIn(counters[name] - before[name], range(sure, OF_A_KIND * len(kinds) + 1), name)
        if not HAS_SANITIZER:
            self.assertLess(counters["resident_bytes"] - before["resident_bytes"], 200_000_000)
        self.assertEqual(self.alice.ask("GET", "/api/v1/me")[0], 200)

    def test_a_text_that_is_over_reaches_no_client_that_reads_late(self):
        slow = {kind: getattr(self, kind)() for kind in sum(KINDS.values(), ())}
        mark = os.urandom(8).hex()
        # More than the system keeps for a client.
        for number in range(1_800):
            self.bob.say(f"<{number:04}>{mark}{LONG[:-150]}")
            if number % 100 == 99:
                self.alice.node.hears(f"<{number:04}>{mark}{LONG[:-150]}")
        self.alice.node.result("wipe now")
        self.alice.node.say("the end")
        self.alice.node.hears("the end")
        for kind, client in slow.items():
            told, deadline = "", time.monotonic() + 60
            while "the end" not in told:
                self.assertLess(time.monotonic(), deadline, kind)
                try:
                    part = client.recv() if isinstance(client, websocket.WebSocket) else client.recv(1 << 20)
                except (websocket.WebSocketException, ConnectionError):
                    break
                # A client that has got a part of a text ends.
                if not part:
                    break
                told += part if isinstance(part, str) else part.decode(errors="replace")
            self.assertIn(f"<0000>{mark}", told, kind)
            self.assertNotIn(f"<1799>{mark}", told, kind)


if __name__ == "__main__":
    unittest.main()

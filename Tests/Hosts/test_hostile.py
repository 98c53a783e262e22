"""Strangers that send malformed data to a node on loopback while it chats."""

import base64
import contextlib
import random
import sys
import time
import unittest
from pathlib import Path

from earshot_node import Node, all_meet, on
from hosts import Hosts

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Interop"))

from noise_peer import first_message  # noqa: E402

FORWARDER = r"""
import socket, sys, base64
port, payloads = int(sys.argv[1]), [base64.b64decode(a) for a in sys.argv[2:]]
peer = socket.create_connection(("127.0.0.1", port), timeout=10)
for payload in payloads:
    if payload:
        peer.sendall(payload)
got = b""
try:
    while True:
        piece = peer.recv(65536)
        if not piece:
            break
        got += piece
except ConnectionResetError:
    pass
except socket.timeout:
    got = b"still open"
print(len(got) if got != b"still open" else -1)
"""


class Hostile(unittest.TestCase):
    """All tests run on a host that has only loopback."""

    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        cls.hosts = cls.stack.enter_context(Hosts(1, daemon=False, card=False))
        cls.nodes = [Node(on(cls.hosts, 1), name) for name in ("alice", "bob")]
        all_meet(cls.nodes)

    @classmethod
    def tearDownClass(cls):
        cls.stack.close()

    def attack(self, *payloads):
        """Sends the bytes and reads to the end; the number of bytes received, -1 if the node did not close."""
        argv = ["python3", "-c", FORWARDER, str(self.nodes[0].ready()["port"])]
        return int(self.hosts.run(1, argv + [base64.b64encode(p).decode() for p in payloads], timeout=30))

    def counter(self, name):
        return self.nodes[0].result("stats")[name]

    def counted(self, name, *payloads):
        """The increase of a counter by an attack, and the number of bytes received."""
        before = self.counter(name)
        answer = self.attack(*payloads)
        return self.counter(name) - before, answer

    def assert_nobody_noticed(self):
        text = f"still here {time.monotonic_ns()}"
        self.nodes[0].say(text)
        self.nodes[1].hears(text)

    def test_garbage_of_any_length_is_refused_and_counted(self):
        source = random.Random(1)
        for _ in range(4):
            moved, answer = self.counted("link_illegal_length", b"\xff" + source.randbytes(5000))
            self.assertEqual((moved, answer), (1, 0))
        self.assert_nobody_noticed()

    def test_every_illegal_length_is_refused_before_more_is_read(self):
        for length in (0, 1, 527, 529, 65535):
            moved, answer = self.counted("link_illegal_length", length.to_bytes(2, "big"))
            self.assertEqual((moved, answer), (1, 0), length)
        self.assert_nobody_noticed()

    def test_a_record_size_that_is_legal_but_no_handshakes_is_refused(self):
        moved, answer = self.counted("link_illegal_length", (1296).to_bytes(2, "big") + bytes(1296))
        self.assertEqual((moved, answer), (1, 0))

    def test_a_first_message_of_another_room_and_a_random_one_are_refused_without_an_answer(self):
        for first in (first_message("attic"), (528).to_bytes(2, "big") + random.Random(3).randbytes(528)):
            moved, answer = self.counted("link_handshake_failed", first)
            self.assertEqual((moved, answer), (1, 0))
        self.assert_nobody_noticed()

    def test_a_forged_third_message_is_refused(self):
        source = random.Random(2)
        third = (528).to_bytes(2, "big") + source.randbytes(528)
        moved, answer = self.counted("link_handshake_failed", first_message(), third)
        self.assertEqual(moved, 1)
        # The answer to the first message may still be waiting when the second one ends the link.
        self.assertIn(answer, (0, 530))
        self.assert_nobody_noticed()

    def test_a_silent_connection_is_closed_after_two_seconds(self):
        begin = time.monotonic()
        moved, answer = self.counted("link_handshake_timeout", b"")
        self.assertEqual((moved, answer), (1, 0))
        self.assertLess(time.monotonic() - begin, 6)
        self.assert_nobody_noticed()

    def test_a_connection_that_stops_within_a_message_is_closed(self):
        moved, answer = self.counted("link_handshake_timeout", (528).to_bytes(2, "big") + bytes(100))
        self.assertEqual((moved, answer), (1, 0))
        self.assert_nobody_noticed()


if __name__ == "__main__":
    unittest.main()

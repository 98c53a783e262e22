"""Private rooms against peers with and without their key, and guesses at a pass phrase from a recording."""

import contextlib
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Support"))

import room_keys  # noqa: E402
from cryptography.exceptions import InvalidTag  # noqa: E402
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey  # noqa: E402
from earshot_node import BINARY, Node  # noqa: E402
from noise_peer import MESSAGE, Peer, Room, handshake  # noqa: E402
from stranger import PRESENCE, PUBLIC, Stranger  # noqa: E402

PHRASE = "correct horse battery"


class PrivateRooms(unittest.TestCase):
    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.stack = stack
        self.folder = stack.enter_context(tempfile.TemporaryDirectory())

    def new_key(self):
        return subprocess.run([BINARY, "room", "new", "kitchen"], capture_output=True, check=True, text=True).stdout

    def node(self, key, *options):
        path = os.path.join(self.folder, "key")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(key)
        node = Node(subprocess.Popen, "native", "--discovery", "none", "--room", "kitchen", "--key-file", path, *options)
        self.stack.callback(node.process.wait)
        self.stack.callback(node.kill)
        self.stack.callback(node.process.stdin.close)
        return node

    def connect(self, node):
        return self.stack.enter_context(socket.create_connection(("127.0.0.1", node.ready()["port"]), timeout=20))

    def called(self, key):
        """The connection of a node that calls this process, and the port."""
        server = self.stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        server.settimeout(20)
        node = self.node(key, "--peer", f"127.0.0.1:{server.getsockname()[1]}")
        stream = self.stack.enter_context(server.accept()[0])
        stream.settimeout(20)
        return node, stream

    def test_a_peer_that_has_the_words_talks(self):
        key = self.new_key()
        node = self.node(key)
        member = Stranger("initiator", self.connect(node), room=room_keys.of_words("kitchen", key))
        self.assertEqual(member.hear(PRESENCE).author.hex(), node.key)
        self.assertEqual(node.ready()["room"], "kitchen")
        member.say_publicly("from another program")
        node.hears("from another program")

    def test_a_peer_that_has_the_pass_phrase_talks_in_either_role(self):
        # Before the connection, because the phrase takes longer than a handshake may on a busy machine.
        room = room_keys.of_phrase("kitchen", PHRASE)
        node, stream = self.called(PHRASE + "\n")
        member = Stranger("responder", stream, room=room)
        member.hear(PRESENCE)
        node.say("here as well")
        self.assertTrue(member.hear(PUBLIC).body.endswith(b"here as well"))

    def test_a_key_file_that_an_editor_or_a_note_has_changed_is_the_same_key(self):
        key = self.new_key()
        for text in ("\ufeff" + key, "# kitchen, since May\n\n" + key, key.strip() + "\r\n", key.replace("-", "\u2011"),
                     key.replace("-", "\u00a0 "), "\ufeff#\r\n" + key.upper()):
            node = self.node(text)
            Stranger("initiator", self.connect(node), room=room_keys.of_words("kitchen", key)).hear(PRESENCE)
            Stranger("initiator", self.connect(node), room=room_keys.of_words("kitchen", text.split("\n")[-2])).hear(PRESENCE)
        # Before the connection, because the phrase takes longer than a handshake may on a busy machine.
        room = room_keys.of_phrase("kitchen", PHRASE)
        node = self.node("\ufeff# a phrase\ncorrect\u00a0horse   battery \r\n")
        Stranger("initiator", self.connect(node), room=room).hear(PRESENCE)
        node = self.node("#kitchen\n" + key)
        self.assertEqual(node.process.wait(timeout=20), 1)

    def strangers(self):
        return [Room("kitchen"), Room("kitchen", bytes(31) + b"\1"), Room("lobby")]

    def test_a_caller_without_the_key_gets_no_byte(self):
        node = self.node(self.new_key())
        for count, room in enumerate(self.strangers(), 1):
            peer = Peer("initiator", self.connect(node), room)
            peer.say(bytes(480))
            self.assertEqual(read_to_the_end(peer.stream), b"")
            self.assertEqual(node.result("stats")["link_handshake_failed"], count)

    def test_a_stranger_that_is_called_has_nothing_to_decrypt_and_can_not_answer(self):
        node, stream = self.called(self.new_key())
        (length,) = struct.unpack(">H", stream.recv(2, socket.MSG_WAITALL))
        first = stream.recv(length, socket.MSG_WAITALL)
        self.assertEqual(len(first), MESSAGE)
        for room in self.strangers():
            with self.assertRaises(InvalidTag):
                handshake("responder", X25519PrivateKey.generate(), room).read_message(first)
        # An answer under the open room's key, to its own first message.
        caller = handshake("initiator", X25519PrivateKey.generate(), Room("kitchen"))
        answerer = handshake("responder", X25519PrivateKey.generate(), Room("kitchen"))
        answerer.read_message(bytes(caller.write_message(bytes(480))))
        stream.sendall(struct.pack(">H", MESSAGE) + bytes(answerer.write_message(bytes(432))))
        self.assertEqual(read_to_the_end(stream), b"")
        self.assertEqual(node.result("stats")["link_handshake_failed"], 1)

    def test_a_recorded_handshake_tells_the_right_guess_of_a_pass_phrase_and_no_other(self):
        _, stream = self.called(PHRASE)
        stream.recv(2, socket.MSG_WAITALL)
        first = stream.recv(MESSAGE, socket.MSG_WAITALL)
        begin = time.monotonic()
        guesses = ["correct horse batter", "Correct horse battery", PHRASE, "incorrect horse"]
        right = [guess for guess in guesses if opens(room_keys.of_phrase("kitchen", guess), first)]
        print(f"a guess takes {(time.monotonic() - begin) / len(guesses):.2f} s", file=sys.stderr)
        self.assertEqual(right, [PHRASE])
        self.assertFalse(opens(room_keys.of_phrase("attic", PHRASE), first))


def opens(room, first):
    """Whether a room's key opens a recorded first message."""
    try:
        handshake("responder", X25519PrivateKey.generate(), room).read_message(first)
        return True
    except InvalidTag:
        return False


def read_to_the_end(stream):
    data = b""
    with contextlib.suppress(ConnectionResetError):
        while piece := stream.recv(65_536):
            data += piece
    return data


if __name__ == "__main__":
    unittest.main()

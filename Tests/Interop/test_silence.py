"""A refused peer learns no reason: the node sends identical bytes for all reasons (Docs/Protocol.md section 3)."""

import os
import resource
import socket
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Support"))

from called_node import CalledNode  # noqa: E402
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: E402
from noise_peer import Peer, issue  # noqa: E402
from stranger import Stranger, now  # noqa: E402

MESSAGE = 530


class Silence(CalledNode):
    options = ()

    def answers(self, identity=None, third=None):
        """The bytes received in a handshake as initiator; `third` makes the payload of its last message."""
        peer = Peer("initiator", self.connect())
        peer.identity = identity or peer.identity
        peer.say(bytes(480))
        first = peer.stream.recv(MESSAGE, socket.MSG_WAITALL)
        bytes(peer.noise.read_message(first[2:]))
        certificate = third(peer) if third else issue(peer.identity, peer.static_public, now())
        message = peer.noise.write_message(certificate.ljust(464, b"\0"))
        peer.write(bytes(528) if third is forged else message)
        rest = b""
        try:
            while piece := peer.stream.recv(65_536):
                rest += piece
        except ConnectionResetError:
            pass
        return len(first), len(rest)

    def test_a_false_tag_a_foreign_certificate_and_being_blocked_look_the_same(self):
        blocked = Ed25519PrivateKey.generate()
        Stranger("initiator", self.connect(), identity=blocked)
        number = self.node.wait(lambda event: event["event"] == "peer", "a stranger")["who"]["number"]
        self.node.result(f"block {number}")
        nothing_more = (MESSAGE, 0)
        self.assertEqual(self.answers(third=forged), nothing_more)
        self.assertEqual(self.answers(third=of_somebody_else), nothing_more)
        self.assertEqual(self.answers(third=for_another_key), nothing_more)
        self.assertEqual(self.answers(identity=blocked), nothing_more)
        stats = self.node.result("stats")
        self.assertEqual((stats["link_handshake_failed"], stats["link_bad_certificate"]), (1, 2))

    def test_the_memory_of_the_process_is_written_nowhere_when_it_ends(self):
        self.node.ready()
        limits = resource.prlimit(self.node.process.pid, resource.RLIMIT_CORE)
        self.assertEqual(limits, (0, 0))


def forged(peer):
    return bytes(178)


def of_somebody_else(peer):
    return issue(Ed25519PrivateKey.generate(), os.urandom(32), now())


def for_another_key(peer):
    return issue(peer.identity, os.urandom(32), now())


if __name__ == "__main__":
    unittest.main()

"""Sealed direct messages and certificates (Docs/Protocol.md sections 8 and 9), from a peer that shares no code."""

import hashlib
import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Support"))

from called_node import CalledNode  # noqa: E402
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: E402
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey  # noqa: E402
from noise.connection import Keypair, NoiseConnection  # noqa: E402
from noise_peer import issue, raw  # noqa: E402
from stranger import GOODBYE, PONG, REQUEST, Payload, direct_frame, direct_key, now  # noqa: E402

CERTIFICATE, SUPERSEDED, SEALED = 2, 8, 9
FRAMES = (510, 1278, 4094)


class Author:
    """An author without a link to the node, which only a relay has."""

    def __init__(self, room):
        self.identity = Ed25519PrivateKey.generate()
        self.me, self.room, self.epoch = raw(self.identity.public_key()), room, now()
        self.dm = X25519PrivateKey.generate()
        self.certificate = issue(self.identity, os.urandom(32), self.epoch, self.dm)

    def seal(self, target, text, key=None):
        """A frame 9 with a contact request, sealed for the owner of a certificate; `key` is another than theirs, for forgeries."""
        peer, dm_key, dm_id = target[2:34], target[66:98], os.urandom(16)
        body = peer + b"\x06author" + text.encode()
        signed = Payload.HEADER.pack(self.room, self.me, self.epoch, 1, now(), REQUEST, len(body)) + body
        key = key or direct_key(self.dm, self.certificate, target)
        inside = self.certificate + direct_frame(signed, key, self.certificate, target)[1:]
        size = next(size for size in FRAMES if size >= 1 + 32 + 48 + len(inside))
        noise = NoiseConnection.from_name(b"Noise_N_25519_ChaChaPoly_SHA256")
        noise.set_as_initiator()
        noise.set_keypair_from_public_bytes(Keypair.REMOTE_STATIC, bytes(dm_key))
        noise.set_prologue(b"earshot/3 dm\0" + peer + dm_id)
        noise.start_handshake()
        message = bytes(noise.write_message(inside.ljust(size - 1 - 32 - 48, b"\0")))
        return bytes([SEALED]) + hashlib.sha256(peer).digest()[:16] + dm_id + message


class Sealed(CalledNode):
    def test_a_message_sealed_by_its_author_is_shown_as_the_author_s(self):
        relay = self.stranger()
        author = Author(relay.peer.room)
        relay.send(author.seal(relay.peer.their_certificate, "from beyond the relay"))
        request = self.node.wait(lambda event: event["event"] == "request", "a request")
        self.assertEqual((request["text"], request["from"]["key"]), ("from beyond the relay", author.me.hex()))

    def test_a_sealed_message_for_another_node_is_dropped_and_the_relay_stays(self):
        relay = self.stranger()
        frame = bytearray(Author(relay.peer.room).seal(relay.peer.their_certificate, "spoiled"))
        frame[-1] ^= 1
        relay.send(bytes(frame))
        relay.send(Author(relay.peer.room).seal(relay.peer.certificate, "for somebody else"))
        relay.say_publicly("all is well")
        self.node.hears("all is well")

    def test_an_older_certificate_is_answered_with_the_newer_and_goodbye(self):
        later = self.stranger()
        self.assertEqual(later.hear(type=PONG), bytes(8))
        earlier = self.stranger(identity=later.peer.identity, epoch=later.epoch - 1)
        self.assertEqual(earlier.hear(type=SUPERSEDED), later.peer.certificate)
        self.assertEqual(earlier.hear(type=GOODBYE), b"\x02")
        later.say_publicly("I am still here")
        self.node.hears("I am still here")

    def test_a_better_certificate_takes_over(self):
        earlier = self.stranger()
        self.assertEqual(earlier.hear(type=PONG), bytes(8))
        later = self.stranger(identity=earlier.peer.identity, epoch=earlier.epoch + 1)
        self.assertEqual(earlier.hear(type=SUPERSEDED), later.peer.certificate)
        self.assertEqual(earlier.hear(type=GOODBYE), b"\x02")
        later.say_publicly("I took over")
        self.node.hears("I took over")

    def test_a_higher_epoch_is_taken_over_on_the_link(self):
        stranger = self.stranger()
        stranger.say_publicly("before")
        self.node.hears("before")
        stranger.epoch += 5
        certificate = issue(stranger.peer.identity, stranger.peer.static_public, stranger.epoch)
        stranger.send(bytes([CERTIFICATE]) + certificate)
        stranger.say_publicly("after")
        self.node.hears("after")


if __name__ == "__main__":
    unittest.main()

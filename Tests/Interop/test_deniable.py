"""A direct conversation proves nothing to a third party (Docs/Protocol.md section 8): its receiver can make all of it."""

import hashlib
import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Support"))

from called_node import CalledNode  # noqa: E402
from cryptography.exceptions import InvalidSignature  # noqa: E402
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey  # noqa: E402
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey  # noqa: E402
from noise_peer import CERTIFICATE, DOMAIN, raw  # noqa: E402
from stranger import ACCEPT, DIRECT, FOR_ONE, REQUEST, Payload, direct_frame, direct_key, now  # noqa: E402
from test_sealed import Author  # noqa: E402


class Judge:
    """A third party that gets all that the receiver of a conversation can show, its secret dm key too."""

    def __init__(self, author, receiver, dm):
        self.author, self.receiver = author, receiver
        for certificate in (author, receiver):
            key = Ed25519PublicKey.from_public_bytes(certificate[2:34])
            key.verify(certificate[114:], DOMAIN + certificate[:114])
        assert raw(dm.public_key()) == receiver[66:98]
        self.key = direct_key(dm, receiver, author)

    def reads(self, room, frames):
        """The texts of a transcript in which every check passes; an AssertionError for another."""
        texts, numbers, ids = [], [], set()
        for frame in frames:
            assert frame[0] == FOR_ONE
            payload = Payload(frame[1:], self.key)
            assert payload.room == room and payload.author == self.author[2:34]
            assert payload.epoch == CERTIFICATE.unpack(self.author[:114])[5]
            assert payload.serials == bytes([self.author[113], self.receiver[113]])
            assert payload.kind == DIRECT and payload.body[:32] == self.receiver[2:34]
            assert abs(payload.time - now()) < 300_000
            numbers.append(payload.seq)
            ids.add(payload.id)
            texts.append(payload.named_text(32)[1])
        assert numbers == sorted(set(numbers)) and len(ids) == len(frames)
        return texts


class Deniable(CalledNode):
    def converse(self, *texts):
        """A member that the node has written texts to, and the frames that brought them."""
        member = self.stranger(nickname="receiver")
        member.write_to_them(REQUEST, "a word?")
        request = self.node.wait(lambda event: event["event"] == "request", "a request")
        self.node.say(f"/accept {request['from']['number']}")
        member.hear(ACCEPT)
        frames = []
        for text in texts:
            self.node.say(f"/msg {request['from']['number']} {text}")
            signed = member.hear(DIRECT).signed
            frames.append(direct_frame(signed, member.key(), member.peer.their_certificate, member.peer.certificate))
        return member, frames

    def test_the_receiver_writes_words_of_the_other_s_and_every_check_of_a_third_party_passes(self):
        member, genuine = self.converse("I saw it", "but I say no more")
        theirs, own = member.peer.their_certificate, member.peer.certificate
        judge = Judge(theirs, own, member.peer.dm)
        self.assertEqual(judge.reads(member.peer.room, genuine), ["I saw it", "but I say no more"])

        def invent(seq, text):
            body = member.me + b"\x06native\0" + text.encode()
            return Payload.HEADER.pack(member.peer.room, member.them, member.their_epoch, seq, now(), DIRECT, len(body)) + body

        last = Payload(genuine[-1][1:], member.key()).seq
        words = ["I did it", "and I would do it again"]
        forged = [direct_frame(invent(last + 1 + place, text), member.key(), theirs, own) for place, text in enumerate(words)]
        self.assertEqual(judge.reads(member.peer.room, genuine + forged), ["I saw it", "but I say no more", *words])

    def test_a_direct_payload_carries_no_signature(self):
        member, _ = self.converse()
        self.node.say("/msg receiver not signed")
        seen = []
        while not any(frame[0] == FOR_ONE for frame in seen):
            seen = list(member.frames())
        frame = next(frame for frame in seen if frame[0] == FOR_ONE)
        payload = Payload(frame[1:], member.key())
        # Type, two bytes of serials, the header, the body and 32 bytes: there is room for nothing else.
        self.assertEqual(len(frame), 1 + 2 + 75 + len(payload.body) + 32)
        key = Ed25519PublicKey.from_public_bytes(member.them)
        for domain in (b"", b"earshot/2 payload\0", b"earshot/3 payload\0"):
            with self.assertRaises(InvalidSignature):
                key.verify(frame[-64:], domain + payload.signed)
        # It is as long as a public message with the same text: the record tells nothing either.
        self.assertEqual(len(frame), len(member.payload(1, b"\0\x06native\0not signed")))

    def test_without_a_dm_key_nothing_can_be_forged_to_the_receiver(self):
        relay, author = self.stranger(), None
        author = Author(relay.peer.room)
        victim = relay.peer.their_certificate
        stranger = X25519PrivateKey.generate()
        # All keys that a member can derive of both certificates and dm keys of its own.
        keys = [os.urandom(32), direct_key(stranger, author.certificate, victim),
                direct_key(relay.peer.dm, relay.peer.certificate, victim),
                hashlib.blake2b(b"earshot/3 direct\0" + author.certificate + victim, digest_size=32).digest()]
        for number, key in enumerate(keys):
            relay.send(author.seal(victim, f"forged {number}", key=key))
        relay.say_publicly("all is well")
        self.node.hears("all is well")
        self.assertEqual(self.node.result("stats")["dropped_false_mac"], len(keys))
        relay.send(author.seal(victim, "genuine"))
        request = self.node.wait(lambda event: event["event"] == "request", "a request")
        self.assertEqual((request["text"], request["from"]["key"]), ("genuine", author.me.hex()))

    def test_a_false_mac_on_its_author_s_own_link_is_counted_and_the_link_stays(self):
        member = self.stranger()
        body = member.them + member.nickname + b"\x00forged"
        member.send(member.payload(REQUEST, body, key=os.urandom(32)))
        member.send(b"\x10" + os.urandom(20))
        # A signature of one's own is none for one peer.
        signed = member.header(REQUEST, body, member.me) + body
        member.send(b"\x01\x00" + signed + member.peer.identity.sign(b"earshot/3 payload\0" + signed))
        member.say_publicly("still here")
        self.node.hears("still here")
        counters = self.node.result("stats")
        told = tuple(counters["dropped_" + name] for name in ("false_mac", "malformed", "misdirected"))
        self.assertEqual(told, (1, 1, 1))
        self.assertEqual([event["event"] for event in self.node.events if event["event"] == "request"], [])

    def test_a_conversation_goes_on_under_a_new_dm_key(self):
        member, _ = self.converse("before")
        old = member.payload(DIRECT, member.them + member.nickname + b"\x00under the key before")
        member.send(old)
        self.node.hears("under the key before")
        member.renew_certificate()
        member.say(DIRECT, member.them + member.nickname + b"\x00under the new key")
        self.node.hears("under the new key")
        self.node.say("/msg receiver after")
        self.assertEqual(member.hear(DIRECT).named_text(32)[1], "after")
        # Said before the certificate changed, and sent behind it.
        member.send(old)
        member.say_publicly("that was all")
        self.node.hears("that was all")
        self.assertEqual(self.node.result("stats")["dropped_false_mac"], 1)

    def test_a_thief_of_an_identity_s_key_alone_writes_nothing_in_its_name(self):
        relay = self.stranger()
        author = Author(relay.peer.room)
        thief = Author(relay.peer.room)
        # The certificate is the author's, the MAC is under a dm key that the thief has.
        thief.identity, thief.me, thief.certificate, thief.epoch = (
            Ed25519PrivateKey.generate(), author.me, author.certificate, author.epoch)
        relay.send(thief.seal(relay.peer.their_certificate, "in another's name"))
        relay.say_publicly("all is well")
        self.node.hears("all is well")
        self.assertEqual(self.node.result("stats")["dropped_false_mac"], 1)


if __name__ == "__main__":
    unittest.main()

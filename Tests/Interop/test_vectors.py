"""The worked example in Docs/Protocol.md section 12, computed from the text alone, with libraries of other authors."""

import base64
import hashlib
import hmac
import re
import struct
import unittest
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
import room_keys
from noise.connection import Keypair, NoiseConnection

DOCUMENT = Path(__file__).resolve().parents[2] / "Docs" / "Protocol.md"
EPOCH = 1_790_000_000_000
SERIAL = 1
WORDS = "abide-amend-leader-amend-exempt-afford-bring-cymbal"
NICKNAME, TEXT = "quiet-otter", "안녕"


def derived(purpose, name=b"lobby", secret=bytes(32)):
    """The value that nodes of a room derive from its secret, which is zeros for an open room (section 3)."""
    return hmac.digest(secret, b"earshot/3 " + purpose + b"\0" + name, "sha256")


def public(key):
    return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def secret(first):
    """32 bytes with ascending values."""
    return bytes(range(first, first + 32))


def certificate(identity, noise, dm):
    signed = struct.pack(">BB32s32s32sQQ", 3, 0, public(identity), public(noise), public(dm), EPOCH, SERIAL)
    return signed + identity.sign(b"earshot/3 session\0" + signed)


def instance(noise, salt):
    mark = hashlib.blake2b(public(noise) + salt, digest_size=16, person=b"earshot/3 name").digest()[:8]
    return base64.b32encode(salt + mark).decode().lower().rstrip("=")


def side(role, static, ephemeral, room):
    noise = NoiseConnection.from_name(b"Noise_XXpsk0_25519_ChaChaPoly_SHA256")
    (noise.set_as_initiator if role == "initiator" else noise.set_as_responder)()
    noise.set_keypair_from_private_bytes(Keypair.STATIC, static)
    noise.set_keypair_from_private_bytes(Keypair.EPHEMERAL, ephemeral)
    noise.set_psks(derived(b"psk"))
    noise.set_prologue(b"earshot/3\0" + room)
    noise.start_handshake()
    return noise


def overlay(alice, bob, message):
    """The frames 10 to 15 of section 5."""
    addresses = (bytes([4, 192, 0, 2, 1]), bytes([6, 0xFE, 0x80]) + bytes(13) + b"\x01")
    contacts = [peer + address + port for peer, address, port in zip((alice, bob), addresses, (b"\x12\x34", b"\x56\x78"))]
    frames = {
        "tree.hello": struct.pack(">BBBBBH", 10, 0, 1, 1, 0x0F, 128),
        "tree.graft": struct.pack(">BBBB8s", 10, 1, 3, 1, bytes(range(8))),
        "tree.prune": struct.pack(">BBB", 10, 2, 0x80),
        "tree.wide": struct.pack(">BB8sB", 10, 3, message, 0x80),
        "tree.busy": struct.pack(">BBB", 10, 4, 0),
        "tree.lacking": struct.pack(">BBB8s", 10, 5, 1, bytes(range(8))),
        "tree.loopCheck": struct.pack(">BBBB8s", 10, 6, 3, 24, bytes(range(8, 16))),
        "tree.distances": struct.pack(">BB8B", 10, 7, 0, 1, 2, 3, 4, 5, 200, 255),
        "latest": struct.pack(">BBB8s", 11, 1, 1, message),
        "news": struct.pack(">BB8s", 12, 1, message),
        "contacts": b"\x0d\x02" + b"".join(contacts),
        "roster": struct.pack(">BH16I", 14, 1000, *range(1, 17)),
        "clock": struct.pack(">BBQ", 15, 1, EPOCH),
    }
    return {name: frame.hex() for name, frame in frames.items()}


def example():
    alice, bob = (Ed25519PrivateKey.from_private_bytes(secret(first)) for first in (0x00, 0x20))
    noise = {name: X25519PrivateKey.from_private_bytes(secret(first)) for name, first in (("alice", 0x40), ("bob", 0x60))}
    dm = {name: X25519PrivateKey.from_private_bytes(secret(first)) for name, first in (("alice", 0x80), ("bob", 0xA0))}
    number = int.from_bytes(hashlib.sha256(b"earshot/3 number\0" + public(alice)).digest()[:8], "big")
    room = derived(b"room")[:16]
    keys = sorted((public(alice), public(bob)))
    code = int.from_bytes(hashlib.sha256(b"earshot/3 verify\0" + b"".join(keys)).digest()[:15], "big") % 10**36
    values = {
        "verify.code": f"{code:036}",
        "alice.ed": public(alice).hex(),
        "alice.number": f"#{number % 9000 + 1000}-{number // 9000 % 9000 + 1000}",
        "room.lobby": room.hex(),
        "room.lobby.tag": derived(b"tag")[:4].hex(),
        "room.lobby.psk": derived(b"psk").hex(),
        "private.words": WORDS,
        "private.room": room_keys.of_words("kitchen", WORDS).id.hex(),
        "private.tag": room_keys.of_words("kitchen", WORDS).tag,
        "phrase.tag": room_keys.of_phrase("kitchen", "correct horse battery").tag,
        "alice.instance": instance(noise["alice"], bytes(range(0xC0, 0xC8))),
        "alice.certificate": certificate(alice, noise["alice"], dm["alice"]).hex(),
    }

    nickname = NICKNAME.encode()
    body = bytes([0, len(nickname)]) + nickname + bytes([0]) + TEXT.encode()
    signed = room + public(alice) + struct.pack(">QQQBH", EPOCH, 1, EPOCH + 1000, 1, len(body)) + body
    frame = b"\x01\x00" + signed + alice.sign(b"earshot/3 payload\0" + signed)
    values["message.S"] = signed.hex()
    values["message.sig"] = alice.sign(b"earshot/3 payload\0" + signed).hex()
    values["message.id"] = hashlib.blake2b(signed, digest_size=16, person=b"earshot/3 id").hexdigest()

    certificates = certificate(alice, noise["alice"], dm["alice"]), certificate(bob, noise["bob"], dm["bob"])
    shared = dm["alice"].exchange(dm["bob"].public_key())
    pair = b"".join(sorted(certificates, key=lambda each: each[2:34]))
    key = hashlib.blake2b(b"earshot/3 direct\0" + pair, key=shared, digest_size=32).digest()
    body = public(bob) + bytes([len(nickname)]) + nickname + bytes([0]) + TEXT.encode()
    signed = room + public(alice) + struct.pack(">QQQBH", EPOCH, 1, EPOCH + 1000, 20, len(body)) + body
    values["direct.key"] = key.hex()
    values["direct.mac"] = hashlib.blake2b(signed, key=key, digest_size=32).hexdigest()
    values["direct"] = (bytes([16, SERIAL, SERIAL]) + signed).hex() + values["direct.mac"]
    assert len(values["direct"]) == len(frame.hex())

    initiator = side("initiator", secret(0x40), secret(0xC0), room)
    responder = side("responder", secret(0x60), secret(0xE0), room)
    first = initiator.write_message(bytes(480))
    responder.read_message(first)
    second = responder.write_message(certificate(bob, noise["bob"], dm["bob"]) + bytes(254))
    initiator.read_message(second)
    third = initiator.write_message(certificate(alice, noise["alice"], dm["alice"]) + bytes(286))
    responder.read_message(third)
    for name, message in (("handshake.1", first), ("handshake.2", second), ("handshake.3", third)):
        assert len(message) == 528
        values[name + ".sha256"] = hashlib.sha256(message).hexdigest()
    values["handshake.hash"] = initiator.get_handshake_hash().hex()
    plaintext = struct.pack(">H", len(frame)) + frame
    record = initiator.encrypt(plaintext + bytes(512 - len(plaintext)))
    values |= overlay(public(alice), public(bob), bytes.fromhex(values["message.id"])[:8])
    values["record.sha256"] = hashlib.sha256(struct.pack(">H", len(record)) + record).hexdigest()
    return values


def documented():
    """The `name = value` lines of section 12; a line that begins with a space continues a value."""
    section = DOCUMENT.read_text().split("\n## 12. ")[1]
    block = re.sub(r"\n +", "", section.split("```")[1])
    return dict(re.findall(r"^([\w.]+) = ?(\S+)$", block, re.MULTILINE))


class Vectors(unittest.TestCase):
    def test_the_documented_example_is_what_other_code_computes(self):
        told, computed = documented(), example()
        self.assertEqual(set(told), set(computed))
        for name, value in computed.items():
            with self.subTest(name):
                self.assertEqual(told[name], value)


if __name__ == "__main__":
    unittest.main()

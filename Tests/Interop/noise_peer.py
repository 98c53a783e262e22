"""A peer that shares no code with Earshot: noiseprotocol's handshake, OpenSSL's primitives.

usage: noise_peer.py initiator|responder PORT RECORDS

Connects to 127.0.0.1:PORT, shakes hands as Protocol.md sections 1, 3 and 4 say, certificate included, reports in its
first record the other side's identity, then sends every record back. Exits with 0 on success, with 3 if it refused the
other side's certificate.
"""
import hmac
import socket
import struct
import sys
import unicodedata

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from noise.connection import Keypair, NoiseConnection

REFUSED = 3
MESSAGE = 528
RECORDS_PER_KEY = 256
DOMAIN = b"earshot/3 session\0"
CERTIFICATE = struct.Struct(">BB32s32s32sQQ")


class Room:
    """A room (section 3): the values that its nodes derive from its name and its secret, which is zeros for an open room."""

    def __init__(self, name, secret=bytes(32)):
        def derive(domain):
            message = b"earshot/3 " + domain + b"\0" + unicodedata.normalize("NFC", name).encode()
            return hmac.digest(secret, message, "sha256")

        self.id, self.psk, self.tag = derive(b"room")[:16], derive(b"psk"), derive(b"tag")[:4].hex()
        self.prologue = b"earshot/3\0" + self.id


def raw(public_key):
    return public_key.public_bytes(Encoding.Raw, PublicFormat.Raw)


def issue(identity, noise_key, epoch, dm=None, serial=1):
    dm_key = raw((dm or X25519PrivateKey.generate()).public_key())
    fields = (3, 0, raw(identity.public_key()), noise_key, dm_key, epoch, serial)
    signed = CERTIFICATE.pack(*fields)
    return signed + identity.sign(DOMAIN + signed)


def verify(payload, remote_static):
    """The identity and the epoch of a certificate, which must be valid for this link and padded with zeros."""
    signed, signature, padding = payload[:114], payload[114:178], payload[178:]
    version, _, identity, noise_key, _, epoch, _ = CERTIFICATE.unpack(signed)
    try:
        Ed25519PublicKey.from_public_bytes(identity).verify(signature, DOMAIN + signed)
    except InvalidSignature:
        sys.exit(REFUSED)
    if version != 3 or noise_key != remote_static or any(padding):
        sys.exit(REFUSED)
    return identity, epoch


def handshake(role, static, room, suffix=b""):
    """One side of a handshake with a static key; `suffix` ends the prologue."""
    noise = NoiseConnection.from_name(b"Noise_XXpsk0_25519_ChaChaPoly_SHA256")
    (noise.set_as_initiator if role == "initiator" else noise.set_as_responder)()
    secret = static.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
    noise.set_keypair_from_private_bytes(Keypair.STATIC, secret)
    noise.set_psks(room.psk)
    noise.set_prologue(room.prologue + suffix)
    noise.start_handshake()
    return noise


def first_message(room="lobby"):
    """A genuine message 1 with its length. A node of the room answers it each time that it comes."""
    message = handshake("initiator", X25519PrivateKey.generate(), Room(room)).write_message(bytes(480))
    return struct.pack(">H", MESSAGE) + bytes(message)


class Peer:
    """`room` is a name, of an open room, or a `Room`."""

    def __init__(self, role, stream, room="lobby"):
        self.stream = stream
        self.stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.counts = {"in": 0, "out": 0}
        self.identity = Ed25519PrivateKey.generate()
        self.dm = X25519PrivateKey.generate()
        static = self.static = X25519PrivateKey.generate()
        self.static_public = raw(static.public_key())
        room = room if isinstance(room, Room) else Room(room)
        self.room, self.room_keys = room.id, room
        self.noise = handshake(role, static, room)
        self.state = self.noise.noise_protocol.handshake_state

    def receive_bytes(self, count):
        data = b""
        while len(data) < count:
            piece = self.stream.recv(count - len(data))
            assert piece, "the other side closed"
            data += piece
        return data

    def read(self):
        return self.receive_bytes(struct.unpack(">H", self.receive_bytes(2))[0])

    def write(self, message):
        self.stream.sendall(struct.pack(">H", len(message)) + bytes(message))

    def say(self, payload):
        message = self.noise.write_message(payload)
        assert len(message) == MESSAGE, len(message)
        self.write(message)

    def hear(self):
        message = self.read()
        assert len(message) == MESSAGE, len(message)
        return bytes(self.noise.read_message(message))

    def shake(self, role, epoch):
        own = self.certificate = issue(self.identity, self.static_public, epoch, self.dm)
        if role == "initiator":
            self.say(bytes(480))
            theirs = self.hear()
            self.say(own.ljust(464, b"\0"))
        else:
            assert not any(self.hear())
            self.say(own.ljust(432, b"\0"))
            theirs = self.hear()
        self.remote_static = self.state.rs.public_bytes
        self.their_certificate = theirs[:178]
        return verify(theirs, self.remote_static)

    def begin_renewal(self):
        """The initiator's side of the handshake that replaces the keys (section 4), and its state."""
        noise = handshake("initiator", self.static, self.room_keys, b"renewal\0")
        return noise, noise.noise_protocol.handshake_state

    def switch(self, direction, noise):
        """The next record in a direction is under the keys of a finished handshake."""
        name = "cipher_state_encrypt" if direction == "out" else "cipher_state_decrypt"
        setattr(self.noise.noise_protocol, name, getattr(noise.noise_protocol, name))
        self.counts[direction] = 0

    def send_record(self, plaintext):
        self.write(self.noise.encrypt(bytes(plaintext)))
        self.counts["out"] += 1
        if self.counts["out"] % RECORDS_PER_KEY == 0:
            self.noise.rekey_outbound_cipher()

    def receive_record(self):
        plaintext = self.noise.decrypt(self.read())
        self.counts["in"] += 1
        if self.counts["in"] % RECORDS_PER_KEY == 0:
            self.noise.rekey_inbound_cipher()
        return plaintext


def main():
    role, port, records = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    peer = Peer(role, socket.create_connection(("127.0.0.1", port), timeout=20))
    identity, epoch = peer.shake(role, epoch=41)
    seen = peer.noise.get_handshake_hash() + peer.remote_static + identity + struct.pack(">Q", epoch)
    peer.send_record(seen)
    for _ in range(records):
        peer.send_record(peer.receive_record())


if __name__ == "__main__":
    main()

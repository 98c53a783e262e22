"""A complete peer, written from Docs/Protocol.md alone: frames, payloads and direct messages on noise_peer's handshake."""

import hashlib
import struct
import time
import unicodedata

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from noise_peer import Peer, issue, raw

PAYLOAD, CERTIFICATE, PING, PONG, HAVE, WANT, GOODBYE, CONTACTS, CLOCK, CHAFF, HANDSHAKE = 1, 2, 3, 4, 5, 6, 7, 13, 15, 17, 18
PUBLIC, PRESENCE, TYPING, EDIT, DELETE, REACTION, CARD = 1, 2, 3, 4, 5, 6, 7
REQUEST, ACCEPT, LEAVE, DIRECT = 16, 17, 19, 20
DELIVERED, READ, INVITATION = 21, 22, 23
# The type of a frame with a payload for one peer, and what the bodies of kinds 3 to 5 for the room begin with.
FOR_ONE, ROOM = 16, bytes(32)
SIZES = (512, 1280, 4096)


def now():
    return time.time_ns() // 1_000_000


def rounded(time):
    """A time of presence, typing or a clock (section 7)."""
    return (time + 1_000) // 2_000 * 2_000


# Default_Ignorable_Code_Point (Unicode's DerivedCoreProperties.txt), which no later version extends.
IGNORABLE = (
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F),
    (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)
WITHOUT_INK = (0x2800, 0x1D159, 0x13441, 0x13442)
# Prepended_Concatenation_Mark.
SIGNS = (*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD)


def is_visible(text):
    """The rule for texts and names (section 6): one scalar at least can be seen."""
    def seen(scalar):
        value, category = ord(scalar), unicodedata.category(scalar)
        if scalar.isspace() or value in WITHOUT_INK or any(first <= value <= last for first, last in IGNORABLE):
            return False
        return value in SIGNS or category not in ("Cc", "Cf", "Zl", "Zp", "Mn", "Me")
    return any(map(seen, text))


def presence(state, nickname, reason="", about="", rooms=(), bridge=0):
    """The body of a presence (section 6), at the stage of a newcomer."""
    lines = b"".join(bytes([len(line.encode())]) + line.encode() for line in (nickname, reason, about))
    names = b"".join(struct.pack(">H", len(name.encode())) + name.encode() for name in rooms)
    return bytes([state, 0]) + lines + bytes([len(rooms)]) + names + bytes([bridge])


def is_for_one(kind, body):
    """Whether a payload is for one peer (section 6)."""
    return kind >= REQUEST or (kind in (TYPING, EDIT, DELETE, REACTION) and any(body[:32]))


def direct_key(dm, ours, theirs):
    """The key of two certificates, by the secret dm key of the first (section 8)."""
    shared = dm.exchange(X25519PublicKey.from_public_bytes(bytes(theirs[66:98])))
    certificates = sorted((bytes(ours), bytes(theirs)), key=lambda certificate: certificate[2:34])
    return hashlib.blake2b(b"earshot/3 direct\0" + b"".join(certificates), key=shared, digest_size=32).digest()


def direct_frame(signed, key, author, target):
    """The frame of a payload for one peer, by the certificates of both (section 5)."""
    return bytes([FOR_ONE, author[113], target[113]]) + signed + hashlib.blake2b(signed, key=key, digest_size=32).digest()


class Payload:
    """A payload (section 6), decoded, with its signature checked; or, with a key, one for one peer with its MAC checked."""

    HEADER = struct.Struct(">16s32sQQQBH")

    def __init__(self, frame, key=None):
        self.hops, signed, signature = frame[0], frame[1:-64], frame[-64:]
        if key:
            self.hops, self.serials, signed = 0, frame[:2], frame[2:-32]
            assert hashlib.blake2b(signed, key=key, digest_size=32).digest() == frame[-32:], "a false MAC"
        self.signed = signed
        self.room, self.author, self.epoch, self.seq, self.time, self.kind, length = self.HEADER.unpack(signed[:75])
        self.body = signed[75:]
        assert len(self.body) == length
        assert is_for_one(self.kind, self.body) == bool(key)
        if not key:
            Ed25519PublicKey.from_public_bytes(self.author).verify(signature, b"earshot/3 payload\0" + signed)
        self.id = hashlib.blake2b(signed, digest_size=16, person=b"earshot/3 id").digest()

    def named_text(self, offset):
        """(nickname, text) of a body that has `u8 n || nickname[n]`, the id of an answered message and a text at an offset."""
        length = self.body[offset]
        start = offset + 1
        rest = self.body[start + length:]
        if self.kind in (PUBLIC, DIRECT):
            rest = rest[1 + rest[0]:]
        return self.body[start:start + length].decode(), rest.decode()


class Stranger:
    def __init__(self, role, stream, nickname="stranger", room="lobby", identity=None, epoch=None, clock_error=0):
        self.peer = Peer(role, stream, room)
        self.peer.identity = identity or self.peer.identity
        self.me = raw(self.peer.identity.public_key())
        self.nickname = bytes([len(nickname.encode())]) + nickname.encode()
        self.epoch, self.seq, self.clock_error = epoch or now(), 0, clock_error
        # The last number of the payloads for each peer alone.
        self.numbers, self.earlier = {}, []
        self.waiting = []
        self.them, self.their_epoch = self.peer.shake(role, self.epoch)
        # The record that a link opens with has one size (section 3).
        self.send(self.payload(PRESENCE, presence(0, nickname)), bytes([PING]) + bytes(8), self.clock(), least=SIZES[1])

    def send(self, *frames, least=SIZES[0]):
        plaintext = b"".join(struct.pack(">H", len(frame)) + frame for frame in frames)
        size = next(size for size in SIZES if size >= max(least, len(plaintext)))
        self.peer.send_record(plaintext.ljust(size, b"\0"))

    def clock(self, wants_answer=False):
        return struct.pack(">BBQ", CLOCK, wants_answer, self.time(PRESENCE))

    def hear_clock(self):
        """The time in the next frame 15, and whether an answer is wanted."""
        wants_answer, time = struct.unpack(">BQ", self.hear(type=CLOCK))
        return time, bool(wants_answer)

    def payload(self, kind, body, **changes):
        """A frame with a payload; `changes` replace the author, its signer, the hops, the signature or the key, for forgeries."""
        author = changes.get("author", self.me)
        signed = self.header(kind, body, author) + body
        if is_for_one(kind, body):
            self.last_id = hashlib.blake2b(signed, digest_size=16, person=b"earshot/3 id").digest()
            key = changes.get("key") or self.key()
            return direct_frame(signed, key, self.peer.certificate, self.peer.their_certificate)
        signer = changes.get("signer", self.peer.identity)
        signature = changes.get("signature") or signer.sign(b"earshot/3 payload\0" + signed)
        self.last_id = hashlib.blake2b(signed, digest_size=16, person=b"earshot/3 id").digest()
        return bytes([PAYLOAD, changes.get("hops", 0)]) + signed + signature

    def header(self, kind, body, author):
        """The part of S before the body, under the next number of its stream."""
        if is_for_one(kind, body):
            number = self.numbers[body[:32]] = self.numbers.get(body[:32], 0) + 1
        else:
            number = self.seq = self.seq + 1
        return Payload.HEADER.pack(self.peer.room, author, self.epoch, number, self.time(kind), kind, len(body))

    def key(self, serial=None):
        """The key of the certificates of both ends of the link; of ours the present one, or the one with the last byte of a serial."""
        keys = [(self.peer.dm, self.peer.certificate), *self.earlier]
        dm, certificate = next(pair for pair in keys if serial in (None, pair[1][113]))
        return direct_key(dm, certificate, self.peer.their_certificate)

    def renew_certificate(self):
        """Takes a new dm key (section 1)."""
        # Payloads under way may be for the key before.
        self.earlier.append((self.peer.dm, self.peer.certificate))
        self.peer.dm = X25519PrivateKey.generate()
        serial = struct.unpack(">Q", self.peer.certificate[106:114])[0] + 1
        self.peer.certificate = issue(self.peer.identity, self.peer.static_public, self.epoch, self.peer.dm, serial)
        self.send(bytes([CERTIFICATE]) + self.peer.certificate)

    def time(self, kind):
        time = now() + self.clock_error
        return rounded(time) if kind in (PRESENCE, TYPING) else time

    def say(self, kind, body, **changes):
        frames = [self.payload(kind, body, **changes)]
        if is_for_one(kind, body) and kind not in (TYPING, DELIVERED, READ):
            # The receipts come with the answer that this asks for (section 8).
            frames.append(bytes([CHAFF, 1]))
        self.send(*frames)

    def say_publicly(self, text):
        self.say(PUBLIC, b"\0" + self.nickname + b"\0" + text.encode())

    def write_to_them(self, kind, text=None):
        reply = b"\0" if kind == DIRECT else b""
        self.say(kind, self.them + (b"" if text is None else self.nickname + reply + text.encode()))

    def list_ids(self, type, ids):
        """A `have` or `want` frame: the first 8 bytes of each id."""
        self.send(struct.pack(">BH", type, len(ids)) + b"".join(id[:8] for id in ids))

    def hear_ids(self, type):
        body = self.hear(type=type)
        assert len(body) == 2 + 8 * struct.unpack_from(">H", body)[0]
        return [body[start:start + 8] for start in range(2, len(body), 8)]

    def frames(self):
        """The frames of the next record; a padding byte other than zero is an error."""
        plaintext = bytes(self.peer.receive_record())
        assert len(plaintext) in SIZES
        position = 0
        while position + 2 <= len(plaintext):
            length = struct.unpack_from(">H", plaintext, position)[0]
            if length == 0:
                break
            yield plaintext[position + 2:position + 2 + length]
            position += 2 + length
        assert not any(plaintext[position:])

    def hear(self, kind=None, type=PAYLOAD):
        """The next payload of a kind, or the body of the next frame of a type; it answers pings."""
        while True:
            while self.waiting:
                frame = self.waiting.pop(0)
                if frame[0] == PING:
                    self.send(bytes([PONG]) + frame[1:])
                if frame[0] == type and type != PAYLOAD:
                    return frame[1:]
                if frame[0] == CERTIFICATE and frame[3:35] == self.them:
                    self.peer.their_certificate = frame[1:]
                if frame[0] in (PAYLOAD, FOR_ONE) and type == PAYLOAD:
                    payload = Payload(frame[1:], self.key(frame[2]) if frame[0] == FOR_ONE else None)
                    if kind in (None, payload.kind):
                        return payload
            self.waiting += self.frames()

    def renew(self):
        """Replaces the keys by another handshake (section 4), as the initiator; the state of that handshake."""
        noise, state = self.peer.begin_renewal()
        self.send(bytes([HANDSHAKE]) + bytes(noise.write_message(bytes(480))))
        assert not any(noise.read_message(self.hear(type=HANDSHAKE)))
        assert state.rs.public_bytes == self.peer.remote_static
        self.send(bytes([HANDSHAKE]) + bytes(noise.write_message(bytes(464))))
        self.peer.switch("out", noise)
        assert self.hear(type=HANDSHAKE) == b""
        self.peer.switch("in", noise)
        return state

    def is_cut_off(self):
        """True if the other side closes the connection without sending anything else."""
        try:
            while self.peer.stream.recv(65_536):
                pass
        except ConnectionResetError:
            pass
        return True

    def leave(self):
        self.say(PRESENCE, presence(2, self.nickname[1:].decode()))
        self.send(bytes([GOODBYE, 0]))
        self.peer.stream.close()

"""Forgeries by members: false authors, times and targets; each forgery has a new address and identity."""

import hashlib
import itertools
import os

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from members import enter, raw_key, reads
from stranger import CARD, DELETE, DIRECT, EDIT, PAYLOAD, PUBLIC, REACTION, ROOM, Payload, now

NAME = b"\0\x04liar\0"
LATE = 301_000

FALSE_EMOJIS = [bytes([count]) + b"".join(bytes([len(emoji.encode())]) + emoji.encode() for emoji in emojis)
                for count, emojis in (
                    (1, ["\u200d".join(["\U0001f44d"] * 7)]), (1, ["a" + "\u0301" * 11]), (1, ["\x1b[2J"]), (1, ["\u202e"]),
                    (1, ["\U0001f44d\U0001f44d"]), (4, ["\U0001f44d", "\U0001f389", "\U0001f440", "\U0001f355"]),
                    (2, ["\U0001f44d", "\U0001f44d"]))]
# A colour that does not exist, a line break in the title, and 41 characters.
FALSE_CARDS = [b"\x08\x01ax", b"\x00\x03a\nbx", b"\x00\x29" + b"a" * 41 + b"x"]


class Other:
    """An author unknown to the victim, whose payloads the liar relays."""

    def __init__(self, room):
        self.identity, self.room = Ed25519PrivateKey.generate(), room
        self.epoch = now()

    def frame(self, text=b"so they said", *, kind=PUBLIC, hops=1, seq=1, age=0, epoch=0, room=None, body=None):
        body = NAME + text if body is None else body
        signed = Payload.HEADER.pack(room or self.room, raw_key(self.identity), self.epoch + epoch, seq,
                                     max(0, now() - age), kind, len(body)) + body
        return bytes([PAYLOAD, hops]) + signed + self.identity.sign(b"earshot/3 payload\0" + signed)


def spoiled(frame, position):
    """A frame with one bit changed."""
    return frame[:position] + bytes([frame[position] ^ 1]) + frame[position + 1:]


# Field -> its position in the frame, for each field that a relay can change. A changed author is another author's payload.
FIELDS = {"author": 2 + 16, "epoch": 2 + 55, "seq": 2 + 63, "time": 2 + 71, "text": 2 + 75 + 8, "signature": -1}


def forgeries(member, other):
    """Relayed forgeries, each of which ends the relay's link."""
    yield "foreign_author", [other.frame(hops=0)]
    for name, position in FIELDS.items():
        frame = other.frame()
        yield "altered_" + name, [spoiled(frame, position % len(frame))]
    whole = other.frame()
    yield "signed_by_itself", [whole[:-64] + member.peer.identity.sign(b"earshot/3 payload\0" + whole[2:-64])]


def stale(member, other):
    """Forgeries that the victim drops, and keeps the link."""
    yield "stale", [other.frame(age=LATE)]
    yield "from_the_future", [other.frame(age=-LATE)]
    yield "from_the_end_of_time", [other.frame(age=-(2**63))]
    frame = other.frame()
    yield "replayed", [frame] * 3
    yield "same_number", [other.frame(b"one"), other.frame(b"two")]
    yield "old_epoch", [other.frame(b"new run"), other.frame(b"old run", epoch=-1, seq=2)]
    yield "old_number", [other.frame(b"newest", seq=1_000), other.frame(b"oldest", seq=2)]
    yield "other_room", [other.frame(room=os.urandom(16))]
    yield "too_many_hops", [other.frame(hops=8)]
    yield "relayed_direct", [other.frame(kind=DIRECT, body=member.them + b"\x04liar\0" + b"psst")]
    yield "for_somebody_else", [member.payload(DIRECT, os.urandom(32) + b"\x04liar\0" + b"psst")]
    yield "false_mac", [member.payload(DIRECT, member.them + b"\x04liar\0" + b"psst", key=os.urandom(32))]
    yield "own_payload", [spoiled(other.frame(hops=1), 2)[:18] + member.them + other.frame()[50:]]
    yield "unknown_kind", [member.payload(99, b"what?")]
    yield "not_utf8", [member.payload(PUBLIC, NAME + b"\xed\xa0\x80")]
    yield "malformed", [member.payload(PUBLIC, NAME + b"x")[:-70]]
    yield "too_long", [member.payload(PUBLIC, NAME + b"x" * 241)]
    yield "too_dense", [member.payload(PUBLIC, NAME + b"a" + b"\xcc\x81" * 200)]
    yield "false_emojis", [member.payload(REACTION, bytes(48) + emojis) for emojis in FALSE_EMOJIS]
    yield "false_cards", [member.payload(CARD, b"\0\x04liar" + card) for card in FALSE_CARDS]
    yield "false_reply", [member.payload(PUBLIC, b"\0\x04liar\x0f" + bytes(15) + b"x")]
    yield "control_characters", [member.payload(PUBLIC, NAME + b"\x1b[2J\x07\xe2\x80\xae\xe2\x80\x8b")]


class Liars:
    """Sends one forgery after the other, each from an address of its own."""

    def __init__(self, stage, lies, pace):
        self.stage, self.lies, self.pace = stage, lies, pace
        self.numbers = itertools.count(1)

    def run(self):
        for _ in self.stage.paced(self.pace):
            number = next(self.numbers)
            try:
                member = enter(self.stage, number, nickname="liar")
                told = list(self.lies(member, Other(member.peer.room)))
                name, frames = told[number % len(told)]
                closed = reads(self.stage, member)
                for frame in frames:
                    member.send(frame)
                self.stage.count("lies")
                closed.wait(0.15)
                self.stage.count("closed_by_victim" if closed.is_set() else "still_open_at_the_end")
                member.peer.stream.close()
            except (OSError, AssertionError):
                self.stage.count("refused")


class Meddler:
    """Edits and deletes messages of honest members, in its own name and in theirs."""

    def __init__(self, stage):
        self.stage, self.numbers = stage, itertools.count(1)

    def run(self):
        while self.stage.running.is_set():
            try:
                self.meddle(enter(self.stage, next(self.numbers), nickname="meddler"))
            except (OSError, AssertionError):
                self.stage.count("closed_by_victim")
                self.stage.pause(0.5)

    def meddle(self, member):
        while self.stage.running.is_set():
            target = member.hear(PUBLIC)
            for kind, text in ((EDIT, b"not what was said"), (DELETE, b"")):
                member.say(kind, ROOM + target.id + text)
                self.stage.count("frames_sent")
            if self.stage.tally["frames_sent"] % 20 == 0:
                member.say(EDIT, ROOM + target.id + b"in its author's name", author=target.author)
                member.hear(PUBLIC)
        member.peer.stream.close()
        self.stage.count("still_open_at_the_end")


class Lookalike:
    """Takes the nickname and the number of an honest member."""

    def __init__(self, stage):
        self.stage, self.numbers = stage, itertools.count(1)
        self.identity = Ed25519PrivateKey.generate()
        while self.number() != stage.likeNumber:
            self.identity = Ed25519PrivateKey.generate()

    def number(self):
        digest = hashlib.sha256(b"earshot/3 number\0" + raw_key(self.identity)).digest()
        return int.from_bytes(digest[:8], "big") % 9000 + 1000

    def run(self):
        member = enter(self.stage, next(self.numbers), nickname=self.stage.likeName, identity=self.identity)
        closed = reads(self.stage, member)
        for number in self.stage.paced(1.5):
            member.say_publicly(f"it is me {number}")
            self.stage.count("frames_sent")
        self.stage.count("closed_by_victim" if closed.is_set() else "still_open_at_the_end")
        member.peer.stream.close()


ATTACKS = {
    "forgeries": lambda stage: Liars(stage, forgeries, 6),
    "stale-and-strange": lambda stage: Liars(stage, stale, 6),
    "meddling": Meddler,
    "look-alike": Lookalike,
}

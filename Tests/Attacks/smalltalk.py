"""Reactions, cards and answers by members with valid keys: at excessive rates, of fresh identities, and to no known message."""

import itertools
import os
import threading

from members import Crowd, Drain, Flood, enter
from stranger import CARD, PUBLIC, REACTION, ROOM

EMOJIS = [emoji.encode() for emoji in ("\U0001f44d", "\U0001f389", "\U0001f602", "\u2764\ufe0f")]


def reaction(target, number):
    emoji = EMOJIS[number % len(EMOJIS)]
    return ROOM + target + bytes([1, len(emoji)]) + emoji


def card(member, title, text=b"take me"):
    return b"\0" + member.nickname + bytes([number_of(title) % 8, len(title)]) + title + text


def number_of(title):
    return sum(title)


class Heard(Flood):
    """Reactions to the messages that the victim passes on, 20 in a record: each replaces the one before."""

    def press(self, member):
        self.targets = [os.urandom(16)]
        threading.Thread(target=self.listen, args=(member,), daemon=True).start()
        try:
            for number in self.stage.paced(self.pace):
                frames = [member.payload(REACTION, reaction(self.targets[-1 - step % len(self.targets)], number + step))
                          for step in range(20)]
                member.send(*frames)
                self.stage.count("frames_sent", len(frames))
        except OSError:
            self.stage.count("closed_by_victim")
        else:
            self.stage.count("still_open_at_the_end")

    def listen(self, member):
        try:
            while True:
                self.targets = [*self.targets[-9:], member.hear(PUBLIC).id]
        except (OSError, AssertionError, ValueError):
            pass


class Unheard(Crowd):
    """Reactions to messages that do not exist, of several members."""

    def __init__(self, stage):
        super().__init__(stage, 20, 200)

    def act(self, member, number):
        frames = [member.payload(REACTION, reaction(os.urandom(16), step)) for step in range(20)]
        member.send(*frames)
        self.stage.count("frames_sent", len(frames))


class Cards(Flood):
    """One member's cards, each with a text of its own."""

    def frames(self, member, number):
        return [member.payload(CARD, card(member, b"buy %d" % (8 * number + step))) for step in range(8)]


class FreshCards:
    """Two cards of each of 20 identities at 20 addresses, which are other identities each time."""

    COUNT, PACE = 20, 20

    def __init__(self, stage):
        self.stage, self.numbers = stage, itertools.count(1)

    def run(self):
        while self.stage.running.is_set():
            self.come_and_go()

    def come_and_go(self):
        crowd, drain = [], Drain()
        for _ in range(self.COUNT):
            if not self.stage.pause(1 / self.PACE):
                break
            try:
                member = enter(self.stage, next(self.numbers), nickname="fresh")
                drain.add(member)
                crowd.append(member)
                for step in range(2):
                    member.say(CARD, card(member, b"fresh %d" % step))
                    self.stage.count("frames_sent")
            except (OSError, AssertionError):
                self.stage.count("refused")
        self.stage.pause(2)
        for member in crowd:
            drain.end(member)


class Answers(Flood):
    """Answers to messages that do not exist."""

    def frames(self, member, number):
        return [member.payload(PUBLIC, b"\0" + member.nickname + b"\x10" + os.urandom(16) + b"as you said %d" % number)]


ATTACKS = {
    "reaction-flood": lambda stage: Heard(stage, 200),
    "reactions-unknown": Unheard,
    "card-flood": lambda stage: Cards(stage, 100),
    "cards-fresh": FreshCards,
    "replies-unknown": lambda stage: Answers(stage, 1),
}

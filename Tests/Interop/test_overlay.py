"""Frames 10 to 14 of Docs/Protocol.md, section 13, from a peer that shares no code with the program."""

import hashlib
import os
import struct
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Support"))

from called_node import CalledNode  # noqa: E402
from stranger import CONTACTS, PRESENCE, PUBLIC, Payload, Stranger  # noqa: E402

TREE, LATEST, NEWS, ROSTER = 10, 11, 12, 14
HELLO, GRAFT, PRUNE, WIDE, BUSY, LACKING = range(6)
IN_OVERLAY = 1


class Neighbour(Stranger):
    """A peer in overlay mode, or in relay mode."""

    def say_hello(self, flags=IN_OVERLAY, mask=0xFF, known=2):
        self.send(struct.pack(">BBBBBH", TREE, HELLO, 1, flags, mask, known))

    def announce(self, *ids):
        self.send(bytes([NEWS, len(ids)]) + b"".join(id[:8] for id in ids))

    def hear_tree(self, op):
        """The body behind the next tree frame of a kind."""
        while (body := self.hear(type=TREE))[0] != op:
            pass
        return body[1:]

    def hear_graft(self):
        """The ids in the next graft that names some."""
        while not (body := self.hear_tree(GRAFT))[1]:
            pass
        return [body[start:start + 8] for start in range(2, len(body), 8)]

    def refuse(self, *ids):
        self.send(bytes([TREE, LACKING, len(ids)]) + b"".join(ids))


class Overlay(CalledNode):
    options = ()

    def neighbour(self, nickname="neighbour"):
        return Neighbour("initiator", self.connect(), nickname=nickname)

    def test_an_announced_message_is_grafted_and_shown(self):
        author, neighbour = self.neighbour("author"), self.neighbour()
        neighbour.say_hello()
        frame = author.payload(PUBLIC, b"\0" + author.nickname + b"\x00announced", hops=1)
        neighbour.announce(author.last_id)
        self.assertEqual(neighbour.hear_graft(), [author.last_id[:8]])
        neighbour.send(frame)
        self.assertEqual(self.node.hears("announced")["from"]["key"], author.me.hex())

    def test_a_neighbour_that_refuses_what_it_announced_keeps_its_link_and_one_that_is_silent_does_not(self):
        for refuses in (True, False):
            neighbour = self.neighbour(f"refuses {refuses}")
            neighbour.say_hello()
            for _ in range(3):
                neighbour.announce(os.urandom(8))
                ids = neighbour.hear_graft()
                if refuses:
                    neighbour.refuse(*ids)
                # A promise is broken after 2 s.
                time.sleep(2.2)
            if refuses:
                neighbour.say_publicly("still here")
                self.node.hears("still here")
            else:
                self.assertTrue(neighbour.is_cut_off())

    def test_a_graft_of_an_unknown_message_is_refused(self):
        neighbour = self.neighbour()
        neighbour.say_hello()
        unknown = os.urandom(8)
        neighbour.send(bytes([TREE, GRAFT, 0, 1]) + unknown)
        self.assertEqual(neighbour.hear_tree(LACKING), b"\1" + unknown)

    def test_a_comparison_names_what_a_list_lacks(self):
        author, neighbour = self.neighbour("author"), self.neighbour()
        neighbour.say_hello()
        author.say_publicly("one")
        first = author.last_id
        author.say_publicly("two")
        second = author.last_id
        self.node.hears("two")
        time.sleep(0.1)
        neighbour.send(bytes([LATEST, 1, 1]) + first[:8])
        while (body := neighbour.hear(type=LATEST))[0] != 0:
            pass
        self.assertEqual(body, b"\0\1" + second[:8])

    def test_digests_are_of_all_presences_and_others_draw_those_that_differ(self):
        neighbour = self.neighbour()
        self.node.wait(lambda event: event["event"] == "peer", "the neighbour")
        # A peer without a link makes the node one that lacks links: it passes presences on (Rooms with gaps).
        neighbour.send(bytes([CONTACTS, 1]) + os.urandom(32) + b"\0")
        neighbour.hear_tree(HELLO)
        neighbour.say_hello()
        body = neighbour.hear(type=ROSTER)
        count, *digests = struct.unpack(">H16I", body)
        neighbour.send(bytes([ROSTER]) + struct.pack(">H16I", 0, *[0] * 16))
        # Digests may come between; an answer to six at most.
        answers = (neighbour.hear(type=ROSTER) for _ in range(6))
        told = Payload(next(answer for answer in answers if len(answer) != 2 + 64))
        self.assertEqual((told.author.hex(), told.kind, told.hops, count), (self.node.key, PRESENCE, 1, 1))
        expected = [0] * 16
        signed = told.author + struct.pack(">QQ", told.epoch, told.seq)
        hashed = hashlib.blake2b(signed, digest_size=16, person=b"earshot/3 rost").digest()
        expected[told.author[0] >> 4] = int.from_bytes(hashed[:4], "big")
        self.assertEqual(digests, expected)


if __name__ == "__main__":
    unittest.main()

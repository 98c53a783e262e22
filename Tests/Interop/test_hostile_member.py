"""A member that is written from Docs/Protocol.md alone abuses what the protocol lets it send."""

import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Support"))

from called_node import CalledNode  # noqa: E402
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: E402
from stranger import DELETE, HAVE, LEAVE, PRESENCE, PUBLIC, REQUEST, ROOM, WANT, presence  # noqa: E402


class HostileMember(CalledNode):
    def give_deletions(self, member):
        """Gives deletions of 100 messages that never were, as history."""
        given = {}
        for _ in range(100):
            frame = member.payload(DELETE, ROOM + os.urandom(16))
            given[member.last_id[:8]] = frame
        member.list_ids(HAVE, list(given))
        for wanted in member.hear_ids(WANT):
            member.send(given[wanted])

    def test_deletions_of_messages_that_never_were_displace_no_honest_one(self):
        author = self.stranger(nickname="author")
        author.say_publicly("regretted")
        self.node.hears("regretted")
        author.say(DELETE, ROOM + author.last_id)
        deletion = author.last_id[:8]
        self.node.wait(lambda event: event["event"] == "deleted", "the deletion")
        for number in range(2):
            member = self.stranger(nickname=f"member{number}")
            member.hear(PRESENCE)
            self.give_deletions(member)
            # Behind the last of them.
            member.say_publicly(f"said by {number}")
            self.node.hears(f"said by {number}")
        offered = self.stranger(nickname="newcomer").hear_ids(HAVE)
        self.assertEqual(offered[0], deletion)
        self.assertGreaterEqual(len(offered), 100)

    def invent(self, member, count, hops):
        """Says something by as many invented authors, as if it had come over relays, and returns how much of it is shown."""
        for number in range(count):
            signer = Ed25519PrivateKey.generate()
            author = signer.public_key().public_bytes_raw()
            text = b"\0" + bytes([8]) + b"invented\0" + f"invented {hops} {number}".encode()
            member.send(member.payload(PUBLIC, text, author=author, signer=signer, hops=hops))
        member.say_publicly(f"all of {hops} said")
        self.node.hears(f"all of {hops} said")
        return sum(event["event"] == "message" and event["text"].startswith(f"invented {hops} ") for event in self.node.events)

    def test_the_bit_of_a_bridge_lifts_no_rate(self):
        member = self.stranger()
        member.hear(PRESENCE)
        self.assertEqual(self.invent(member, 30, hops=129), 0)
        self.assertLessEqual(self.invent(member, 30, hops=1), 5)

    def test_a_bridge_is_announced_before_it_brings_anyone_and_needs_consent_to_bring_many(self):
        bridge = self.stranger(nickname="carrier")
        bridge.hear(PRESENCE)
        bridge.say(PRESENCE, presence(0, "carrier", bridge=2))
        shown = self.invent(bridge, 30, hops=129)
        self.assertGreater(shown, 0)
        self.assertLessEqual(shown, 5)
        kinds = [event.get("code", event["event"]) for event in self.node.events]
        first = next(place for place, event in enumerate(self.node.events) if event.get("text", "").startswith("invented"))
        self.assertIn("room_bridged", kinds[:first])

    def test_a_peer_that_asks_and_withdraws_without_end_is_shown_once(self):
        member = self.stranger()
        member.hear(PRESENCE)
        for _ in range(20):
            member.write_to_them(REQUEST, "a word?")
            member.write_to_them(LEAVE)
        member.say_publicly("enough")
        self.node.hears("enough")
        shown = [event["event"] for event in self.node.events if event["event"] in ("request", "direct")]
        self.assertEqual(shown, ["request", "direct"])


if __name__ == "__main__":
    unittest.main()

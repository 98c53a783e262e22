"""A member that is written from Docs/Protocol.md alone abuses what the protocol lets it send."""

import os
import socket
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Support"))

from earshot_node import Node  # noqa: E402
from stranger import DELETE, HAVE, LEAVE, PRESENCE, REQUEST, WANT, Stranger  # noqa: E402


class HostileMember(unittest.TestCase):
    def setUp(self):
        self.node = Node(subprocess.Popen, "native", "--discovery", "none", "--rate", "1000000")
        self.addCleanup(self.node.process.wait)
        self.addCleanup(self.node.kill)
        self.addCleanup(self.node.process.stdin.close)

    def stranger(self, **options):
        stream = socket.create_connection(("127.0.0.1", self.node.ready()["port"]), timeout=20)
        self.addCleanup(stream.close)
        return Stranger("initiator", stream, **options)

    def give_deletions(self, member):
        """Gives deletions of 100 messages that never were, as history."""
        given = {}
        for _ in range(100):
            frame = member.payload(DELETE, os.urandom(16))
            given[member.last_id[:8]] = frame
        member.list_ids(HAVE, list(given))
        for wanted in member.hear_ids(WANT):
            member.send(given[wanted])

    def test_deletions_of_messages_that_never_were_displace_no_honest_one(self):
        author = self.stranger(nickname="author")
        author.say_publicly("regretted")
        self.node.hears("regretted")
        author.say(DELETE, author.last_id)
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

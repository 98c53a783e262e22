"""Texts that are over leave the web server: none is in its event log, its pages, its answers or its memory."""

import os
import sys
import time
import unittest
from pathlib import Path

from test_events import Stream
from web import WebTest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Interop"))

import memory  # noqa: E402
from earshot_node import HAS_SANITIZER  # noqa: E402

PATIENCE = 5


class Keeping(WebTest):
    def begin(self):
        """A node with an open page, which has shown a text of a peer and one of its own."""
        self.alice = self.served()
        self.bob = self.person("bob", self.alice)
        self.page = self.alice.socket()
        self.first = self.page.wait(event="snapshot")["seq"]
        self.theirs, self.ours = f"theirs {os.urandom(12).hex()}", f"ours {os.urandom(12).hex()}"
        self.bob.say(self.theirs)
        self.page.wait(event="message", text=self.theirs)

    def post(self, conversation="r1", key="key-1"):
        return self.alice.ask("POST", f"/api/v1/conversations/{conversation}/messages", {"text": self.ours},
                              {"Idempotency-Key": key})

    def befriend(self):
        self.bob.say(f"/msg {self.alice.node.number} {self.theirs}")
        self.page.wait(event="request")
        path = f"/api/v1/rooms/r1/requests/{self.bob.key}"
        self.assertEqual(self.alice.ask("POST", path, {"accept": True})[0], 204)
        self.bob.wait(lambda event: event["event"] == "direct", "acceptance")

    def resumed(self):
        """All that clients get that come back with an id of before."""
        stream, page = Stream(self.alice, self.first), self.alice.socket(f"?last={self.first}")
        mark = f"mark {os.urandom(8).hex()}"
        self.alice.node.say(mark)
        events = []
        while not events or events[-1].get("text") != mark:
            events.append(stream.next()[2])
        page.wait(event="message", text=mark)
        stream.close()
        page.close()
        return f"{events} {page.events}"

    def assertGone(self, *texts):
        told = self.resumed()
        for text in texts:
            self.assertNotIn(text, told)

    def test_a_wipe_leaves_no_text(self):
        self.begin()
        self.assertEqual(self.post()[0], 201)
        self.alice.node.result("wipe now")
        self.assertGone(self.theirs, self.ours)
        status, _, problem = self.post()
        self.assertEqual((status, problem["code"]), (404, "unknown_message"))
        self.assertNotIn(self.ours, str(problem))

    def test_a_room_that_is_left_leaves_no_text(self):
        self.begin()
        self.assertEqual(self.post()[0], 201)
        self.alice.node.result("join attic")
        self.alice.node.result("part lobby")
        self.page.wait(event="parted", room="lobby")
        self.assertGone(self.theirs, self.ours)
        self.assertEqual(self.post()[0], 404)

    def test_a_deleted_message_and_the_text_before_an_edit_are_gone(self):
        self.begin()
        said = self.post()[2]
        self.bob.say("/edit changed")
        self.page.wait(event="edited", text="changed")
        told = self.resumed()
        self.assertNotIn(self.theirs, told)
        self.assertIn("changed", told)
        self.assertEqual(self.alice.ask("DELETE", f"/api/v1/conversations/r1/messages/{said['id']}")[0], 204)
        self.bob.say("/delete")
        for _ in range(2):
            self.page.wait(event="deleted")
        self.assertGone(self.ours, "changed")
        self.assertEqual(self.post()[0], 404)

    def test_a_direct_conversation_that_is_left_is_history_and_a_request_that_is_declined_is_gone(self):
        self.begin()
        self.befriend()
        path = f"/api/v1/conversations/r1-{self.bob.key}/messages"
        said = self.post(f"r1-{self.bob.key}")[2]
        self.alice.node.say(f"/leave {self.bob.number}")
        self.page.wait(event="direct", state="left")
        # As `/history` of the node has it, so has the web server.
        self.assertIn(self.ours, str(self.alice.node.result(f"history {self.bob.number}")))
        self.assertIn(self.ours, str(self.alice.get(path)))
        self.assertIn(self.ours, self.resumed())
        self.assertEqual(self.post(f"r1-{self.bob.key}")[2]["id"], said["id"])
        asked = f"asked {os.urandom(12).hex()}"
        carol = self.person("carol", self.alice)
        carol.say(f"/msg {self.alice.node.number} {asked}")
        self.page.wait(event="request", text=asked)
        self.assertEqual(self.alice.ask("POST", f"/api/v1/rooms/r1/requests/{carol.key}", {"accept": False})[0], 204)
        self.page.wait(event="direct", state="declined")
        self.assertGone(asked)

    def test_the_texts_of_a_peer_that_is_blocked_are_gone_until_it_is_unblocked(self):
        self.begin()
        self.befriend()
        direct = f"direct {os.urandom(12).hex()}"
        self.bob.say(f"/msg {self.alice.node.number} {direct}")
        self.page.wait(event="message", text=direct)
        self.assertEqual(self.post()[0], 201)
        path = f"/api/v1/rooms/r1/people/{self.bob.key}/block"
        self.assertEqual(self.alice.ask("PUT", path)[0], 204)
        self.page.wait(event="blocked")
        self.assertGone(self.theirs, direct)
        pages = lambda: str([self.alice.ask("GET", f"/api/v1/conversations/{name}/messages")[2] for name in ("r1", f"r1-{self.bob.key}")])
        fresh = self.alice.socket()
        while fresh.next().get("more"):
            pass
        for kept in (pages(), str(fresh.events)):
            self.assertNotIn(self.theirs, kept)
            self.assertNotIn(direct, kept)
            self.assertIn(self.ours, kept)
        # The own text, and the answer with it, are the user's.
        self.assertEqual(self.post()[0], 201)
        self.assertEqual(self.alice.ask("DELETE", path)[0], 204)
        self.assertIn(self.theirs, pages())

    def put_up(self):
        """Cards of both, and an emoji of each on a message of the other."""
        self.begin()
        self.card, self.own = f"card {os.urandom(12).hex()}", f"own {os.urandom(12).hex()}"
        said = self.post()[2]
        theirs = next(message["id"] for message in self.alice.get("/api/v1/conversations/r1/messages")["messages"]
                      if message["text"] == self.theirs)
        self.bob.hears(self.ours)
        self.bob.say(f"/card hat | {self.card}")
        self.page.wait(event="card", text=self.card)
        self.put = self.post_card()[2]
        self.bob.say(f"/react {said['id']} 🦩")
        self.page.wait(event="reacted", emojis=["🦩"])
        path = f"/api/v1/conversations/r1/messages/{theirs}/reactions"
        self.assertEqual(self.alice.ask("PUT", path, {"emoji": "🦔", "on": True})[0], 204)
        self.page.wait(event="reacted", emojis=["🦔"])
        told = self.resumed()
        for text in (self.card, self.own, "🦩", "🦔"):
            self.assertIn(text, told)

    def post_card(self):
        return self.alice.ask("POST", "/api/v1/rooms/r1/board", {"title": "scarf", "text": self.own}, {"Idempotency-Key": "card-1"})

    def assertNoCard(self):
        status, _, problem = self.post_card()
        self.assertEqual((status, problem["code"]), (404, "unknown_card"))
        self.assertNotIn(self.own, str(problem))

    def test_a_wipe_leaves_no_card_and_no_reaction(self):
        self.put_up()
        self.alice.node.result("wipe now")
        self.assertGone(self.card, self.own, "🦩", "🦔")
        self.assertNoCard()

    def test_a_room_that_is_left_leaves_no_card_and_no_reaction(self):
        self.put_up()
        self.alice.node.result("join attic")
        self.alice.node.result("part lobby")
        self.page.wait(event="parted", room="lobby")
        self.assertGone(self.card, self.own, "🦩", "🦔")
        self.assertNoCard()

    def test_a_card_that_is_taken_down_is_gone_and_a_reaction_goes_with_its_message(self):
        self.put_up()
        self.assertEqual(self.alice.ask("DELETE", f"/api/v1/rooms/r1/board/{self.put['id']}")[0], 204)
        self.bob.say("/card remove")
        for _ in range(2):
            self.page.wait(event="cardRemoved")
        self.assertGone(self.card, self.own)
        self.assertNoCard()
        self.bob.say("/delete")
        self.page.wait(event="deleted")
        told = self.resumed()
        self.assertNotIn("🦔", told)
        self.assertIn("🦩", told)

    def test_the_cards_and_reactions_of_a_blocked_peer_are_gone(self):
        self.put_up()
        self.assertEqual(self.alice.ask("PUT", f"/api/v1/rooms/r1/people/{self.bob.key}/block")[0], 204)
        self.page.wait(event="blocked")
        # With a message of the peer, what the user gave it goes too.
        self.assertGone(self.card, "🦩", "🦔")
        self.assertIn(self.own, self.resumed())
        fresh = self.alice.socket()
        while fresh.next().get("more"):
            pass
        self.assertNotIn(self.card, str(fresh.events))
        self.assertIn(self.own, str(fresh.events))

    def test_a_client_that_reads_late_gets_no_text_that_is_over(self):
        self.begin()
        slow = self.alice.socket(sockopt=[(1, 8, 4096)])
        slow.next()
        for number in range(3_000):
            self.bob.say(f"{number} {self.theirs} {'x' * 180}")
        self.page.wait(text=f"2999 {self.theirs} {'x' * 180}")
        self.alice.node.result("wipe now")
        self.alice.node.say("end")
        slow.wait(event="message", text="end")
        self.assertNotIn(f"2999 {self.theirs}", str(slow.events))

    def spread(self):
        """Brings both texts to a stream, a page, pages of messages and an answer; the id of the own one."""
        self.begin()
        self.process = self.alice.node.process.pid
        if not memory.may_be_searched(self.process):
            self.skipTest("only root may read the program's memory")
        stream = Stream(self.alice)
        self.addCleanup(stream.close)
        status, _, said = self.post()
        self.assertEqual(status, 201)
        self.page.wait(event="message", text=self.ours)
        for _ in range(3):
            stream.next()
        self.alice.get("/api/v1/conversations/r1/messages")
        self.needles = [text.split()[1].encode() for text in (self.theirs, self.ours)]
        self.assertTrue(all(memory.occurrences(self.process, self.needles)))
        return said["id"]

    def assertVanished(self):
        deadline = time.monotonic() + PATIENCE
        while any(memory.occurrences(self.process, self.needles)) and time.monotonic() < deadline:
            pass
        self.assertEqual(memory.occurrences(self.process, self.needles), [0, 0])

    @unittest.skipIf(HAS_SANITIZER, "a sanitizer keeps what was freed")
    def test_no_copy_of_a_wiped_text_is_in_memory(self):
        self.spread()
        self.page.send(f"{self.ours} again")
        self.page.wait(event="message", text=f"{self.ours} again")
        self.alice.node.result("wipe now")
        self.page.wait(event="ready")
        self.assertVanished()

    @unittest.skipIf(HAS_SANITIZER, "a sanitizer keeps what was freed")
    def test_no_copy_of_a_wiped_card_is_in_memory(self):
        self.put_up()
        self.process = self.alice.node.process.pid
        if not memory.may_be_searched(self.process):
            self.skipTest("only root may read the program's memory")
        self.alice.get("/api/v1/rooms/r1/board")
        self.needles = [text.split()[1].encode() for text in (self.card, self.own)]
        self.assertTrue(all(memory.occurrences(self.process, self.needles)))
        self.alice.node.result("wipe now")
        self.page.wait(event="ready")
        self.assertVanished()

    @unittest.skipIf(HAS_SANITIZER, "a sanitizer keeps what was freed")
    def test_no_copy_of_a_deleted_text_is_in_memory(self):
        message = self.spread()
        self.assertEqual(self.alice.ask("DELETE", f"/api/v1/conversations/r1/messages/{message}")[0], 204)
        self.bob.say("/delete")
        for _ in range(2):
            self.page.wait(event="deleted")
        self.assertVanished()

    @unittest.skipIf(HAS_SANITIZER, "a sanitizer keeps what was freed")
    def test_no_copy_of_a_text_of_a_room_that_was_left_is_in_memory(self):
        self.spread()
        self.alice.node.result("join attic")
        self.alice.node.result("part lobby")
        self.page.wait(event="parted", room="lobby")
        self.assertVanished()


if __name__ == "__main__":
    unittest.main()

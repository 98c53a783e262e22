"""Snapshots in parts, the ends of streams, and pages of what was deleted or changed (Docs/Web.md, sections 3 and 4)."""

import json
import socket
import time
import unittest

from test_events import Stream
from web import WebTest

# Each takes seven scalars, all but the first of which show as nothing alone.
FLAG = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
TEXT = FLAG * 109


class Parts(WebTest):
    def full(self):
        """A node in six rooms, each with 100 of the longest messages."""
        rooms = ["lobby", *(f"room {number}" for number in range(5))]
        alice = self.served("alice", *(word for room in rooms for word in ("--room", room)))
        for room in rooms:
            for number in range(100):
                alice.node.say(f"@{room} {TEXT}{number % 10}")
        alice.node.say("end")
        alice.node.hears("end", 120)
        return alice

    def test_the_largest_snapshot_comes_in_parts_to_sockets_and_streams(self):
        alice = self.full()
        page = alice.socket()
        parts = [page.next()]
        while parts[-1]["more"]:
            self.assertNotIn("seq", parts[-1])
            parts.append(page.next())
        self.assertEqual([part["part"] for part in parts], list(range(len(parts))))
        self.assertLess(max(len(json.dumps(part, ensure_ascii=False).encode()) for part in parts), 65_536 + 16_384)
        messages = [message for part in parts for row in part["conversations"] for message in row["messages"]]
        self.assertEqual(len(messages), 600)
        self.assertEqual(len({message["id"] for message in messages}), 600)
        self.assertEqual({row["id"] for part in parts for row in part["conversations"]}, {f"r{n}" for n in range(1, 7)})
        alice.node.say("after")
        self.assertEqual(page.next()["text"], "after")
        stream = Stream(alice)
        self.assertEqual(stream.next()[1], "snapshot")
        read = [stream.next() for _ in range(600)]
        self.assertTrue(all(event[2]["snapshot"] for event in read))
        self.assertRegex(read[-1][0], r"^[0-9a-f]{8}-\d+$")
        self.assertIn("retry: 1000", stream.lines)
        stream.close()
        # Missed events are no less necessary than a snapshot.
        again = alice.socket(f"?last={read[-1][0].split('-')[0]}-0")
        self.assertEqual(again.next()["event"], "resumed")
        again.wait(event="message", text="after")
        self.assertGreater(sum(len(json.dumps(event, ensure_ascii=False).encode()) for event in again.events), 1 << 20)

    def test_a_text_goes_as_utf_8(self):
        alice = self.served()
        page = alice.socket()
        page.next()
        alice.node.say(TEXT)
        raw = page.client.recv()
        self.assertIn(TEXT, raw)
        connection = socket.create_connection(("127.0.0.1", alice.port), timeout=20)
        connection.sendall(f"GET /api/v1/conversations HTTP/1.1\r\nHost: 127.0.0.1:{alice.port}\r\n"
                           f"Authorization: Bearer {alice.token}\r\nConnection: close\r\n\r\n".encode())
        received = b""
        while part := connection.recv(65_536):
            received += part
        self.assertIn(TEXT.encode(), received)


class Ends(WebTest):
    def ended(self, alice, count):
        streams = [Stream(alice) for _ in range(count)]
        for stream in streams:
            stream.next()
        for stream in streams:
            stream.close()

    def clients(self, alice):
        for line in alice.get("/metrics").decode().splitlines():
            if line.startswith("earshot_web_clients"):
                return int(line.split()[1])
        raise AssertionError("no metric")

    def test_streams_that_end_are_noticed_though_nothing_happens(self):
        alice = self.served()
        for _ in range(3):
            self.ended(alice, 60)
        deadline = time.monotonic() + 10
        while self.clients(alice) > 1 and time.monotonic() < deadline:
            pass
        self.assertEqual(self.clients(alice), 1)
        page = alice.socket()
        self.assertEqual(page.next()["event"], "snapshot")

    def test_a_stream_that_is_silent_has_a_comment(self):
        alice = self.served()
        stream = Stream(alice)
        stream.next()
        begun = time.monotonic()
        self.assertEqual(stream.response.readline(), b": \n")
        self.assertGreater(time.monotonic() - begun, 10)


class Pages(WebTest):
    path = "/api/v1/conversations/r1/messages"

    def test_a_cursor_whose_message_was_deleted_still_pages(self):
        alice = self.served()
        bob = self.person("bob", alice)
        for number in range(20):
            bob.say(f"message {number}")
        alice.node.hears("message 19")
        ids = {message["text"]: message["id"] for message in alice.get(f"{self.path}?limit=100")["messages"]}
        bob.say(f"/delete {ids['message 10']}")
        bob.say(f"/delete {ids['message 11']}")
        for name in ("message 10", "message 11"):
            alice.node.wait(lambda event, name=name: event["event"] == "deleted" and event["id"] == ids[name], "deletion")
        for _ in range(2):
            before = alice.get(f"{self.path}?limit=3&before={ids['message 11']}")["messages"]
            self.assertEqual([message["text"] for message in before], ["message 7", "message 8", "message 9"])
            page = alice.get(f"{self.path}?limit=3&after={ids['message 10']}")
            self.assertEqual([message["text"] for message in page["messages"]], ["message 12", "message 13", "message 14"])
            self.assertEqual((page["previous"], page["next"]), (ids["message 12"], ids["message 14"]))

    def test_pages_end_where_the_node_forgets_and_show_changes(self):
        alice = self.served()
        bob = self.person("bob", alice)
        for number in range(20):
            bob.say(f"forgotten {number}")
        bob.say("first")
        alice.node.hears("first")
        bob.say("/edit first, changed")
        alice.node.wait(lambda event: event["event"] == "edited", "edit")
        for number in range(99):
            bob.say(f"message {number}")
        alice.node.hears("message 98")
        page = alice.get(f"{self.path}?limit=60")
        page = alice.get(f"{self.path}?limit=60&before={page['previous']}")
        self.assertEqual([(message["text"], message["edited"]) for message in page["messages"]][:2],
                         [("first, changed", True), ("message 0", False)])
        # As the terminal's /history: 100 messages.
        self.assertEqual((len(page["messages"]), page["previous"]), (40, None))

    def test_pages_show_the_delivery_of_now(self):
        alice = self.served()
        bob = self.person("bob", alice)
        alice.ask("POST", "/api/v1/rooms/r1/direct", {"to": bob.key, "text": "may I?"})
        bob.wait(lambda event: event["event"] == "request", "request")
        bob.say(f"/accept {alice.node.number}")
        alice.node.wait(lambda event: event["event"] == "direct", "acceptance")
        path = f"/api/v1/conversations/r1-{bob.key}/messages"
        for number in range(120):
            alice.ask("POST", path, {"text": f"message {number}"})
        last = alice.node.hears("message 119")["id"]
        alice.node.wait(lambda event: event["event"] == "delivered" and last in event["ids"], "delivery")
        page = alice.get(f"{path}?limit=50")
        older = alice.get(f"{path}?limit=50&before={page['previous']}")
        self.assertEqual(len(page["messages"] + older["messages"]), 100)
        self.assertEqual({message["delivery"] for message in page["messages"] + older["messages"]}, {"delivered"})


if __name__ == "__main__":
    unittest.main()

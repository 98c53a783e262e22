"""Streams: the WebSocket of the page, and Server-Sent Events (Docs/Web.md, section 4)."""

import http.client
import json
import unittest

import websocket
from web import WebTest


class Stream:
    """Server-Sent Events."""

    def __init__(self, served, last=None):
        self.lines = []
        self.connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=20)
        headers = {"Authorization": f"Bearer {served.token}"}
        if last:
            headers["Last-Event-ID"] = last
        self.connection.request("GET", "/api/v1/events", headers=headers)
        self.response = self.connection.getresponse()
        assert self.response.status == 200
        assert self.response.getheader("content-type") == "text/event-stream"

    def next(self):
        """(id, name, data)."""
        fields = {}
        while not {"event", "data"} <= set(fields):
            # A block without an event is `retry:` or a comment.
            while (line := self.response.readline().decode()) != "\n":
                if not line:
                    raise EOFError("the stream has ended")
                line = line.removesuffix("\n")
                name, value = line.split(":", 1)
                fields[name] = value.removeprefix(" ")
                self.lines.append(line)
        return fields.get("id"), fields["event"], json.loads(fields["data"])

    def close(self):
        self.response.close()
        self.connection.close()


class Events(WebTest):
    def test_a_stream_begins_with_a_snapshot_and_goes_on(self):
        alice = self.served()
        bob = self.person("bob", alice)
        bob.say("before")
        alice.node.hears("before")
        stream = Stream(alice)
        self.assertEqual(stream.next()[1], "snapshot")
        identity, name, data = stream.next()
        self.assertRegex(identity, r"^[0-9a-f]{8}-\d+$")
        self.assertEqual((name, data["text"], data["snapshot"]), ("added", "before", True))
        bob.say("after")
        last, name, data = stream.next()
        self.assertEqual((name, data["text"], data["conversationId"], data["seq"]), ("added", "after", "r1", last))
        bob.say("/edit changed")
        self.assertEqual(stream.next()[1:2], ("modified",))
        bob.say("/delete")
        name, data = stream.next()[1:]
        self.assertEqual(name, "removed")
        stream.close()
        again = Stream(alice, last)
        # No text of a message that was deleted is there any more.
        self.assertEqual([again.next()[1] for _ in range(2)], ["resumed", "removed"])
        again.close()
        for unknown in ("00000000-1", "x", f"{last.split('-')[0]}-999999", f"{last.split('-')[0]}--1"):
            other = Stream(alice, unknown)
            self.assertEqual(other.next()[1], "snapshot")
            other.close()

    def test_a_socket_has_a_snapshot_every_event_and_its_own_answers(self):
        alice = self.served()
        bob = self.person("bob", alice)
        first, second = alice.socket(), alice.socket()
        snapshot = first.next()
        self.assertEqual((snapshot["event"], snapshot["conversations"][0]["id"], snapshot["people"][0]["who"]["key"]),
                         ("snapshot", "r1", bob.key))
        second.next()
        first.send("hello from a page")
        bob.hears("hello from a page")
        alice.node.hears("hello from a page")
        said = first.wait(event="message", text="hello from a page")
        self.assertEqual(second.wait(event="message")["id"], said["id"])
        first.send("/whoami")
        self.assertEqual(first.wait(event="result")["command"], "whoami")
        first.send("/hwo")
        self.assertEqual(first.wait(event="error")["code"], "unknown_command")
        bob.say("end")
        second.wait(event="message", text="end")
        self.assertNotIn("result", {event["event"] for event in second.events})
        last = second.events[-1]["seq"]
        second.close()
        bob.say("while away")
        first.wait(event="message", text="while away")
        second = alice.socket(f"?last={last}")
        self.assertEqual([second.next()["event"], second.next()["text"]], ["resumed", "while away"])
        for message in (b"x" * 65_537, "two\nlines"):
            other = alice.socket()
            other.next()
            (other.client.send_binary if isinstance(message, bytes) else other.client.send)(message)
            with self.assertRaises((websocket.WebSocketException, ConnectionError, ValueError)):
                while True:
                    other.next()

    def test_two_pages_and_the_node_agree_what_is_open_and_unread(self):
        alice = self.served()
        bob = self.person("bob", alice)
        bob.say(f"/msg {alice.node.number} hi")
        alice.node.wait(lambda event: event["event"] == "request", "request")
        alice.node.say(f"/accept {bob.number}")
        bob.wait(lambda event: event["event"] == "direct", "acceptance")
        first, second = alice.socket(), alice.socket()
        first.next(), second.next()
        bob.say(f"/msg {alice.node.number} unread")
        for page in (first, second):
            self.assertEqual(page.wait(event="message", text="unread")["unread"], 1)
        self.assertEqual(alice.ask("PUT", f"/api/v1/conversations/r1-{bob.key}/active", {"active": True})[0], 204)
        for page in (first, second):
            opened = page.wait(event="opened")
            self.assertEqual((opened["with"]["key"], opened["conversationId"]), (bob.key, f"r1-{bob.key}"))
        alice.node.wait(lambda event: event["event"] == "opened" and event["conversation"] == "direct", "opening")
        alice.node.say("/close")
        for page in (first, second):
            self.assertEqual(page.wait(event="opened")["conversation"], "public")
        rows = {row["kind"]: (row["active"], row["unread"]) for row in alice.get("/api/v1/conversations")["conversations"]}
        self.assertEqual(rows, {"room": (True, 0), "direct": (False, 0)})

    def test_a_view_shows_its_own_conversation_and_what_any_shows_is_read(self):
        alice = self.served()
        bob = self.person("bob", alice)
        bob.say(f"/msg {alice.node.number} hi")
        alice.node.wait(lambda event: event["event"] == "request", "request")
        alice.node.say(f"/accept {bob.number}")
        bob.wait(lambda event: event["event"] == "direct", "acceptance")
        direct = f"r1-{bob.key}"
        page, other = alice.socket("?view=one"), alice.socket("?view=other")
        page.next(), other.next()

        def shows(view, name=direct, active=True):
            return alice.ask("PUT", f"/api/v1/conversations/{name}/active", {"active": active, "view": view})[0]

        def hears(text, count):
            bob.say(f"/msg {alice.node.number} {text}")
            self.assertEqual(other.wait(event="message", text=text)["unread"], count)

        hears("unread alice", 1)
        counts = other.wait(event="unread")
        self.assertEqual((counts["conversationId"], counts["unread"], counts["mentions"]), (direct, 1, 1))
        self.assertEqual(counts["firstUnread"], alice.get(f"/api/v1/conversations/{direct}/messages")["messages"][-1]["id"])
        self.assertEqual([shows("one"), shows("nobody"), shows("one", "r9")], [204, 409, 404])
        self.assertEqual((other.wait(event="unread")["unread"], alice.conversation("direct")["active"]), (0, True))
        hears("read", 0)
        # The open conversation of commands is the room's.
        self.assertTrue(alice.conversation()["active"])
        alice.node.say("to all")
        self.assertEqual(bob.hears("to all")["conversation"], "public")
        self.assertEqual(shows("other"), 204)
        page.close()
        hears("read in the other view", 0)
        self.assertEqual(shows("other", "r1"), 204)
        while alice.conversation("direct")["active"]:
            pass
        hears("unread again", 1)
        self.assertEqual(shows("other", active=False), 204)
        self.assertEqual(alice.conversation("direct")["unread"], 1)
        self.assertNotIn("opened", [event["event"] for event in other.events])
        # A further client changes nothing of what the others show.
        alice.node.result(f"open {bob.number}")
        self.assertEqual(shows("other", "r1"), 204)
        alice.socket("?view=third").next()
        self.assertEqual([alice.conversation(kind)["active"] for kind in ("room", "direct")], [True, True])
        hears("the terminal shows it", 0)
        self.assertEqual(alice.conversation("direct")["unread"], 0)

    def accepted(self, alice):
        bob = self.person("bob", alice)
        bob.say(f"/msg {alice.node.number} hi")
        alice.node.wait(lambda event: event["event"] == "request", "request")
        alice.node.say(f"/accept {bob.number}")
        bob.wait(lambda event: event["event"] == "direct", "acceptance")
        return bob

    def test_a_command_opens_its_conversation_in_the_view_of_its_client(self):
        alice = self.served()
        bob = self.accepted(alice)
        page = alice.socket("?view=one")
        page.next()

        def shown(view="one", **body):
            status, _, answer = alice.ask("POST", "/api/v1/commands", {**body, "view": view})
            self.assertEqual(status, 200, answer)
            return answer["shown"]

        def active(text):
            # A line of the terminal is for the lobby all the time.
            alice.node.say(text)
            heard = bob.hears(text)
            self.assertEqual((heard["conversation"], heard["room"]), ("public", "lobby"))
            return {row["id"] for row in alice.get("/api/v1/conversations")["conversations"] if row["active"]}

        direct = f"r1-{bob.key}"
        self.assertEqual(shown(line=f"/open {bob.number}", conversation="r1"), direct)
        self.assertEqual(active("one"), {"r1", direct})
        self.assertIsNone(shown(command="nick", operands={"name": "alicia"}))
        self.assertEqual(shown(command="join", operands={"room": "attic"}), "r2")
        self.assertEqual(active("two"), {"r1", "r2"})
        self.assertEqual(shown(command="close", room="attic"), "r2")
        self.assertEqual(shown(command="open", operands={"room": "lobby"}), "r1")
        self.assertEqual(active("three"), {"r1"})
        # A client whose WebSocket is not connected learns what it opened, and no view shows it.
        self.assertEqual(shown("gone", command="open", operands={"who": bob.key}, room="lobby"), direct)
        self.assertEqual(active("four"), {"r1"})
        self.assertNotIn("opened", [event["event"] for event in page.events])
        # Without a view it is the open conversation of all.
        answer = alice.ask("POST", "/api/v1/commands", {"command": "open", "operands": {"who": bob.key}, "room": "lobby"})[2]
        self.assertNotIn("shown", answer)
        page.wait(event="opened", conversationId=direct)

    def test_the_lines_of_a_client_open_conversations_in_its_own_view(self):
        alice = self.served()
        bob = self.accepted(alice)
        one, two = alice.socket(), alice.socket("?view=two")
        one.next(), two.next()

        def shown(client):
            client.send("/history")
            history = client.wait(event="result", command="history")
            return history["room"], history["conversation"]

        one.send(f"/open {bob.number}")
        self.assertEqual(one.wait(event="result", command="open")["with"]["key"], bob.key)
        self.assertEqual([shown(one), shown(two)], [("lobby", "direct"), ("lobby", "public")])
        two.send("/join attic")
        self.assertEqual(two.wait(event="result", command="join")["room"], "attic")
        one.send("to bob"), two.send("to the attic")
        self.assertEqual(bob.hears("to bob")["conversation"], "direct")
        self.assertEqual(two.wait(event="message", text="to the attic")["room"], "attic")
        alice.node.say("from the node")
        self.assertEqual(bob.hears("from the node")["conversation"], "public")
        active = {row["id"] for row in alice.get("/api/v1/conversations")["conversations"] if row["active"]}
        self.assertEqual(active, {"r1", "r2", f"r1-{bob.key}"})
        self.assertNotIn("opened", [event["event"] for event in one.events + two.events])
        # The view of a client goes with it.
        one.close()
        while alice.conversation("direct")["active"]:
            pass
        self.assertEqual(shown(two), ("attic", "public"))

    def test_a_page_that_is_loaded_again_learns_what_it_showed(self):
        alice = self.served()
        bob = self.accepted(alice)
        direct = f"r1-{bob.key}"

        def session(code):
            return alice.ask("POST", "/api/v1/session", {"code": code}, token="")[2]

        def shows(admitted, conversation, view):
            page = alice.socket(f"?view={view}", protocols=["earshot.v1", f"t.{alice.token}", f"r.{admitted['reload']}"])
            page.next()
            if conversation:
                self.assertEqual(alice.ask("PUT", f"/api/v1/conversations/{conversation}/active", {"active": True, "view": view})[0], 204)
                while not alice.conversation("direct")["active"]:
                    pass
            return page

        first = session(alice.link().split("=")[1])
        self.assertIsNone(first["shown"])
        page = shows(first, direct, "one")
        # The WebSocket of the page before may end later.
        self.assertEqual(session(first["reload"])["shown"], direct)
        page.close()
        while alice.conversation("direct")["active"]:
            pass
        second = session(first["reload"])
        self.assertEqual(second["shown"], direct)
        # Loaded again before it has shown anything, and by another link.
        self.assertEqual(session(second["reload"])["shown"], direct)
        self.assertIsNone(session(alice.link().split("=")[1])["shown"])
        alice.node.say("/wipe now")
        alice.node.wait(lambda event: event["event"] == "ready" and event["self"]["key"] != alice.node.key, "new identity")
        alice.get("/api/v1/conversations")
        self.assertIsNone(session(second["reload"])["shown"])

    def test_changes_come_as_rows(self):
        alice = self.served()
        page = alice.socket()
        page.next()
        bob = self.person("bob", alice)
        row = page.wait(event="conversation", online=1)
        self.assertEqual((row["id"], row["kind"], row["self"]["key"], row["typing"]), ("r1", "room", alice.node.key, []))
        kinds = [event["event"] for event in page.events]
        self.assertEqual(kinds.index("note") < kinds.index("person"), True, kinds)
        note, person = (next(event for event in page.events if event["event"] == kind) for kind in ("note", "person"))
        self.assertEqual((note["conversationId"], note["came"], note["left"], note["renames"]), ("r1", 1, 0, []))
        listed = alice.get("/api/v1/people")["people"][0]
        self.assertEqual({name: person[name] for name in listed if name not in ("since", "roundTripMs")},
                         {name: value for name, value in listed.items() if name not in ("since", "roundTripMs")})
        bob.say("/typing")
        self.assertEqual([who["key"] for who in page.wait(event="conversation")["typing"]], [bob.key])
        bob.say("hello")
        self.assertEqual(page.wait(event="conversation")["typing"], [])
        message = page.wait(event="message", text="hello")
        self.assertEqual((message["before"], message["roomId"]), (None, "r1"))
        was = bob.result("whoami")["who"]["displayName"]
        bob.result("nick robert")
        renamed = page.wait(event="note", renamed=1)
        self.assertEqual(renamed["renames"], [{"key": bob.key, "was": was, "is": f"robert#{bob.number}", "own": False}])
        self.assertEqual(renamed["number"], note["number"] + 1)
        self.assertEqual(page.wait(event="person")["who"]["nickname"], "robert")
        alice.node.result("nick alicia")
        self.assertEqual(page.wait(event="note", renamed=2)["renames"][1]["own"], True)
        self.assertEqual(page.wait(event="conversation")["self"]["nickname"], "alicia")
        # The row of a conversation comes in front of its first message.
        bob.say(f"/msg {alice.node.number} hi")
        alice.node.wait(lambda event: event["event"] == "request", "request")
        alice.node.say(f"/accept {bob.number}")
        row = page.wait(event="conversation", kind="direct")
        self.assertEqual((row["id"], row["with"]["key"]), (f"r1-{bob.key}", bob.key))
        bob.say("and on")
        last = page.wait(event="message", text="and on")
        self.assertNotIn("ended", [event["event"] for event in page.events])
        # A client that comes back gets the same rows.
        resumed = alice.socket(f"?last={note['seq']}")
        kinds = []
        while resumed.next()["seq"] != last["seq"] or resumed.events[-1]["event"] == "resumed":
            kinds.append(resumed.events[-1]["event"])
        self.assertLess({"person", "conversation", "note", "message"}, set(kinds))

    def test_changes_by_commands_come_as_rows(self):
        alice = self.served()
        bob = self.person("bob", alice)
        page = alice.socket()
        page.next()
        direct = f"r1-{bob.key}"

        def rows(event, **fields):
            return [each for each in page.events if each["event"] == event and all(each.get(name) == fields[name] for name in fields)]

        for text in ("one", "two"):
            bob.say(text)
            page.wait(event="message", text=text)
        alice.node.say("three")
        page.wait(event="message", text="three")
        bob.say(f"/msg {alice.node.number} may I?")
        page.wait(event="request")
        # The text of the request is a message now.
        alice.node.say(f"/accept {bob.number}")
        page.wait(event="requestEnded", conversationId=direct)
        asked = page.wait(event="message", text="may I?")
        self.assertEqual((asked["conversationId"], asked["before"], asked["snapshot"]), (direct, None, True))
        alice.node.say(f"/block {bob.number}")
        page.wait(event="person", blocked=True)
        alice.node.say(f"/unblock {bob.number}")
        back = [page.wait(event="message", snapshot=True, conversationId="r1") for _ in range(2)]
        self.assertEqual([message["text"] for message in back], ["one", "two"])
        self.assertEqual({message["before"] for message in back}, {rows("message", text="three")[0]["id"]})
        page.wait(event="message", text="may I?", snapshot=True)
        # A request that a mute hides is shown again behind it.
        carol = self.person("carol", alice)
        carol.say(f"/msg {alice.node.number} and I?")
        page.wait(event="request")
        alice.node.say(f"/mute {carol.number}")
        page.wait(event="requestEnded", conversationId=f"r1-{carol.key}")
        alice.node.say(f"/unmute {carol.number}")
        self.assertEqual(page.wait(event="request", snapshot=True)["text"], "and I?")
        self.assertFalse(rows("snapshot")[1:] or rows("refreshed"))

    def test_leaving_a_room_is_an_event(self):
        alice = self.served()
        page = alice.socket()
        page.next()
        self.assertEqual(alice.ask("POST", "/api/v1/commands", {"line": "/join attic"})[0], 200)
        self.assertEqual(page.wait(event="ready")["room"], "attic")
        # Leaving a room that is not the open one takes nothing from that.
        alice.node.say("/room lobby")
        alice.node.say("stays")
        page.wait(event="message", text="stays")
        alice.node.say("/part attic")
        told = []
        while not told or told[-1]["event"] != "parted":
            told.append(page.next())
        self.assertEqual(told[-1]["room"], "attic")
        alice.node.say("more")
        while told[-1]["event"] != "message":
            told.append(page.next())
        self.assertEqual((told[-1]["text"], told[-1]["before"]), ("more", None))
        self.assertNotIn("deleted", [event["event"] for event in told])
        self.assertEqual([row["room"] for row in alice.get("/api/v1/conversations")["conversations"]], ["lobby"])

    def test_the_node_leaves_with_open_streams_and_says_so(self):
        alice = self.served()
        page = alice.socket()
        page.next()
        stream = Stream(alice)
        stream.next()
        self.assertEqual(alice.quit(), 0)
        opcode, data = page.client.recv_data(control_frame=True)
        self.assertEqual((opcode, data[:2]), (websocket.ABNF.OPCODE_CLOSE, (1001).to_bytes(2, "big")))
        self.assertEqual(stream.response.read(), b"")

    def test_a_client_that_does_not_read_is_let_go_and_delays_no_other(self):
        alice = self.served()
        bob = self.person("bob", alice)
        slow, page = alice.socket(sockopt=[(1, 8, 4096)]), alice.socket()
        slow.next(), page.next()
        text = "가" * 240
        for number in range(6_000):
            bob.say(f"{number} {text[:230]}")
            # All of them are more than may wait for a reader.
            if number % 500 == 499:
                page.wait(text=f"{number} {text[:230]}")
        dropped = alice.node.result("stats")["web_dropped"]
        self.assertEqual(dropped, 1)
        self.assertEqual(len([event for event in page.events if event["event"] == "message"]), 6_000)


class SmallTalk(WebTest):
    def test_reactions_and_cards_are_events_of_both_streams(self):
        alice = self.served()
        bob = self.person("bob", alice)
        page, stream = alice.socket(), Stream(alice)
        page.wait(event="snapshot")
        self.assertEqual(stream.next()[1], "snapshot")
        bob.say("hello")
        said = page.wait(event="message", text="hello")
        self.assertEqual((said["replyTo"], said["reactions"]), (None, []))
        bob.say(f"/react {said['id']} 👍")
        bob.say(f"/re {said['id']} again")
        bob.say("/card --color red lost | a hat")
        reacted = page.wait(event="reacted")
        self.assertEqual((reacted["id"], reacted["conversationId"], reacted["roomId"], reacted["from"]["key"], reacted["emojis"]),
                         (said["id"], "r1", "r1", bob.key, ["👍"]))
        self.assertEqual(reacted["reactions"], [{"emoji": "👍", "count": 1, "own": False}])
        self.assertEqual(page.wait(event="message", text="again")["replyTo"], said["id"])
        card = page.wait(event="card")
        self.assertEqual((card["title"], card["text"], card["cardColor"], card["roomId"], card["conversationId"]),
                         ("lost", "a hat", "red", "r1", "r1"))
        bob.say("/card remove")
        gone = page.wait(event="cardRemoved")
        self.assertEqual((gone["id"], gone["reason"], gone["roomId"]), (card["id"], "removed", "r1"))
        names = []
        while "cardRemoved" not in names:
            names.append(stream.next()[1])
        # A card that is gone before a stream was written has no event there.
        self.assertEqual([name for name in names if name in ("added", "reacted")], ["added", "reacted", "added"])
        stream.close()
        # A client that comes back has the reactions as they are now, and no text of a card that is gone.
        later = alice.socket(f"?last={said['seq']}")
        self.assertEqual(later.next()["event"], "resumed")
        later.wait(event="cardRemoved")
        self.assertEqual([event["event"] for event in later.events if event["event"] in ("reacted", "card")], ["reacted"])
        later.close()

    def test_a_snapshot_has_cards_reactions_and_answers(self):
        alice = self.served()
        bob = self.person("bob", alice)
        bob.say("hello")
        said = alice.node.hears("hello")["id"]
        bob.say(f"/re {said} again")
        bob.say(f"/react {said} 👍")
        bob.say("/card lost | a hat")
        alice.node.wait(lambda event: event["event"] == "card", "card")
        page = alice.socket()
        snapshot = page.next()
        self.assertEqual([(card["title"], card["roomId"], card["from"]["key"]) for card in snapshot["cards"]], [("lost", "r1", bob.key)])
        messages = snapshot["conversations"][0]["messages"]
        self.assertEqual([(message["replyTo"], [row["emoji"] for row in message["reactions"]]) for message in messages],
                         [(None, ["👍"]), (said, [])])
        stream = Stream(alice)
        events = [stream.next() for _ in range(4)]
        self.assertEqual([name for _, name, _ in events], ["snapshot", "card", "added", "added"])
        self.assertEqual((events[1][2]["title"], events[1][2]["snapshot"]), ("lost", True))
        stream.close()
        page.close()

    def test_blocking_takes_reactions_and_cards_away_and_gives_them_back(self):
        alice = self.served()
        bob = self.person("bob", alice)
        alice.node.say("mine")
        mine = bob.hears("mine")["id"]
        page = alice.socket()
        page.wait(event="snapshot")
        bob.say(f"/react {mine} 👍")
        bob.say("/card lost | a hat")
        page.wait(event="card")
        path = f"/api/v1/rooms/r1/people/{bob.key}/block"
        self.assertEqual(alice.ask("PUT", path)[0], 204)
        self.assertEqual(page.wait(event="reacted")["reactions"], [])
        self.assertEqual(page.wait(event="cardRemoved")["reason"], "hidden")
        self.assertEqual(alice.get("/api/v1/rooms/r1/board"), {"cards": []})
        self.assertEqual(alice.ask("DELETE", path)[0], 204)
        back = [page.wait(event=name) for name in ("reacted", "card")]
        self.assertEqual((back[0]["reactions"][0]["emoji"], back[1]["title"]), ("👍", "lost"))
        page.close()


if __name__ == "__main__":
    unittest.main()

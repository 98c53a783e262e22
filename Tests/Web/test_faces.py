"""A change by one face is shown by every other one: WebSocket, Server-Sent Events, control socket, API, STOMP and Socket.IO."""

import json
import os
import pathlib
import queue
import sys
import time
import unittest

import socketio
import stomp
from earshot_node import HAS_SANITIZER
from test_events import Stream
from web import WebTest

for folder in ("Contract", "Interop"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / folder))

import memory  # noqa: E402
from control import Client  # noqa: E402

PATIENCE = 5


class Queue:
    """Events of a client's thread."""

    def __init__(self):
        self.seen = []
        self.events = queue.Queue()

    def wait(self, matches):
        """The next event that matches."""
        while True:
            event = self.events.get(timeout=20)
            self.seen.append(event)
            if matches(event):
                return event


class Subscriber(Queue, stomp.ConnectionListener):
    """A client of STOMP that is subscribed to all of the lobby, over TCP or a WebSocket."""

    def __init__(self, served, connection):
        Queue.__init__(self)
        connection.set_listener("test", self)
        connection.connect(wait=True, passcode=served.token)
        for number, place in enumerate(("/channel/lobby", "/user/queue/direct", "/topic/people/lobby")):
            connection.subscribe(place, id=str(number), headers={"receipt": str(number)})
            self.wait(lambda event, number=number: event == str(number))

    def on_receipt(self, frame):
        self.events.put(frame.headers["receipt-id"])

    def on_message(self, frame):
        self.events.put(json.loads(frame.body))

    def change(self, kind, identity):
        """The change of that kind of a message."""
        return self.wait(lambda event: event.get("change") == kind and event["id"] == identity)

    def event(self, name, **wanted):
        return self.wait(lambda event: event.get("event") == name and all(event[key] == value for key, value in wanted.items()))


class Chatter(Queue):
    """A client of Socket.IO."""

    def __init__(self, served):
        super().__init__()
        self.client = socketio.Client(reconnection=False)
        for name in ("userList", "newChatMessage", "chatMessageRemoved", "userConnectUpdate", "userExitUpdate"):
            self.client.on(name, lambda *arguments, name=name: self.events.put((name, arguments)))
        self.client.connect(f"http://127.0.0.1:{served.port}", auth={"token": served.token}, transports=["websocket"], wait_timeout=20)

    def next(self, name):
        return self.wait(lambda event: event[0] == name)[1]


class Tail:
    """A tail at the control socket."""

    def __init__(self, path):
        self.client = Client(path)
        self.seen = []
        self.client.write(b"tail\n")
        self.event("ready")

    def event(self, name):
        while True:
            event = self.client.read()
            self.seen.append(event)
            if event["event"] == name:
                return event


class Faces(WebTest):
    def begin(self, *options):
        self.control_path = os.path.join(self.folder, "control")
        self.alice = self.served("alice", "--stomp", "0", "--control", self.control_path, *options)
        place = self.alice.node.wait(lambda event: event["event"] == "listening" and event["face"] == "stomp", "listening")
        self.bob = self.person("bob", self.alice)
        self.page = self.alice.socket()
        self.first = self.page.wait(event="snapshot")["seq"]
        self.over_tcp = stomp.Connection12([("127.0.0.1", int(place["address"].rsplit(":", 1)[1]))])
        self.over_socket = stomp.WSStompConnection([("127.0.0.1", self.alice.port)], ws_path="/stomp")

    def subscribers(self):
        return [Subscriber(self.alice, connection) for connection in (self.over_tcp, self.over_socket)]

    def stream(self, last=None):
        stream = Stream(self.alice, last)
        self.addCleanup(stream.close)
        return stream

    def tail(self):
        tail = Tail(self.control_path)
        self.addCleanup(tail.client.close)
        return tail

    def chatter(self):
        chatter = Chatter(self.alice)
        self.addCleanup(chatter.client.disconnect)
        chatter.client.emit("connectUser", ("alice",))
        chatter.next("userList")
        return chatter

    def command(self, name, /, **operands):
        self.assertEqual(self.alice.ask("POST", "/api/v1/commands", {"command": name, "operands": operands})[0], 200)

    def me(self):
        return self.alice.get("/api/v1/me")["rooms"][0]

    def test_the_own_state_and_name_reach_every_face(self):
        self.begin()
        subscribers, chatter, stream, tail = self.subscribers(), self.chatter(), self.stream(), self.tail()
        while stream.next()[1] != "snapshot":
            pass
        for set_state, state, reason in (
                (lambda: self.alice.node.say("/away lunch"), "away", "lunch"),
                (lambda: self.command("back"), "online", None)):
            set_state()
            for told in (self.alice.node.wait(lambda event: event["event"] == "status" and event["state"] == state, "own state"),
                         self.page.wait(event="status"), tail.event("status"), *(client.event("status") for client in subscribers)):
                self.assertEqual((told["room"], told["state"], told["reason"], told["about"]), ("lobby", state, reason, None))
            while (told := stream.next())[1] != "status":
                pass
            self.assertEqual(told[2]["reason"], reason)
            self.assertEqual((self.me()["state"], self.me()["reason"]), (state, reason))
            self.assertEqual(self.alice.node.result("whoami")["reason"], reason)
        # Without a change the command is answered too.
        self.assertEqual(self.alice.ask("POST", "/api/v1/commands", {"line": "/back"})[2]["text"], ["you are back"])
        self.alice.node.say("/about a red hat")
        self.assertEqual(self.page.wait(event="status")["about"], "a red hat")
        self.assertEqual(self.me()["about"], "a red hat")
        answer = self.alice.ask("POST", "/api/v1/commands", {"line": "/nick ada"})[2]
        name = f"ada#{self.alice.node.number}"
        self.assertEqual(answer["text"], [f"you are now {name}"])
        self.assertEqual(self.alice.node.wait(lambda event: event["event"] == "renamed", "new name")["self"]["displayName"], name)
        for client in subscribers:
            self.assertEqual(client.event("renamed")["self"]["displayName"], name)
        self.assertEqual(chatter.next("userConnectUpdate")[0]["nickname"], name)

    def test_marks_and_names_that_the_user_gives_reach_every_face(self):
        self.begin("--identity", os.path.join(self.folder, "identity"))
        subscribers, chatter, tail = self.subscribers(), self.chatter(), self.tail()
        number = str(self.bob.number)
        for command, operands, member in (("mute", {}, ("muted", True)), ("unmute", {}, ("muted", False)),
                                          ("verify", {"verified": True}, ("verified", True)),
                                          ("contact", {"name": "Robert"}, ("displayName", f"★Robert#{number}")),
                                          ("uncontact", {}, ("displayName", f"bob#{number}"))):
            self.command(command, who=number, **operands)
            name, value = member
            for told in (self.page.wait(event="person"), tail.event("person"), *(client.event("person") for client in subscribers),
                         self.alice.node.wait(lambda event: event["event"] == "person", command, from_start=False)):
                self.assertEqual((told["who"]["key"], {**told, **told["who"]}[name]), (self.bob.key, value), command)
            user, _ = chatter.next("userConnectUpdate")
            self.assertEqual((user["id"], user["isConnected"]), (self.bob.key, True))
            if name == "displayName":
                self.assertEqual(user["nickname"], value)

    def test_clients_of_the_gateways_hear_which_messages_go_and_come_back(self):
        self.begin()
        subscribers, chatter = self.subscribers(), self.chatter()
        self.bob.say("in the room")
        said = self.page.wait(event="message")["id"]
        offset = chatter.next("newChatMessage")[-1]
        self.bob.say(f"/msg {self.alice.node.number} may I?")
        self.page.wait(event="request")
        self.alice.node.say(f"/accept {self.bob.number}")
        self.bob.wait(lambda event: event["event"] == "direct", "acceptance")
        self.bob.say(f"/msg {self.alice.node.number} between us")
        direct = self.page.wait(event="message", text="between us")["id"]
        for client in subscribers:
            client.change("added", direct)
        path = f"/api/v1/rooms/r1/people/{self.bob.key}/block"
        self.assertEqual(self.alice.ask("PUT", path)[0], 204)
        for client in subscribers:
            client.event("blocked", on=True)
            gone = [client.wait(lambda event: event.get("change") == "removed") for _ in range(3)]
            self.assertLessEqual({said, direct}, {change["id"] for change in gone})
            self.assertEqual({change["content"]["text"] for change in gone}, {""})
        self.assertEqual(chatter.next("chatMessageRemoved")[0], offset)
        self.assertEqual(self.alice.ask("DELETE", path)[0], 204)
        for client in subscribers:
            self.assertEqual(client.change("added", said)["content"]["text"], "in the room")
            self.assertEqual(client.change("added", direct)["content"]["text"], "between us")
        again = chatter.next("newChatMessage")
        self.assertEqual(again[1], "in the room")
        self.alice.node.result("wipe now")
        for client in subscribers:
            client.change("removed", said)
        self.assertEqual(chatter.next("chatMessageRemoved")[0], again[-1])
        # The subscriptions and the session go on in the next room of that name.
        self.alice.node.say("behind the wipe")
        for client in subscribers:
            client.wait(lambda event: event.get("change") == "added" and event["content"]["text"] == "behind the wipe")
        while chatter.next("newChatMessage")[1] != "behind the wipe":
            pass

    def test_people_go_with_a_room_and_the_next_one_of_its_name_begins(self):
        self.begin()
        self.bob.say("in the room")
        self.page.wait(event="message", text="in the room")
        subscribers, chatter, tail = self.subscribers(), self.chatter(), self.tail()
        self.bob.say("again")
        said = chatter.next("newChatMessage")[-1]
        for line in ("/join kitchen", "/part kitchen"):
            self.assertEqual(self.alice.ask("POST", "/api/v1/commands", {"line": line})[0], 200)
        self.assertEqual(tail.event("parted"), {"event": "parted", "room": "kitchen"})
        self.bob.say(f"/msg {self.alice.node.number} may I?")
        self.page.wait(event="request")
        self.alice.node.say(f"/accept {self.bob.number}")
        self.bob.wait(lambda event: event["event"] == "direct", "acceptance")
        self.bob.say(f"/msg {self.alice.node.number} between us")
        self.page.wait(event="message", text="between us")
        self.alice.node.result("wipe now")
        self.assertEqual(tail.event("parted")["room"], "lobby")
        name = tail.event("ready")["self"]["displayName"]
        for client in subscribers:
            self.assertEqual(client.event("result", peers=[])["here"], 0)
            self.assertEqual(client.event("ready")["self"]["displayName"], name)
        # Of direct messages, which it never got, the session learns nothing.
        self.assertIn(said, [arguments[0] for arguments in self.until(chatter, "chatMessageRemoved", "userList")])
        self.assertEqual(chatter.seen[-1][1][0], [])
        self.assertEqual(chatter.next("userConnectUpdate")[0]["nickname"], name)

    def until(self, chatter, name, last):
        """The arguments of the events of a name in front of the next one of another name."""
        known = len(chatter.seen)
        chatter.next(last)
        found = [arguments for event, arguments in chatter.seen[known:] if event == name]
        self.assertLessEqual(len(found), 2)
        return found

    def test_an_ended_request_and_one_that_is_shown_again_reach_every_face(self):
        self.begin()
        subscribers, tail = self.subscribers(), self.tail()
        self.bob.say(f"/msg {self.alice.node.number} may I?")
        path = f"/api/v1/rooms/r1/people/{self.bob.key}/block"
        clients = [*subscribers, tail]
        for client in clients:
            client.event("request")
        self.assertEqual(self.alice.ask("PUT", path)[0], 204)
        for client in subscribers:
            self.assertIn(self.bob.key, client.event("requestEnded")["conversationId"])
        self.assertEqual(tail.event("requestEnded"), {"event": "requestEnded", "room": "lobby", "key": self.bob.key})
        self.assertEqual(self.alice.ask("DELETE", path)[0], 204)
        for client in clients:
            self.assertEqual(client.event("request")["text"], "may I?")
        self.alice.node.say(f"/accept {self.bob.number}")
        shown = tail.event("message")
        self.assertEqual((shown["text"], shown["snapshot"]), ("may I?", True))
        self.bob.wait(lambda event: event["event"] == "direct", "acceptance")
        self.bob.say(f"/open {self.alice.node.number}")
        self.bob.say(f"/edit {shown['id']} May I now?")
        edited = tail.event("edited")
        self.assertEqual((edited["id"], edited["text"]), (shown["id"], "May I now?"))

    def test_the_names_of_a_blocked_peer_leave_notes_and_lists(self):
        self.begin()
        self.bob.say("/nick robert")
        self.assertEqual(self.page.wait(event="note", renamed=1)["renames"][0]["key"], self.bob.key)
        self.assertEqual(self.alice.ask("PUT", f"/api/v1/rooms/r1/people/{self.bob.key}/block")[0], 204)
        self.assertEqual(self.page.wait(event="note", renamed=0)["renames"], [])
        mark = f"mark {os.urandom(8).hex()}"
        self.alice.node.say(mark)
        resumed = self.alice.socket(f"?last={self.first}")
        resumed.wait(event="message", text=mark)
        notes = [event for event in resumed.events if event["event"] == "note"]
        self.assertTrue(notes)
        self.assertEqual([event["renames"] for event in notes], [[]] * len(notes))
        chatter = Chatter(self.alice)
        self.addCleanup(chatter.client.disconnect)
        chatter.client.emit("connectUser", ("alice",))
        users, = chatter.next("userList")
        self.assertNotIn(self.bob.key, [user["id"] for user in users])

    def write_about_itself(self):
        """Bob writes a text of each kind; the texts."""
        reason, about, room, request = (os.urandom(12).hex() for _ in range(4))
        self.bob.say(f"/away {reason}")
        self.page.wait(event="peer", reason=reason)
        self.bob.say(f"/about {about}")
        self.bob.say("/back")
        self.page.wait(event="peer", state="online")
        self.bob.say(f"/away {reason}")
        self.page.wait(event="peer", reason=reason)
        self.assertIn(about, str(self.alice.node.result(f"whois {self.bob.number}")))
        self.bob.say(f"/msg {self.alice.node.number} {request}")
        self.page.wait(event="request")
        self.alice.node.say(f"/accept {self.bob.number}")
        self.bob.wait(lambda event: event["event"] == "direct", "acceptance")
        self.bob.say(f"/join {room}")
        self.bob.wait(lambda event: event["event"] == "result" and event["command"] == "join", "room")
        self.bob.say(f"@lobby /invite {self.alice.node.number} {room}")
        self.page.wait(event="invitation", to=room)
        return [reason, about, room, request]

    def resumed(self):
        """All that clients get that come back with an id of before, and those that come anew."""
        stream, page, tail = self.stream(self.first), self.alice.socket(f"?last={self.first}"), self.tail()
        fresh = self.alice.socket()
        while fresh.next().get("more"):
            pass
        mark = f"mark {os.urandom(8).hex()}"
        self.alice.node.say(mark)
        told = []
        while not told or told[-1].get("text") != mark:
            told.append(stream.next()[2])
        page.wait(event="message", text=mark)
        while tail.event("message")["text"] != mark:
            pass
        return f"{told} {page.events} {tail.seen} {fresh.events} {self.alice.get('/api/v1/people')} {self.alice.node.result('rooms')}"

    def test_texts_of_a_blocked_peer_about_itself_are_in_no_stream(self):
        self.begin()
        texts = self.write_about_itself()
        self.assertEqual(self.alice.ask("PUT", f"/api/v1/rooms/r1/people/{self.bob.key}/block")[0], 204)
        self.page.wait(event="blocked")
        self.page.wait(event="peer", state="offline")
        told = self.resumed()
        for text in texts:
            self.assertNotIn(text, told)
        # The states are there, without the reasons.
        self.assertIn("'state': 'away'", told)
        self.assertNotIn(texts[1], str(self.alice.node.result(f"whois {self.bob.number}")))

    @unittest.skipIf(HAS_SANITIZER, "a sanitizer keeps what was freed")
    def test_no_copy_of_these_texts_is_in_memory(self):
        self.begin()
        process = self.alice.node.process.pid
        if not memory.may_be_searched(process):
            self.skipTest("only root may read the program's memory")
        subscribers, chatter, tail = self.subscribers(), self.chatter(), self.tail()
        reason, about, room, _ = (text.encode() for text in self.write_about_itself())
        needles = [reason, about, room]
        self.assertTrue(all(memory.occurrences(process, needles)))
        self.assertEqual(self.alice.ask("PUT", f"/api/v1/rooms/r1/people/{self.bob.key}/block")[0], 204)
        self.page.wait(event="peer", state="offline")
        for client in subscribers:
            client.event("peer", state="offline")
        chatter.next("userExitUpdate")
        while tail.event("peer")["state"] != "offline":
            pass
        deadline = time.monotonic() + PATIENCE
        while any(memory.occurrences(process, needles)) and time.monotonic() < deadline:
            pass
        self.assertEqual(memory.occurrences(process, needles), [0, 0, 0])


if __name__ == "__main__":
    unittest.main()

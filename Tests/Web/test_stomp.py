"""The STOMP gateway, by independent clients: stomp.py over TCP and WebSocket, and frames byte by byte (Docs/Web.md, section 5)."""

import base64
import binascii
import dataclasses
import json
import queue
import socket
import subprocess
import unittest

import stomp
import websocket
from earshot_node import Node
from web import Served, WebTest


class Heard(stomp.ConnectionListener):
    """Puts frames into a queue."""

    def __init__(self):
        self.frames = queue.Queue()

    def on_message(self, frame):
        self.frames.put(("MESSAGE", frame.headers, json.loads(frame.body)))

    def on_receipt(self, frame):
        self.frames.put(("RECEIPT", frame.headers, None))

    def on_error(self, frame):
        self.frames.put(("ERROR", frame.headers, frame.body))

    def on_disconnected(self):
        self.frames.put(("disconnected", {}, None))

    def next(self, kind):
        while True:
            found = self.frames.get(timeout=20)
            if found[0] == kind:
                return found


def swift_stomp(text):
    """A frame as SwiftStomp's parser reads it (from a description of its source): it stops at a header with a second colon and
    unescapes none, and it takes a body that is base64 for data."""
    assert text.endswith("\0")
    lines = text[:-1].split("\n")
    headers = {}
    place = 1
    while lines[place]:
        name, value = lines[place].split(":")
        assert "\\" not in name + value
        headers.setdefault(name, value)
        place += 1
    body = "\n".join(lines[place + 1:])
    try:
        assert not body or not base64.b64decode(body.encode(), validate=True), "a body would be data"
    except binascii.Error:
        pass
    return lines[0], headers, body


@dataclasses.dataclass
class Content:
    """As the seeds' client has it: each member is needed, and a card's title and colour are texts."""

    type: str
    title: str
    text: str
    cardColor: str


@dataclasses.dataclass
class Message:
    change: str
    id: str
    channelId: str
    senderUserId: str
    content: Content
    createdAt: str


class DecodingError(Exception):
    pass


def decoded(kind, value):
    """A value of a dataclass, as a typed decoder makes it: a member that is missing, null or of another type is an error."""
    if not isinstance(value, dict):
        raise DecodingError(f"no object: {value!r}")
    members = {}
    for field in dataclasses.fields(kind):
        given = value.get(field.name)
        if dataclasses.is_dataclass(field.type):
            members[field.name] = decoded(field.type, given)
        elif isinstance(given, field.type):
            members[field.name] = given
        else:
            raise DecodingError(f"{field.name} can not be {given!r}")
    if kind is Content and members["type"] not in ("TEXT", "CARD"):
        raise DecodingError(f"no content: {members['type']}")
    return kind(**members)


class Gateway(WebTest):
    def gateway(self, *options):
        alice = Served("alice", "--stomp", "0", *options)
        self.addCleanup(lambda: alice.node.process.poll() is None and alice.node.kill())
        place = alice.node.wait(lambda event: event["event"] == "listening" and event["face"] == "stomp", "listening")
        self.assertEqual(place["token"], alice.token)
        alice.stomp_port = int(place["address"].rsplit(":", 1)[1])
        return alice

    def talk(self, alice, connection, **login):
        bob = self.person("bob", alice)
        heard = Heard()
        connection.set_listener("test", heard)
        connection.connect(wait=True, **login)
        connection.subscribe("/channel/lobby", id="1", headers={"receipt": "r-1"})
        self.assertEqual(heard.next("RECEIPT")[1]["receipt-id"], "r-1")
        connection.subscribe("/user/queue/direct", id="2")
        connection.subscribe("/topic/people/lobby", id="3")
        _, headers, people = heard.next("MESSAGE")
        self.assertEqual((headers["subscription"], people["peers"][0]["who"]["key"]), ("3", bob.key))
        bob.say("hello 안녕")
        _, headers, body = heard.next("MESSAGE")
        self.assertEqual((headers["destination"], headers["subscription"]), ("/channel/lobby", "1"))
        self.assertEqual((body["channelId"], body["senderUserId"], body["change"]), ("lobby", bob.key, "added"))
        self.assertEqual(body["content"], {"type": "TEXT", "text": "hello 안녕", "title": None, "cardColor": None})
        bob.say("/edit changed")
        modified = heard.next("MESSAGE")[2]
        # A typed decoder finds each member in each change.
        self.assertEqual(modified, {**body, "change": "modified", "edited": True, "content": {**body["content"], "text": "changed"}})
        bob.say("/delete")
        removed = heard.next("MESSAGE")[2]
        self.assertEqual(removed, {**modified, "change": "removed", "content": {**body["content"], "text": ""}})
        self.assertIsNone(body["action"])
        bob.say("/me waves")
        acted = heard.next("MESSAGE")[2]
        self.assertEqual((acted["action"], acted["content"]["text"]), ("waves", "* bob waves"))
        connection.send("/app/channel/lobby", json.dumps({"senderUserId": "x", "messageContent": "from STOMP", "messageType": "TEXT"}),
                        receipt="r-2")
        self.assertEqual(heard.next("RECEIPT")[1]["receipt-id"], "r-2")
        bob.hears("from STOMP")
        bob.say(f"/msg {alice.node.number} may I?")
        self.assertEqual(heard.next("MESSAGE")[2]["event"], "request")
        alice.node.say(f"/accept {bob.number}")
        self.assertEqual(heard.next("MESSAGE")[2]["state"], "accepted")
        connection.send(f"/app/direct/lobby/{bob.key}", json.dumps({"messageContent": "between us"}))
        bob.hears("between us")
        bob.quit()
        while (change := heard.next("MESSAGE")[2]).get("event") != "peer":
            pass
        self.assertEqual(change["state"], "offline")
        connection.disconnect(receipt="r-3")
        heard.next("disconnected")

    def test_stomp_py_speaks_both_versions_over_tcp(self):
        for version in (stomp.Connection11, stomp.Connection12):
            alice = self.gateway()
            connection = version([("127.0.0.1", alice.stomp_port)], heartbeats=(2_000, 2_000))
            self.talk(alice, connection, username="x", passcode=alice.token)
            alice.quit()

    def test_stomp_py_speaks_over_websocket(self):
        alice = self.gateway()
        connection = stomp.WSStompConnection([("127.0.0.1", alice.port)], ws_path="/stomp")
        self.talk(alice, connection, username="x", passcode=alice.token)
        alice.quit()

    def test_stomp_needs_no_page_and_its_token_is_in_the_file(self):
        node = Node(subprocess.Popen, "alice", "--discovery", "none", "--stomp", "0", *self.control())
        self.addCleanup(node.kill)
        place = node.wait(lambda event: event["event"] == "listening", "listening")
        with open(self.folder + "/control.web") as file:
            self.assertEqual(file.read().strip(), place["token"])
        self.assertNotIn("websockets", open(f"/proc/{node.process.pid}/maps").read())
        connection = stomp.Connection12([("127.0.0.1", int(place["address"].rsplit(":", 1)[1]))])
        connection.connect(passcode=place["token"], wait=True)
        connection.disconnect()

    def raw(self, alice, data, ends=False):
        """The bytes that answer bytes, up to the end; `ends`: the client shuts its side first."""
        with socket.create_connection(("127.0.0.1", alice.stomp_port), timeout=20) as client:
            client.sendall(data)
            if ends:
                client.shutdown(socket.SHUT_WR)
            received = b""
            try:
                while part := client.recv(65536):
                    received += part
            except ConnectionResetError:
                pass
            return received

    def frame(self, command, body=b"", **headers):
        text = "".join(f"{name.replace('_', '-')}:{value}\n" for name, value in headers.items())
        return f"{command}\n{text}\n".encode() + body + b"\0"

    def test_frames_in_one_segment_take_effect_in_their_order(self):
        alice = self.gateway()
        connect = self.frame("CONNECT", accept_version="1.2", passcode=alice.token)
        say = lambda text, **headers: self.frame("SEND", b'{"messageContent":"%s"}' % text.encode(), destination="/app/channel/lobby",
                                                 **headers)
        end = self.frame("DISCONNECT", receipt="end")

        def commands(data, **options):
            frames = self.raw(alice, connect + data, **options).split(b"\0")
            return [frame.lstrip(b"\n").split(b"\n\n")[0].decode().split("\n") for frame in frames if frame.strip(b"\n")][1:]

        def receipts(frames):
            return [frame[1].split(":")[1] for frame in frames if frame[0] == "RECEIPT"]

        frames = commands(self.frame("SUBSCRIBE", id="1", destination="/channel/lobby") + self.frame("UNSUBSCRIBE", id="1") + end)
        self.assertEqual((receipts(frames), len(frames)), (["end"], 1))
        frames = commands(self.frame("SUBSCRIBE", id="1", destination="/channel/lobby") * 2 + end)
        self.assertEqual([frame[0] for frame in frames], ["ERROR"])
        many = b"".join(self.frame("SUBSCRIBE", id=str(number), destination="/channel/lobby", receipt=str(number)) for number in range(65))
        frames = commands(many + end)
        self.assertEqual((receipts(frames), frames[-1][0]), ([str(number) for number in range(64)], "ERROR"))
        frames = commands(b"".join(say(str(number), receipt=str(number)) for number in range(20)) + end)
        self.assertEqual(receipts(frames), [str(number) for number in range(20)] + ["end"])
        frames = commands(say("x" * 241, receipt="7") + end)
        self.assertEqual([frame[0] for frame in frames], ["ERROR"])
        self.assertIn("receipt-id:7", frames[0])
        # The client ends its side without a farewell.
        frames = commands(say("half closed", receipt="1") + say("both halves", receipt="2"), ends=True)
        self.assertEqual(receipts(frames), ["1", "2"])
        # Each text of a client is said, although the client is gone before the node has said all of them.
        with socket.create_connection(("127.0.0.1", alice.stomp_port), timeout=20) as client:
            client.sendall(connect + b"".join(say(f"gone {number}") for number in range(20)))
        for number in range(20):
            alice.node.hears(f"gone {number}")
        said = [event["text"] for event in alice.node.events if event["event"] == "message"]
        self.assertEqual([text for text in said if text.startswith("gone")], [f"gone {number}" for number in range(20)])
        frames = commands(self.frame("BEGIN", transaction="t") + say("a", transaction="t") + say("before")
                          + self.frame("COMMIT", transaction="t", receipt="c") + end)
        self.assertEqual(receipts(frames), ["c", "end"])
        alice.node.hears("a")
        said = [event["text"] for event in alice.node.events if event["event"] == "message"]
        self.assertEqual(said[-2:], ["before", "a"])
        alice.node.counts("stomp_clients", 0)

    def test_a_websocket_that_is_gone_has_said_what_it_sent(self):
        alice = self.gateway()
        client = websocket.create_connection(f"ws://127.0.0.1:{alice.port}/stomp", timeout=20, subprotocols=["v12.stomp"])
        client.send(self.frame("CONNECT", accept_version="1.2", passcode=alice.token))
        for number in range(20):
            client.send(self.frame("SEND", b'{"messageContent":"gone %d"}' % number, destination="/app/channel/lobby"))
        client.close()
        for number in range(20):
            alice.node.hears(f"gone {number}")

    def test_no_event_is_missed_between_the_roster_and_what_follows(self):
        """A peer changes its state all the time while a client subscribes again and again: behind the roster, each subscription has
        all that the node tells, none missing and none twice."""
        alice = self.gateway()
        bob = self.person("bob", alice)
        with socket.create_connection(("127.0.0.1", alice.stomp_port), timeout=20) as client:
            client.sendall(self.frame("CONNECT", accept_version="1.2", passcode=alice.token))
            for turn in range(60):
                bob.say(f"/away {turn}")
                client.sendall(self.frame("SUBSCRIBE", id=str(turn), destination="/topic/people/lobby"))
            bob.say("/away done")
            received, told = b"", {}
            while len(told) < 60 or any(reasons[-1] != "done" for reasons in told.values()):
                received += client.recv(65536)
                *frames, received = received.split(b"\0")
                for frame in frames:
                    head, _, body = frame.partition(b"\n\n")
                    if b"MESSAGE" not in head:
                        continue
                    name = head.split(b"subscription:")[1].split(b"\n")[0]
                    value = json.loads(body)
                    reason = value["peers"][0].get("reason") if value["event"] == "result" else value.get("reason")
                    told.setdefault(name, []).append(reason)
        self.assertTrue(alice.node.wait(lambda event: event.get("reason") == "done", "the last state", from_start=True))
        states = [None] + [event["reason"] for event in alice.node.events if event["event"] == "peer" and event.get("reason")]
        for name, reasons in told.items():
            self.assertEqual(reasons, states[-len(reasons):], name)

    def test_one_key_in_two_rooms_is_named_by_room(self):
        alice = self.gateway()
        bob = self.person("bob", alice)
        with socket.create_connection(("127.0.0.1", alice.stomp_port), timeout=20) as client:
            client.sendall(self.frame("CONNECT", accept_version="1.2", passcode=alice.token)
                           + self.frame("SUBSCRIBE", id="1", destination="/user/queue/direct", receipt="r"))
            received = b""
            while b"receipt-id:r" not in received:
                received += client.recv(65536)
            bob.say(f"/msg {alice.node.number} may I?")
            while b"may I?" not in received:
                received += client.recv(65536)
            request = json.loads(received.split(b"\0")[-2].split(b"\n\n")[1])
            self.assertEqual((request["room"], request["from"]["key"]), ("lobby", bob.key))
            alice.node.say(f"/accept {bob.number}")
            bob.wait(lambda event: event["event"] == "direct", "acceptance")
            client.sendall(self.frame("SEND", b'{"messageContent":"yes"}', destination=f"/app/direct/{request['room']}/{bob.key}"))
            bob.hears("yes")
            while b'"yes"' not in received:
                received += client.recv(65536)
            body = json.loads(next(frame for frame in received.split(b"\0") if b'"yes"' in frame).split(b"\n\n")[1])
            self.assertEqual((body["room"], body["channelId"], body["conversationId"]), ("lobby", bob.key, f"r1-{bob.key}"))

    def test_a_room_is_subscribed_in_any_case_of_letters(self):
        alice = self.gateway()
        with socket.create_connection(("127.0.0.1", alice.stomp_port), timeout=20) as client:
            client.sendall(self.frame("CONNECT", accept_version="1.2", passcode=alice.token)
                           + self.frame("SUBSCRIBE", id="1", destination="/channel/LOBBY", receipt="r"))
            received = b""
            while b"receipt-id:r" not in received:
                received += client.recv(65536)
            alice.node.say("in any case")
            while b'"in any case"' not in received:
                received += client.recv(65536)
            self.assertIn(b"destination:/channel/LOBBY\n", received)

    def test_faults_are_errors_and_the_connection_ends(self):
        alice = self.gateway()
        connect = self.frame("CONNECT", accept_version="1.2", passcode=alice.token)
        with self.assertRaises(stomp.exception.ConnectFailedException):
            stomp.Connection10([("127.0.0.1", alice.stomp_port)]).connect(passcode=alice.token, wait=True)
        for wrong in (self.frame("CONNECT", accept_version="1.2"), self.frame("CONNECT", accept_version="1.2", passcode="0" * 32),
                      self.frame("CONNECT", passcode=alice.token), self.frame("SEND", destination="/app/channel/lobby"),
                      b"\0" * 100, b"CONNECT\nno colon\n\n\0", b"x" * 10_000, b"CONNECT\n" + b"a:b\n" * 100 + b"\n\0",
                      self.frame("CONNECT", accept_version="1.2", passcode=alice.token, heart_beat="x")):
            answer = self.raw(alice, wrong)
            self.assertTrue(answer.startswith(b"ERROR\n"), (wrong[:60], answer))
            self.assertTrue(answer.endswith(b"\0"))
        for wrong, words in (
            (self.frame("SUBSCRIBE", id="1", destination="/channel/nowhere"), b"nowhere"),
            (self.frame("SUBSCRIBE", id="1", destination="/elsewhere"), b"no such destination"),
            (self.frame("SUBSCRIBE", destination="/channel/lobby"), b"an id"),
            (self.frame("UNSUBSCRIBE", id="9"), b"no subscription"),
            (self.frame("BEGIN"), b"has the header transaction"),
            (self.frame("COMMIT", transaction="1"), b"no transaction of this name"),
            (self.frame("BEGIN", transaction="\u00e9") + self.frame("COMMIT", transaction="e\u0301"), b"no transaction of this name"),
            (self.frame("AC\u212a"), b"no command"),
            (self.frame("ACK"), b"has the header id"),
            (self.frame("ACK", id="m-1"), b"no message of this id"),
            (self.frame("SEND", b'{"messageContent":"/join lab secret"}', destination="/app/channel/lobby"), b"code:is_command"),
            (self.frame("HELLO"), b"no command"),
            (self.frame("SEND", b'{"messageContent":"' + b"x" * 241 + b'"}', destination="/app/channel/lobby", receipt="7"),
             b"240 is the most"),
            (self.frame("SEND", b'{"messageContent":""}', destination="/app/channel/lobby"), b"empty"),
            (self.frame("SEND", b"hello", destination="/app/channel/lobby"), b"JSON"),
            (self.frame("SEND", b"{}", destination="/app/channel/lobby"), b"messageContent"),
            (self.frame("SEND", b"{}", destination="/channel/lobby", content_length="9999999"), b"bytes at most"),
            (self.frame("SEND", b"{}", destination="/channel/lobby", content_length="99999999999999999999"), b"a number"),
            (self.frame("SEND", b"{}", destination="/channel/lobby", content_length="-1"), b"a number"),
            (self.frame("SEND", b"{}", destination="/channel/lobby", content_length=""), b"a number"),
            (self.frame("SEND", b"{}", destination="/channel/lobby", content_length="1"), b"no NUL"),
            (self.frame("SEND", b"{}", destination="/channel/\\x"), b"unknown escape"),
            (self.frame("SEND", b"{}", destination="/channel/\\"), b"unknown escape"),
            (self.frame("SUBSCRIBE", id="1", destination="/channel/lobby\\nreceipt\\c9"), b"lobby"),
            (self.frame("SEND", b'{"messageContent":"a","messageContent":"b"}', destination="/app/channel/lobby"), b"JSON"),
            (self.frame("SEND", b'{"x":' + b"[" * 500, destination="/app/channel/lobby"), b"JSON"),
            (self.frame("SEND", b'{"messageContent":"x"}', destination="/app/direct/lobby/" + "0" * 64), b"no peer"),
            (self.frame("SEND", b'{"messageContent":"x"}', destination="/app/direct/" + "0" * 64), b"no such destination"),
        ):
            answer = self.raw(alice, connect + wrong)
            self.assertTrue(answer.startswith(b"CONNECTED\n"), answer)
            self.assertIn(b"\0ERROR\n", answer)
            self.assertIn(words, answer)
            if b"receipt:" in wrong:
                self.assertIn(b"receipt-id:7\n", answer)
            # A header that is sent back injects none.
            self.assertNotIn(b"\nreceipt:9", answer)
        self.assertEqual(alice.node.result("stats")["stomp_refusals"], 2)

    def test_a_client_with_the_framing_of_swift_stomp_is_served(self):
        """It sends no host and no content-length, takes the destination as the id, and pings by WebSocket; `swift_stomp` reads."""
        alice = self.gateway()
        bob = self.person("bob", alice)
        client = websocket.create_connection(f"ws://127.0.0.1:{alice.port}/stomp", timeout=20, subprotocols=["v12.stomp"])
        self.assertEqual(client.subprotocol, "v12.stomp")
        client.send(f"CONNECT\naccept-version:1.1,1.2\npasscode:{alice.token}\n\n\0")
        self.assertTrue(client.recv().startswith("CONNECTED\nversion:1.2\n"))
        client.ping("x")
        client.send("SUBSCRIBE\nid:/channel/lobby\ndestination:/channel/lobby\n\n\0")
        client.send('SEND\ndestination:/app/channel/lobby\nreceipt:1\n\n{"messageContent":"hi","messageType":"TEXT"}\0')
        frames = {command: (headers, body) for command, headers, body in (swift_stomp(client.recv()), swift_stomp(client.recv()))}
        bob.hears("hi")
        self.assertEqual(frames["RECEIPT"], ({"receipt-id": "1"}, ""))
        headers, body = frames["MESSAGE"]
        self.assertEqual((headers["destination"], headers["subscription"]), ("/channel/lobby", "/channel/lobby"))
        self.assertEqual(json.loads(body)["content"], {"type": "TEXT", "text": "hi", "title": None, "cardColor": None})
        bob.say("from bob: a text with a colon")
        command, _, body = swift_stomp(client.recv())
        self.assertEqual((command, json.loads(body)["content"]["text"]), ("MESSAGE", "from bob: a text with a colon"))
        client.send("UNSUBSCRIBE\nid:/channel/lobby\n\n\0")
        client.send("DISCONNECT\nreceipt:disconnect/safe\n\n\0")
        self.assertEqual(swift_stomp(client.recv()), ("RECEIPT", {"receipt-id": "disconnect/safe"}, ""))
        opcode, data = client.recv_data(control_frame=True)
        self.assertEqual((opcode, data[:2]), (websocket.ABNF.OPCODE_CLOSE, (1000).to_bytes(2, "big")))

    def test_a_typed_client_reads_and_sends_cards(self):
        """Over WebSocket with the framing of SwiftStomp; each change of a card passes a decoder that wants all members."""
        alice = self.gateway()
        bob = self.person("bob", alice)
        client = websocket.create_connection(f"ws://127.0.0.1:{alice.port}/stomp", timeout=20, subprotocols=["v12.stomp"])
        client.send(f"CONNECT\naccept-version:1.1,1.2\npasscode:{alice.token}\n\n\0")
        client.recv()
        client.send("SUBSCRIBE\nid:/channel/lobby\ndestination:/channel/lobby\nreceipt:0\n\n\0")
        client.recv()

        def read():
            command, _, body = swift_stomp(client.recv())
            return command, json.loads(body) if command == "MESSAGE" else body

        bob.say("/card --color red lost: 모자 | a red hat")
        command, body = read()
        card = decoded(Message, body)
        self.assertEqual((command, card.change, card.channelId, card.senderUserId), ("MESSAGE", "added", "lobby", bob.key))
        self.assertEqual(card.content, Content("CARD", "lost: 모자", "a red hat", "red"))
        # The decoder refuses what lacks a member: it can fail.
        for name in ("type", "title", "text", "cardColor"):
            for content in ({**body["content"], name: None}, {key: value for key, value in body["content"].items() if key != name}):
                with self.assertRaises(DecodingError):
                    decoded(Message, {**body, "content": content})
        bob.say("/card remove")
        removed = decoded(Message, read()[1])
        self.assertEqual((removed.change, removed.id, removed.content), ("removed", card.id, Content("CARD", "", "", "red")))
        for number, body in enumerate((
            {"messageType": "CARD", "messageContent": "a glove", "title": "found", "cardColor": "blue"},
            {"content": {"type": "CARD", "title": "found", "text": "a glove", "cardColor": "blue"}},
        )):
            client.send(f"SEND\ndestination:/app/channel/lobby\nreceipt:{number}\n\n{json.dumps(body)}\0")
            answers = dict(read() for _ in range(2))
            own = decoded(Message, answers["MESSAGE"])
            self.assertEqual((own.content, own.senderUserId), (Content("CARD", "found", "a glove", "blue"), alice.node.key))
            seen = bob.wait(lambda event: event["event"] == "card" and event["id"] == own.id, "card")
            self.assertEqual((seen["title"], seen["text"], seen["cardColor"]), ("found", "a glove", "blue"))
        client.close()

    def test_cards_that_break_a_rule_are_errors(self):
        alice = self.gateway()
        bob = self.person("bob", alice)
        connect = self.frame("CONNECT", accept_version="1.2", passcode=alice.token)
        card = {"type": "CARD", "title": "t", "text": "x", "cardColor": "red"}
        for wrong, place, code in (
            ({"title": "t" * 41}, "channel/lobby", "invalid_card"), ({"title": ""}, "channel/lobby", "empty"),
            ({"title": "a\nb"}, "channel/lobby", "invalid_card"), ({"cardColor": "pink"}, "channel/lobby", "invalid_card"),
            ({"text": "x" * 241}, "channel/lobby", "too_long"), ({"text": ""}, "channel/lobby", "empty"),
            ({"text": "/who"}, "channel/lobby", "is_command"), ({"title": None}, "channel/lobby", "bad_member"),
            ({"type": "IMAGE"}, "channel/lobby", "bad_member"), ({}, f"direct/lobby/{bob.key}", "invalid_card"),
        ):
            body = json.dumps({"content": card | wrong}).encode()
            answer = self.raw(alice, connect + self.frame("SEND", body, destination=f"/app/{place}", receipt="7"))
            self.assertIn(b"\0ERROR\n", answer, wrong)
            self.assertIn(f"\ncode:{code}\n".encode(), answer, wrong)
            self.assertIn(b"\nreceipt-id:7\n", answer, wrong)
        self.assertEqual(alice.node.result("board")["cards"], [])

    def test_answers_reactions_and_the_board(self):
        alice = self.gateway()
        bob = self.person("bob", alice)
        bob.say("/card first | here before")
        alice.node.wait(lambda event: event["event"] == "card", "card")
        connection = stomp.Connection12([("127.0.0.1", alice.stomp_port)])
        heard = Heard()
        connection.set_listener("test", heard)
        connection.connect(wait=True, passcode=alice.token)
        connection.subscribe("/topic/board/lobby", id="board")
        _, headers, board = heard.next("MESSAGE")
        self.assertEqual((headers["subscription"], [card["title"] for card in board["cards"]]), ("board", ["first"]))
        connection.subscribe("/channel/lobby", id="talk", headers={"receipt": "r-1"})
        heard.next("RECEIPT")
        bob.say("hello")
        said = heard.next("MESSAGE")[2]
        self.assertEqual((said["replyTo"], said["reactions"]), (None, []))
        bob.say(f"/react {said['id']} 👍")
        reacted = heard.next("MESSAGE")[2]
        self.assertEqual(reacted, {**said, "change": "modified", "reactions": [{"emoji": "👍", "count": 1, "own": False}]})
        connection.send("/app/channel/lobby", json.dumps({"messageContent": "hi", "replyTo": said["id"]}), receipt="r-2")
        self.assertEqual(heard.next("RECEIPT")[1]["receipt-id"], "r-2")
        self.assertEqual(bob.hears("hi")["replyTo"], said["id"])
        bob.say("/card next | later")
        by_name = {}
        while len(by_name) < 2:
            _, headers, body = heard.next("MESSAGE")
            # The own text may come before its receipt or behind it.
            if body.get("content", {}).get("type") != "TEXT":
                by_name[headers["subscription"]] = body
        self.assertEqual((by_name["board"]["event"], by_name["board"]["title"]), ("card", "next"))
        self.assertEqual((by_name["talk"]["change"], by_name["talk"]["content"]["title"]), ("added", "next"))
        bob.say("/card remove")
        told = {headers["subscription"]: body for _, headers, body in (heard.next("MESSAGE") for _ in range(2))}
        self.assertEqual((told["board"]["event"], told["board"]["reason"]), ("cardRemoved", "removed"))
        self.assertEqual(told["board"]["id"], by_name["board"]["id"])
        # With the room its cards end.
        alice.node.result("join attic")
        alice.node.result("part lobby")
        ends = []
        while len(ends) < 2:
            body = heard.next("MESSAGE")[2]
            if body.get("content", {}).get("type") == "CARD" or body.get("command") == "board":
                ends.append(body)
        self.assertEqual((ends[0]["cards"], ends[1]["change"], ends[1]["content"]["text"]), ([], "removed", ""))
        connection.disconnect()

    def test_heart_beats_keep_a_client_and_a_silent_one_is_let_go(self):
        alice = self.gateway()
        with socket.create_connection(("127.0.0.1", alice.stomp_port), timeout=20) as client:
            client.sendall(self.frame("CONNECT", accept_version="1.2", passcode=alice.token, heart_beat="0,1000"))
            received = b""
            while not received.endswith(b"\0\n\n"):
                received += client.recv(100)
        silent = self.raw(alice, b"")
        self.assertIn(b"no heart-beat", silent)
        alice.node.counts("stomp_clients", 0)


if __name__ == "__main__":
    unittest.main()

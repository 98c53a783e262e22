"""The Socket.IO gateway, by python-socketio in each transport (Docs/Web.md, section 6)."""

import json
import queue
import socket
import time
import unittest

import socketio
import websocket
from web import WebTest


class Client:
    """A client whose events are in a queue."""

    def __init__(self, served, transports, token=None, room=None):
        self.client = socketio.Client(reconnection=False)
        self.events = queue.Queue()
        for name in ("userList", "newChatMessage", "userTypingUpdate", "userConnectUpdate", "userExitUpdate", "refused",
                     "chatMessageReactions", "newChatCard", "chatCardRemoved"):
            self.client.on(name, lambda *arguments, name=name: self.events.put((name, arguments)))
        self.client.on("disconnect", lambda *_: self.events.put(("disconnect", ())))
        query = f"?room={room}" if room else ""
        self.client.connect(f"http://127.0.0.1:{served.port}{query}", auth={"token": token or served.token}, transports=transports,
                            wait_timeout=20)

    def next(self, name):
        while True:
            found = self.events.get(timeout=20)
            if found[0] == name:
                return found[1]


class Gateway(WebTest):
    def chat(self, transports):
        alice = self.served()
        bob = self.person("bob", alice)
        client = Client(alice, transports)
        self.addCleanup(client.client.disconnect)
        client.client.emit("connectUser", ("alicia",))
        users, = client.next("userList")
        names = [f"alicia#{alice.node.number}", f"bob#{bob.number}"]
        self.assertEqual([(user["nickname"], user["isConnected"]) for user in users], [(name, True) for name in names])
        # A name is taken as it was sent: no user is renamed.
        client.client.emit("connectUser", (names[0],))
        self.assertEqual([user["nickname"] for user in client.next("userList")[0]], names)
        self.assertEqual(users[1]["id"], bob.key)
        bob.wait(lambda event: event["event"] == "peer" and event["who"]["nickname"] == "alicia", "name")
        client.client.call("chatMessage", ("alicia", "hello 안녕"), timeout=20)
        bob.hears("hello 안녕")
        self.assertEqual(client.next("newChatMessage")[:2], (names[0], "hello 안녕"))
        bob.say("hello from bob")
        self.assertEqual(client.next("newChatMessage")[:2], (names[1], "hello from bob"))
        bob.say("/me waves")
        self.assertEqual(client.next("newChatMessage")[:2], (names[1], "* waves"))
        bob.say("/typing")
        self.assertEqual(client.next("userTypingUpdate"), ({names[1]: 1},))
        bob.say("/typing off")
        self.assertEqual(client.next("userTypingUpdate"), ({},))
        client.client.emit("startType", ("alicia",))
        bob.wait(lambda event: event["event"] == "typing" and event["on"], "typing")
        client.client.emit("stopType", ("alicia",))
        bob.wait(lambda event: event["event"] == "typing" and not event["on"], "end of typing", from_start=False)
        carol = self.person("carol", alice)
        self.assertEqual(client.next("userConnectUpdate")[0]["nickname"], f"carol#{carol.number}")
        carol.quit()
        self.assertEqual(client.next("userExitUpdate")[0], f"carol#{carol.number}")
        client.client.emit("chatMessage", ("alicia", "x" * 241))
        self.assertEqual(client.next("refused")[1], "too_long")
        client.client.emit("chatMessage", ("alicia", "/join kitchen secret"))
        self.assertEqual(client.next("refused")[1], "is_command")
        client.client.emit("chatMessage", ("alicia", "//me"))
        bob.hears("/me")
        client.client.emit("dance", ())
        self.assertEqual(client.next("refused")[1], "bad_event")
        self.assertEqual(client.client.transport(), "polling" if transports == ["polling"] else "websocket")
        client.client.emit("exitUser", ("alicia",))
        client.next("disconnect")
        alice.quit()

    def test_polling(self):
        self.chat(["polling"])

    def test_websocket(self):
        self.chat(["websocket"])

    def test_polling_that_is_upgraded(self):
        self.chat(["polling", "websocket"])

    def test_cards_and_reactions(self):
        alice = self.served()
        bob = self.person("bob", alice)
        client = Client(alice, ["websocket"])
        self.addCleanup(client.client.disconnect)
        bob.say("hello")
        *_, offset = client.next("newChatMessage")
        said = alice.node.hears("hello")["id"]
        bob.say(f"/react {said} 👍")
        self.assertEqual(client.next("chatMessageReactions")[:2], (offset, {"👍": 1}))
        bob.say("/unreact " + said)
        self.assertEqual(client.next("chatMessageReactions")[:2], (offset, {}))
        client.client.call("chatCard", ("alice", "lost", "a hat", "red"), timeout=20)
        seen = bob.wait(lambda event: event["event"] == "card", "card")
        self.assertEqual((seen["title"], seen["text"], seen["cardColor"]), ("lost", "a hat", "red"))
        name, title, text, color, _, number = client.next("newChatCard")
        self.assertEqual((name, title, text, color), (f"alice#{alice.node.number}", "lost", "a hat", "red"))
        alice.node.say("/card remove")
        self.assertEqual(client.next("chatCardRemoved")[0], number)
        client.client.emit("chatCard", ("alice", "t" * 41, "x"))
        self.assertEqual(client.next("refused")[1], "invalid_card")
        client.client.emit("chatCard", ("alice", "t"))
        self.assertEqual(client.next("refused")[1], "bad_event")

    def test_a_wrong_token_and_a_wrong_room_are_refused(self):
        alice = self.served()
        for transports in (["polling"], ["websocket"]):
            with self.assertRaises(socketio.exceptions.ConnectionError):
                Client(alice, transports, token="0" * 32)
            with self.assertRaises(socketio.exceptions.ConnectionError):
                Client(alice, transports, room="nowhere")

    def opened(self, alice, path):
        status, _, packet = alice.ask("GET", path, token="")
        self.assertEqual(status, 200)
        return packet.decode().split('"sid":"')[1].split('"')[0]

    def test_malformed_requests_end_their_session_alone(self):
        alice = self.served()
        path = "/socket.io/?EIO=4&transport=polling"
        for wrong in ("/socket.io/", "/socket.io/?EIO=4", "/socket.io/?EIO=3&transport=websocket"):
            with self.assertRaises(websocket.WebSocketException, msg=wrong):
                websocket.create_connection(f"ws://127.0.0.1:{alice.port}{wrong}", timeout=20)
        sid = self.opened(alice, path)
        for method, wrong, code in (
            ("GET", "/socket.io/?EIO=3&transport=polling", 5), ("GET", "/socket.io/?transport=polling", 5), ("GET", "/socket.io/", 0),
            ("GET", "/socket.io/?EIO=4&transport=webtransport", 0), ("GET", "/socket.io/?EIO=4&transport=websocket", 3),
            ("GET", path + "&sid=x", 1), ("GET", path + "&sid=", 1), ("POST", path, 2), ("DELETE", path, 2),
            ("DELETE", f"{path}&sid={sid}", 2),
        ):
            status, _, body = alice.ask(method, wrong, token="")
            self.assertEqual((status, body["code"]), (400, code), wrong)
        self.assertEqual(alice.ask("GET", path, token="", headers={"Origin": "http://evil.example"})[0], 403)
        for body in (b"4", b"40", b"4" + b"[" * 50, b"42[]", b"\xff", b"9", b"4451-x", b"42" + b"9" * 30 + b'["a"]', b""):
            sid = self.opened(alice, path)
            status, _, _ = alice.ask("POST", f"{path}&sid={sid}", body, {"Content-Type": "text/plain"}, token="")
            self.assertIn(status, (200, 400), body)
            status, _, answer = alice.ask("GET", f"{path}&sid={sid}", token="")
            self.assertTrue(status == 400 or answer.startswith(b"44"), (body, status, answer))
        sid = self.opened(alice, path)
        self.assertEqual(alice.ask("POST", f"{path}&sid={sid}", b"4" * 16_385, {"Content-Type": "text/plain"}, token="")[0], 413)
        self.assertEqual(alice.ask("GET", "/api/v1/me")[0], 200)

    def connected(self, alice, auth=""):
        """The query of a session over polling whose client has shown the token, and its greeting."""
        path = f"/socket.io/?EIO=4&transport=polling&sid={self.opened(alice, '/socket.io/?EIO=4&transport=polling')}"
        self.post(alice, path, f'40{{"token":"{alice.token}"{auth}}}')
        return path, self.poll(alice, path)

    def post(self, alice, path, body):
        status, _, answer = alice.ask("POST", path, body.encode(), {"Content-Type": "text/plain"}, token="")
        self.assertEqual((status, answer), (200, b"ok"))

    def poll(self, alice, path):
        status, _, answer = alice.ask("GET", path, token="")
        self.assertEqual(status, 200)
        return answer.decode()

    def heard(self, alice, path, text):
        """The packets up to one that has a text."""
        packets = []
        while not any(text in packet for packet in packets):
            packets += self.poll(alice, path).split("\x1e")
        return packets

    def test_a_client_that_comes_back_gets_what_it_missed(self):
        alice = self.served()
        bob = self.person("bob", alice)
        path, greeting = self.connected(alice)
        before = json.loads(greeting[2:])
        bob.say("first")
        first = self.heard(alice, path, "first")[-1]
        offset = json.loads(first[2:])[-1]
        # The connection ends without a farewell; meanwhile something happens.
        client = websocket.create_connection(f"ws://127.0.0.1:{alice.port}{path.replace('polling', 'websocket')}", timeout=20)
        client.send("2probe")
        self.assertEqual(client.recv(), "3probe")
        client.send("5")
        # In order behind the upgrade, which a reset could overtake.
        client.sock.shutdown(socket.SHUT_WR)
        for text in ("missed", "SECRET-ONE", "frist"):
            bob.say(text)
            alice.node.hears(text)
        bob.say("/edit edited")
        alice.node.wait(lambda event: event["event"] == "edited", "edit")
        deleted = next(event["id"] for event in alice.node.events if event.get("text") == "SECRET-ONE")
        bob.say(f"/delete {deleted[:8]}")
        alice.node.wait(lambda event: event["event"] == "deleted", "deletion")
        path, greeting = self.connected(alice, f',"pid":"{before["pid"]}","offset":"{offset}"')
        packets = greeting.split("\x1e")
        self.assertEqual(json.loads(packets[0][2:]), before)
        events = [json.loads(packet[2:]) for packet in packets[1:]]
        self.assertEqual([event[2] for event in events if event[0] == "newChatMessage"], ["missed", "edited"])
        # It may have had the message that was deleted.
        self.assertEqual([event[1] for event in events if event[0] == "chatMessageRemoved"], [str(int(offset) + 2)])
        # An event that it has does not come again, and nothing comes by another's id.
        offset = json.loads(packets[-1][2:])[-1]
        path, greeting = self.connected(alice, f',"pid":"{before["pid"]}","offset":"{offset}"')
        self.assertEqual(json.loads(greeting[2:]), before)
        for pid, since in (("x", offset), (before["pid"], "999"), (before["pid"], "x")):
            _, greeting = self.connected(alice, f',"pid":"{pid}","offset":"{since}"')
            self.assertNotEqual(json.loads(greeting[2:])["sid"], before["sid"], (pid, since))
        # Nothing of a room that was wiped is there any more.
        path, greeting = self.connected(alice)
        earlier = json.loads(greeting[2:])
        bob.say("SECRET-TWO")
        offset = json.loads(self.heard(alice, path, "SECRET-TWO")[-1][2:])[-1]
        bob.say("SECRET-THREE")
        alice.node.hears("SECRET-THREE")
        alice.node.say("/wipe now")
        alice.node.wait(lambda event: event["event"] == "result" and event["command"] == "wipe", "wipe")
        alice.node.wait(lambda event: event["event"] == "ready", "new life", from_start=False)
        _, greeting = self.connected(alice, f',"pid":"{earlier["pid"]}","offset":"{int(offset) - 1}"')
        self.assertNotIn("SECRET", greeting)
        self.assertNotEqual(json.loads(greeting.split("\x1e")[0][2:])["sid"], earlier["sid"])

    def test_a_client_that_comes_back_hears_that_the_messages_of_a_blocked_peer_are_gone(self):
        alice = self.served()
        bob = self.person("bob", alice)
        path, greeting = self.connected(alice)
        before = json.loads(greeting[2:])
        bob.say("SECRET-ONE")
        offset = json.loads(self.heard(alice, path, "SECRET-ONE")[-1][2:])[-1]
        bob.say("SECRET-TWO")
        alice.node.hears("SECRET-TWO")
        alice.node.say(f"/block {bob.number}")
        alice.node.wait(lambda event: event["event"] == "blocked", "block")
        _, greeting = self.connected(alice, f',"pid":"{before["pid"]}","offset":"{offset}"')
        packets = greeting.split("\x1e")
        self.assertEqual(json.loads(packets[0][2:]), before)
        self.assertNotIn("SECRET", greeting)
        events = [json.loads(packet[2:]) for packet in packets[1:]]
        self.assertIn(offset, [event[1] for event in events if event[0] == "chatMessageRemoved"])

    def test_packets_of_a_poll_whose_client_is_gone_wait_for_the_next_one(self):
        alice = self.served()
        bob = self.person("bob", alice)
        path, _ = self.connected(alice)
        for turn in range(5):
            with socket.create_connection(("127.0.0.1", alice.port), timeout=20) as client:
                client.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{alice.port}\r\n\r\n".encode())
                # The request waits once an answer to a later one has come.
                alice.get("/api/v1/me")
            bob.say(f"swallowed? {turn}")
            alice.node.hears(f"swallowed? {turn}")
            self.heard(alice, path, f"swallowed? {turn}")

    def test_a_poll_that_waits_is_let_go_at_once_when_its_client_is_gone(self):
        alice = self.served()
        path, _ = self.connected(alice)
        # Long before the next ping, which would be the next thing to write.
        deadline = time.monotonic() + 20
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", alice.port), timeout=20) as client:
                client.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{alice.port}\r\n\r\n".encode())
                alice.node.counts("web_clients", 1, deadline - time.monotonic())
            alice.node.counts("web_clients", 0, deadline - time.monotonic())

    def test_a_contact_has_the_name_that_every_face_shows(self):
        # Contacts are kept with an identity.
        alice = self.served("alice", "--identity", f"{self.folder}/identity")
        bob = self.person("bob", alice)
        alice.node.result(f"contact {bob.number} Robert")
        client = Client(alice, ["websocket"])
        self.addCleanup(client.client.disconnect)
        client.client.emit("connectUser", ("alice",))
        self.assertEqual([user["nickname"] for user in client.next("userList")[0]],
                         [f"alice#{alice.node.number}", f"★Robert#{bob.number}"])
        bob.say("hi")
        self.assertEqual(client.next("newChatMessage")[:2], (f"★Robert#{bob.number}", "hi"))

    def test_a_noop_of_a_client_ends_nothing(self):
        alice = self.served()
        path, _ = self.connected(alice)
        self.post(alice, path, '6\x1e427["chatMessage","x","said behind a noop"]')
        self.heard(alice, path, "437[]")
        alice.node.hears("said behind a noop")

    def test_polls_are_answered_while_the_client_changes_to_a_websocket(self):
        alice = self.served()
        path, _ = self.connected(alice)
        client = websocket.create_connection(f"ws://127.0.0.1:{alice.port}{path.replace('polling', 'websocket')}", timeout=20)
        client.send("2probe")
        self.assertEqual(client.recv(), "3probe")
        # A request that comes only now would wait for 25 s.
        started = time.monotonic()
        self.assertEqual([self.poll(alice, path) for _ in range(3)], ["6"] * 3)
        self.assertLess(time.monotonic() - started, 15)
        client.send("5")
        client.send('427["chatMessage","x","over the WebSocket"]')
        while client.recv() != "437[]":
            pass
        status, _, fault = alice.ask("GET", path, token="")
        self.assertEqual((status, fault["code"]), (400, 3))

    def test_an_upgrade_in_the_order_of_socket_io_client_swift(self):
        """Its bytes (16.1.1, `SocketEngine.upgradeTransport`): a noop by POST, and `5` only once the poll that waits is answered."""
        alice = self.served()
        place = "/socket.io/?transport={}&b64=1&EIO=4"
        path = f"{place.format('polling')}&sid={self.opened(alice, place.format('polling'))}"
        self.post(alice, path, f'40{{"token":"{alice.token}"}}')
        self.assertTrue(self.poll(alice, path).startswith("40"))
        client = websocket.create_connection(f"ws://127.0.0.1:{alice.port}{path.replace('polling', 'websocket')}", timeout=20)
        client.send("2probe")
        self.assertEqual(client.recv(), "3probe")
        self.post(alice, path, "6")
        self.assertEqual(self.poll(alice, path), "6")
        client.send("5")
        client.send('420["chatMessage","x","after the upgrade"]')
        while client.recv() != "430[]":
            pass
        alice.node.hears("after the upgrade")

    def test_events_at_once_take_effect_in_their_order(self):
        alice = self.served()
        path, _ = self.connected(alice)
        events = [f'42{number}["chatMessage","x","{number}"]' for number in range(20)]
        self.post(alice, path, "\x1e".join(['4299["connectUser","alicia"]', *events, '4298["exitUser","x"]']))
        packets = []
        while "41" not in packets:
            packets += self.poll(alice, path).split("\x1e")
        self.assertEqual([packet for packet in packets if packet.startswith("43")],
                         ["4399[]"] + [f"43{number}[]" for number in range(20)] + ["4398[]"])
        said = [event for event in alice.node.events if event["event"] == "message"]
        alice.node.hears("19")
        said = [event for event in alice.node.events if event["event"] == "message"]
        self.assertEqual({event["from"]["nickname"] for event in said}, {"alicia"})

    def test_a_session_too_many_gets_the_reason(self):
        """It was answered `ok`, and its next poll "Session ID unknown"."""
        alice = self.served()
        for _ in range(64):
            self.assertTrue(self.connected(alice)[1].startswith("40"))
        path, answer = self.connected(alice)
        self.assertEqual(answer.split("\x1e")[0], '44{"message":"64 clients are the most"}')
        # A session that ends makes place.
        self.assertEqual(alice.ask("GET", path, token="")[0], 400)

    def test_sessions_without_the_token_give_way_and_no_id_is_guessed(self):
        alice = self.served()
        path = "/socket.io/?EIO=4&transport=polling"
        client = Client(alice, ["polling"])
        self.addCleanup(client.client.disconnect)
        # More than there is room for, none with the token: a client that has it is not kept out.
        strangers = {self.opened(alice, path) for _ in range(200)}
        self.assertEqual(len(strangers), 200)
        later = Client(alice, ["polling"])
        self.addCleanup(later.client.disconnect)
        client.client.call("chatMessage", ("alice", "still here"), timeout=20)
        self.assertEqual(later.next("newChatMessage")[1], "still here")
        # An id has 128 random bits, and without it a session is not reached.
        self.assertTrue(all(len(sid) == 32 and int(sid, 16) >= 0 for sid in strangers))
        for guess in ("0" * 32, later.client.eio.sid[:-1], later.client.eio.sid.upper() + "0", "*"):
            self.assertEqual(alice.ask("GET", f"{path}&sid={guess}", token="")[0], 400, guess)
        # A stranger's session takes no event.
        sid = self.opened(alice, path)
        self.assertEqual(alice.ask("POST", f"{path}&sid={sid}", b'42["chatMessage","x","not said"]', token="")[0], 200)
        self.assertEqual(alice.ask("GET", f"{path}&sid={sid}", token="")[0], 400)
        refused = alice.node.result("stats")["web_refusals"]
        for _ in range(3):
            sid = self.opened(alice, path)
            alice.ask("POST", f"{path}&sid={sid}", b'40{"token":"' + b"0" * 32 + b'"}', token="")
        # Others gave way, and count too.
        self.assertGreaterEqual(alice.node.result("stats")["web_refusals"], refused + 3)
        self.assertNotIn("not said", [event.get("text") for event in alice.node.events])


if __name__ == "__main__":
    unittest.main()

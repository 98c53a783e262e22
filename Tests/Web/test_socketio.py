"""The Socket.IO gateway, by python-socketio in each transport (Docs/Web.md, section 6)."""

import queue
import unittest

import socketio
import websocket
from web import WebTest


class Client:
    """A client whose events are in a queue."""

    def __init__(self, served, transports, token=None, room=None):
        self.client = socketio.Client(reconnection=False)
        self.events = queue.Queue()
        for name in ("userList", "newChatMessage", "userTypingUpdate", "userConnectUpdate", "userExitUpdate", "refused"):
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
        self.assertEqual([(user["nickname"], user["isConnected"]) for user in users], [("alicia", True), ("bob", True)])
        self.assertEqual(users[1]["id"], bob.key)
        bob.wait(lambda event: event["event"] == "peer" and event["who"]["nickname"] == "alicia", "name")
        client.client.call("chatMessage", ("alicia", "hello 안녕"), timeout=20)
        bob.hears("hello 안녕")
        self.assertEqual(client.next("newChatMessage")[:2], ("alicia", "hello 안녕"))
        bob.say("hello from bob")
        self.assertEqual(client.next("newChatMessage")[:2], ("bob", "hello from bob"))
        bob.say("/typing")
        self.assertEqual(client.next("userTypingUpdate"), ({"bob": 1},))
        bob.say("/typing off")
        self.assertEqual(client.next("userTypingUpdate"), ({},))
        client.client.emit("startType", ("alicia",))
        bob.wait(lambda event: event["event"] == "typing" and event["on"], "typing")
        client.client.emit("stopType", ("alicia",))
        bob.wait(lambda event: event["event"] == "typing" and not event["on"], "end of typing", from_start=False)
        carol = self.person("carol", alice)
        self.assertEqual(client.next("userConnectUpdate")[0]["nickname"], "carol")
        carol.quit()
        self.assertEqual(client.next("userExitUpdate"), ("carol",))
        client.client.emit("chatMessage", ("alicia", "x" * 241))
        self.assertEqual(client.next("refused")[1], "too_long")
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
        for wrong in ("/socket.io/?EIO=3&transport=polling", "/socket.io/", path + "&sid=x", path + "&sid="):
            self.assertEqual(alice.ask("GET", wrong, token="")[0], 400, wrong)
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
        self.assertEqual(alice.node.result("stats")["web_refusals"], refused + 3)
        self.assertNotIn("not said", [event.get("text") for event in alice.node.events])


if __name__ == "__main__":
    unittest.main()

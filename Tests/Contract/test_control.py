"""The control socket of a running node, for other programs of the user (Docs/Control.md)."""

import socket
import threading
import unittest

from control import Controlled
from earshot_node import HAS_SANITIZER

# A room's name with every character that needs care, as a request has it.
QUOTED = r'"my \"best\" \\ room"'


class Requests(Controlled):
    def test_a_sent_line_is_received_by_all_and_answered_with_its_id(self):
        alice = self.controlled()
        bob = self.person("bob", meets=alice)
        said, = self.client().ask("say hello from a script")
        self.assertEqual((said["event"], said["text"], said["isFromCurrentUser"]), ("message", "hello from a script", True))
        self.assertEqual(self.next(bob, "message")["id"], said["id"])
        self.assertEqual(self.next(alice, "message")["id"], said["id"])

    def test_a_sent_line_goes_to_the_room_and_is_no_command(self):
        alice, bob = self.friends_of_control()
        alice.result(f"open {bob.number}")
        client = self.client()
        for text, shown in (("//x", "/x"), ("tail", "tail"), (" plain ", "plain"), ("@ann /shrug", "@ann /shrug")):
            said, = client.ask("say " + text)
            self.assertEqual((said["conversation"], said["text"]), ("public", shown))
        for text in ("/quit", " /join lab SECRET", "\ufeff/who"):
            refused, = client.ask("say " + text)
            self.assertEqual((refused["event"], refused["code"]), ("error", "is_command"), ascii(text))

    def test_commands_are_answered_with_their_events_and_results(self):
        alice, bob = self.friends_of_control()
        client = self.client()
        who, = client.ask("command /who")
        self.assertEqual([row["who"]["key"] for row in who["peers"]], [bob.key])
        direct, = client.ask(f"command /msg {bob.number} psst")
        self.assertEqual((direct["conversation"], direct["with"]["key"]), ("direct", bob.key))
        self.next(bob, "message", text="psst")
        renamed, changed = client.ask("command /nick alicia")
        self.assertEqual((changed["command"], changed["who"]["nickname"]), ("nick", "alicia"))
        self.next(bob, "peer", state="online")

    def test_lines_for_people_are_those_of_the_plain_output(self):
        alice = self.controlled("alice")
        self.person("bob", meets=alice)
        client = self.client()
        own, line = client.ask("plain command /who")
        self.assertRegex(own["text"], r"^alice#\d{4} \(you\) online for \d+ s$")
        self.assertRegex(line["text"], r"^bob#\d{4} online (for \d+ s|since I came)")
        # The number of each conversation, as in the prompt.
        line, = client.ask("plain command /rooms")
        self.assertRegex(line["text"], r"^1 lobby \(shown\), open: alice#\d{4}, 2 here")
        line, = client.ask("plain command /unread")
        self.assertRegex(line["text"], r"^1 lobby \(shown\): 0 unread")
        line, = client.ask("plain say hi")
        self.assertRegex(line["text"], r"^\d\d:\d\d:\d\d <alice#\d{4}> hi$")
        error, = client.ask("plain command /msg nobody x")
        self.assertEqual((error["event"], error["code"]), ("error", "unknown_peer"))

    def test_malformed_requests_are_refused_and_lose_nothing(self):
        self.controlled()
        client = self.client()
        for request in ("", "hello", "say", "command", "command who", "tail now", "prometheus all", "plain", "plain plain tail",
                        "TAIL", " say x", "tail history ", "\0", "command  /who", "command @kitchen /who", "in kitchen",
                        "in kitchen tail", 'in "kitchen say x', "to bob command /who"):
            error, = client.ask(request)
            self.assertEqual((error["event"], error["code"]), ("error", "bad_request"), request)
        for data, code in ((b"say \xff\xfe\n", "invalid_utf8"), (b"say " + b"x" * 200_000 + b"\n", "too_many_bytes"),
                           (b"say " + b"x" * 241 + b"\n", "too_long"), (b"say \n", "empty"),
                           (b"command /hwo\n", "unknown_command"), (b"command /msg nobody x\n", "unknown_peer")):
            client.write(data)
            error, = client.answer()
            self.assertEqual(error["code"], code)
        self.assertEqual(client.ask("say still here")[0]["text"], "still here")

    def test_bytes_may_come_one_by_one_and_many_requests_at_once(self):
        self.controlled("alice", "--rate", "1000000")
        client = self.client()
        for byte in b"command /unread\r\n":
            client.write(bytes([byte]))
        self.assertEqual(client.answer()[0]["command"], "unread")
        client.write(b"".join(b"say line %d\n" % number for number in range(300)))
        self.assertEqual([client.answer()[0]["text"] for _ in range(300)], [f"line {number}" for number in range(300)])

    def test_a_client_that_shuts_its_side_is_still_answered(self):
        self.controlled()
        client = self.client()
        client.write(b"say one\ncommand /unread")
        client.socket.shutdown(socket.SHUT_WR)
        self.assertEqual(client.answer()[0]["text"], "one")
        self.assertEqual(client.answer()[0]["command"], "unread")
        self.assertIsNone(client.read())

    def test_sent_lines_are_held_to_the_rate_and_none_is_lost(self):
        alice = self.controlled("alice", "--rate", "20")
        bob = self.person("bob", "--rate", "20", meets=alice)
        clients = [self.client() for _ in range(3)]
        for number, client in enumerate(clients):
            client.write(b"".join(b"say %d %d\n" % (number, line) for line in range(50)))
        for number, client in enumerate(clients):
            self.assertEqual([client.answer()[0].get("text") for _ in range(50)], [f"{number} {line}" for line in range(50)])
        heard = [self.next(bob, "message")["text"] for _ in range(150)]
        self.assertEqual(sorted(heard), sorted(f"{number} {line}" for number in range(3) for line in range(50)))

    def test_a_request_names_its_room_and_its_peer(self):
        """Bob has one key in both rooms, and alice has one in each."""
        kitchen = 'my "best" \\ room'
        bob = self.person("bob", "--rate", "1000000", "--identity", str(self.runtime / "me"))
        bob.say(f"/join {QUOTED} --as me")
        ready = self.next(bob, "ready", room=kitchen)
        self.assertEqual(ready["self"]["key"], bob.key)
        alice = self.controlled("alice", "--rate", "1000000", "--room", "lobby", "--peer", f"127.0.0.1:{bob.ready()['port']}",
                                "--room", kitchen, "--peer", f"127.0.0.1:{ready['port']}")
        own = {event["room"]: event["self"] for event in (alice.ready(), self.next(alice, "ready"))}
        self.assertEqual({self.next(alice, "peer", state="online")["room"] for _ in own}, {"lobby", kitchen})
        client = self.client()
        for room, name in (("lobby", "lobby"), (kitchen, QUOTED)):
            who, = client.ask(f"in {name} command /who")
            self.assertEqual((who["room"], [row["who"]["key"] for row in who["peers"]]), (room, [bob.key]))
            said, = client.ask(f"in {name} say @lobby hi")
            self.assertEqual((said["room"], said["text"], said["from"]["key"]), (room, "@lobby hi", own[room]["key"]))
            self.assertEqual(self.next(bob, "message", text="@lobby hi")["room"], room)
        asked, = client.ask(f"in {QUOTED} to {bob.key} say may I?")
        self.assertEqual((asked["room"], asked["with"]["key"]), (kitchen, bob.key))
        request = self.next(bob, "request")
        self.assertEqual((request["room"], request["from"]["key"]), (kitchen, own[kitchen]["key"]))
        self.assertEqual(client.ask(f"to {bob.key} say /who")[0]["code"], "is_command")
        self.assertEqual(client.ask("in attic say x")[0]["code"], "unknown_room")
        rows, _ = self.earshot("who", "--in", kitchen)
        self.assertRegex(rows, r"(?m)^bob#\d{4} online")
        self.earshot("send", "--in", kitchen, "from a script")
        self.assertEqual(self.next(bob, "message", text="from a script")["room"], kitchen)
        self.earshot("send", "--in", "lobby", "--to", bob.key, "and here?")
        self.assertEqual(self.next(bob, "request")["room"], "lobby")
        self.assertIn("(unknown_room)", self.earshot("send", "--in", "attic", "-", text="x\n", code=1)[1])

    def test_each_client_has_an_open_conversation_of_its_own(self):
        alice, bob = self.friends_of_control()
        one, two = self.client(), self.client()

        def shown(client):
            history, = client.ask("command /history")
            return history["room"], history["conversation"]

        self.assertEqual(one.ask(f"command /open {bob.number}")[0]["with"]["key"], bob.key)
        self.assertEqual([shown(client) for client in (one, two, self.client())],
                         [("lobby", "direct"), ("lobby", "public"), ("lobby", "public")])
        self.assertEqual(one.ask("command /me waves")[0]["conversation"], "direct")
        self.assertEqual(two.ask("command /join attic")[-1]["room"], "attic")
        self.assertEqual([client.ask("say here")[0]["room"] for client in (one, two, self.client())], ["lobby", "attic", "lobby"])
        self.assertEqual(one.ask("in attic command /history")[0]["conversation"], "public")
        # The lines of the node itself stay where they were.
        alice.say("from the node")
        self.assertEqual(self.next(bob, "message", text="from the node")["conversation"], "public")
        self.assertEqual(two.ask("command /open lobby")[0]["room"], "lobby")
        two.ask("command /part attic")
        self.assertEqual([shown(one), shown(two)], [("lobby", "direct"), ("lobby", "public")])

    def test_a_conversation_that_a_client_shows_is_read_until_it_is_gone(self):
        alice, bob = self.friends_of_control()
        client = self.client()
        client.ask(f"command /open {bob.number}")

        def unread(text):
            bob.say(f"/msg {alice.number} {text}")
            return self.next(alice, "message", text=text)["unread"]

        self.assertEqual(unread("while it is shown"), 0)
        client.close()
        texts = iter(range(1_000))
        self.eventually(lambda: unread(f"later {next(texts)}") > 0)
        # A client that ends before its command has is gone all the same.
        before = alice.result("unread")["conversations"][0]["unread"]
        late = self.client()
        late.write(b"command /join cellar\n")
        late.close()
        self.next(alice, "ready", room="cellar")
        self.assertEqual((before, alice.result("rooms")["rooms"][0]["open"]), (0, True))

    def friends_of_control(self):
        alice = self.controlled()
        bob = self.person("bob", meets=alice)
        alice.say(f"/msg {bob.number} may I?")
        self.next(bob, "request")
        bob.say(f"/accept {alice.number}")
        self.next(alice, "direct", state="accepted")
        return alice, bob


class Tails(Controlled):
    def tail(self, request="tail"):
        client = self.client()
        client.write(request.encode() + b"\n")
        return client

    def test_every_tail_receives_the_events_of_standard_output(self):
        alice = self.controlled("alice", "--rate", "1000000")
        tails = [self.tail() for _ in range(3)]
        for tail in tails:
            self.assertEqual(tail.read(), alice.ready())
        bob = self.person("bob", "--rate", "1000000", meets=alice)
        for number in range(100):
            bob.say(f"line {number}")
        bob.say("last")
        alice.hears("last")
        shown = alice.events[1:]
        for tail in tails:
            self.assertEqual([tail.read() for _ in shown], shown)

    def test_history_comes_first_and_nothing_twice_or_never(self):
        alice = self.controlled("alice", "--rate", "1000000")
        stop = threading.Event()
        client = self.client()

        def speak():
            number = 0
            while not stop.is_set():
                client.ask(f"say line {number}")
                number += 1

        speaker = threading.Thread(target=speak)
        speaker.start()
        self.addCleanup(speaker.join)
        self.addCleanup(stop.set)
        for _ in range(10):
            tail = self.tail("tail history")
            self.assertEqual(tail.read()["event"], "ready")
            texts = [row["text"] for row in tail.read()["messages"]]
            texts += [tail.next("message")["text"] for _ in range(20)]
            first = int(texts[0].split()[1]) if texts else 0
            self.assertEqual(texts, [f"line {number}" for number in range(first, first + len(texts))])
            tail.close()
        self.assertIsNone(alice.process.poll())

    def test_a_tail_that_does_not_read_is_closed_and_delays_no_peer(self):
        alice = self.controlled("alice", "--rate", "1000000")
        self.tail()
        reader, speaker = self.tail(), self.client()
        text = "x" * 200
        for number in range(9000):
            said, = speaker.ask(f"say {number} {text}")
            self.assertEqual(reader.next("message")["id"], said["id"])
            if number % 1000 == 999:
                counters, = speaker.ask("command /stats")
                if counters["control_tails_dropped"]:
                    break
        self.assertEqual((counters["control_tails_dropped"], counters["control_tails"]), (1, 1))
        if not HAS_SANITIZER:
            self.assertLess(counters["resident_bytes"], 200_000_000)
        self.assertIsNone(alice.process.poll())

    def test_a_wipe_keeps_the_socket_and_its_clients(self):
        alice = self.controlled()
        tail, client = self.tail("tail history"), self.client()
        before = tail.read()["self"]["key"]
        client.ask("say hello")
        told = alice.result("wipe now")
        self.assertEqual(told["messages"], 1)
        after = tail.next("ready")["self"]["key"]
        self.assertNotEqual(before, after)
        said, = client.ask("say somebody else")
        self.assertEqual((said["from"]["key"], tail.next("message")["text"]), (after, "somebody else"))

    def test_a_wipe_stays_away_and_can_be_cut_short(self):
        alice = self.controlled()
        bob = self.person("bob", meets=alice)
        tail, client = self.tail("tail"), self.client()
        before = tail.next("ready")["self"]["key"]
        told, = client.ask("command /wipe yes")
        self.assertIn(told["pauseSeconds"], range(5, 31))
        self.next(bob, "peer", state="offline")
        refused, = client.ask("command /who")
        self.assertEqual(refused["code"], "wiped")
        self.assertIn("/wipe now", refused["message"])
        again, = self.client().ask("command /wipe now")
        self.assertEqual(again["pauseSeconds"], told["pauseSeconds"])
        self.assertNotEqual(tail.next("ready")["self"]["key"], before)
        self.assertEqual(client.ask("command /who")[0]["command"], "who")

    def test_quit_ends_the_pause_behind_a_wipe_and_the_node(self):
        alice = self.controlled()
        client = self.client()
        told, = client.ask("command /wipe yes")
        self.assertGreaterEqual(told["pauseSeconds"], 5)
        client.write(b"command /quit\n")
        self.assertEqual(alice.process.wait(timeout=5), 0)

    def test_a_wipe_may_be_asked_for_by_several_at_a_time(self):
        alice = self.controlled()
        clients = [self.client() for _ in range(4)]
        for client in clients:
            client.write(b"command /wipe now\n")
        for client in clients:
            self.assertIn([one["command"] for one in client.answer()], (["wipe"], []))
        self.next(alice, "result", command="wipe")
        self.assertEqual(clients[0].ask("say hello")[0]["text"], "hello")

    def test_quit_ends_the_node_and_its_tails(self):
        alice = self.controlled()
        tail, client = self.tail(), self.client()
        tail.next("ready")
        client.write(b"command /quit\n")
        self.assertEqual(alice.process.wait(20), 0)
        self.assertEqual((tail.read(), tail.read()), ({"event": "end"}, None))
        self.assertFalse(self.path.exists())


if __name__ == "__main__":
    unittest.main()

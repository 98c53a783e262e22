"""The API: every route with its errors, pages of messages, idempotency (Docs/Web.md, section 3)."""

import os
import subprocess
import threading
import unittest
from urllib.parse import quote

import prometheus_client.parser
from earshot_node import Node
from web import WebTest, started


def qr_modules(text):
    """The modules that the program qrencode draws."""
    drawn = subprocess.run(["qrencode", "-l", "M", "-m", "0", "-t", "ASCII", "-o", "-", text], capture_output=True, check=True).stdout
    return [[line[column] == "#" for column in range(0, len(line), 2)] for line in drawn.decode().splitlines()]


class Reading(WebTest):
    def test_the_user_and_what_there_is(self):
        alice = self.served("alice", "--room", "kitchen", "--room", "the attic")
        bob = self.person("bob", alice, "--room", "kitchen")
        me = alice.get("/api/v1/me")
        self.assertEqual([room["room"] for room in me["rooms"]], ["kitchen", "the attic"])
        self.assertEqual(me["rooms"][0]["self"]["key"], alice.node.key)
        rows = alice.get("/api/v1/conversations")["conversations"]
        self.assertEqual([(row["id"], row["kind"], row["title"], row["unread"], row["last"], row["online"]) for row in rows],
                         [("r1", "room", "kitchen", 0, None, 1), ("r2", "room", "the attic", 0, None, 0)])
        person, = alice.get("/api/v1/people")["people"]
        self.assertEqual((person["who"]["key"], person["state"], person["room"]), (bob.key, "online", "kitchen"))
        whole = alice.get(f"/api/v1/rooms/r1/people/{bob.key}")
        self.assertRegex(whole["code"].replace(" ", ""), r"^\d{36}$")
        self.assertEqual(whole["code"], bob.result(f"verify {alice.node.number}")["code"])
        status, headers, picture = alice.ask("GET", f"/api/v1/rooms/r1/people/{bob.key}/code.svg")
        self.assertEqual((status, headers["content-type"]), (200, "image/svg+xml"))
        self.assertEqual(picture.decode().count("h1v1h-1z"), sum(sum(row) for row in qr_modules(whole["code"])))
        names = {family.name for family in prometheus_client.parser.text_string_to_metric_families(alice.get("/metrics").decode())}
        self.assertLessEqual({"earshot_web_clients", "earshot_web_refusals", "earshot_peers"}, names)
        for path in ("conversations/r0/messages", "conversations/r-1/messages", "conversations/r99999999999999999999/messages",
                     "conversations/r/messages", f"conversations/r1-{'0' * 63}/messages", f"conversations/r1-{'0' * 65}/messages",
                     f"rooms/r1/people/{'0' * 64}", "rooms/r1/people/x", f"rooms/r9/people/{bob.key}", f"rooms/x/people/{bob.key}",
                     f"people/{bob.key}", "conversations/r9/messages", "conversations/r1-00/messages",
                     f"conversations/r1-{'0' * 64}/messages", "conversations/x/messages", "conversations/", "", "../x"):
            status, _, problem = alice.ask("GET", f"/api/v1/{path}")
            self.assertEqual((status, problem["status"]), (404, 404), path)

    def test_a_room_that_a_bridge_carries_says_so(self):
        alice = self.served("alice", "--room", "kitchen", "--room", "the attic")
        self.assertEqual([row["bridged"] for row in alice.get("/api/v1/conversations")["conversations"]], [False, False])
        bob = self.person("bob", alice, "--room", "kitchen", *self.bridge())
        alice.node.wait(lambda event: event["event"] == "notice" and event["code"] == "room_bridged", "notice", from_start=True)
        self.assertEqual([row["bridged"] for row in alice.get("/api/v1/conversations")["conversations"]], [True, False])
        socket = alice.socket()
        self.assertEqual([room["bridged"] for room in socket.wait(event="snapshot")["rooms"]], [True, False])
        self.assertEqual([room["bridged"] for room in alice.get("/api/v1/me")["rooms"]], [True, False])
        self.assertEqual([room["bridged"] for room in alice.node.result("rooms")["rooms"]], [True, False])
        bob.say("/quit")
        # A bridge that is started again makes no notice: the node looks once a minute.
        alice.node.wait(lambda event: event["event"] == "notice" and event["code"] == "room_unbridged", "notice", 90)
        self.assertEqual([row["bridged"] for row in alice.get("/api/v1/conversations")["conversations"]], [False, False])
        socket.close()

    def test_pages_have_each_message_once_while_others_arrive(self):
        alice = self.served()
        bob = self.person("bob", alice)
        # As many as the node keeps, with those that arrive.
        for number in range(50):
            bob.say(f"message {number}")
        alice.node.hears("message 49")
        path = f"/api/v1/conversations/{alice.conversation()['id']}/messages"

        def say_more():
            for number in range(50):
                bob.say(f"later {number}")

        saying = threading.Thread(target=say_more)
        page = alice.get(f"{path}?limit=7")
        backwards = [page["messages"]]
        saying.start()
        while page["previous"]:
            page = alice.get(f"{path}?limit=7&before={page['previous']}")
            self.assertLessEqual(len(page["messages"]), 7)
            backwards.insert(0, page["messages"])
        saying.join()
        alice.node.hears("later 49")
        texts = [message["text"] for part in backwards for message in part]
        self.assertEqual(texts, [f"message {number}" for number in range(50)])
        forwards = []
        after = backwards[0][0]["id"]
        while after:
            page = alice.get(f"{path}?limit=7&after={after}")
            forwards += page["messages"]
            after = page["next"]
        self.assertEqual([message["text"] for message in forwards],
                         [f"message {number}" for number in range(1, 50)] + [f"later {number}" for number in range(50)])
        for query in ("limit=0", "limit=101", "limit=x", "before=1", "after=" + "g" * 32, "other=1", "limit="):
            self.assertEqual(alice.ask("GET", f"{path}?{query}")[0], 400, query)
        self.assertEqual(alice.ask("GET", f"{path}?before={'0' * 32}")[0], 404)


class Changing(WebTest):
    def test_messages_are_said_changed_and_deleted(self):
        alice = self.served()
        bob = self.person("bob", alice)
        status, _, said = alice.ask("POST", "/api/v1/conversations/r1/messages", {"text": "안녕 👋 <b>"})
        self.assertEqual((status, said["text"], said["isFromCurrentUser"]), (201, "안녕 👋 <b>", True))
        self.assertEqual(bob.hears("안녕 👋 <b>")["id"], said["id"])
        path = f"/api/v1/conversations/r1/messages/{said['id']}"
        self.assertEqual(alice.ask("PATCH", path, {"text": "changed"})[0], 204)
        bob.wait(lambda event: event["event"] == "edited" and event["text"] == "changed", "edit")
        self.assertEqual(alice.ask("DELETE", path)[0], 204)
        bob.wait(lambda event: event["event"] == "deleted", "deletion")
        self.assertEqual(alice.ask("DELETE", path)[0], 404)
        bob.say("mine")
        theirs = alice.node.hears("mine")["id"]
        self.assertEqual(alice.ask("DELETE", f"/api/v1/conversations/r1/messages/{theirs}")[0], 403)
        for text, code in (("", "empty"), ("x" * 241, "too_long"), ("   ", "empty"), ("é" + "́" * 13, "too_dense")):
            status, headers, problem = alice.ask("POST", "/api/v1/conversations/r1/messages", {"text": text})
            self.assertEqual((status, problem["code"], headers["content-type"]), (422, code, "application/problem+json"))

    def test_a_text_that_begins_with_a_slash_is_never_said(self):
        alice = self.served()
        bob = self.person("bob", alice)
        path = "/api/v1/conversations/r1/messages"
        status, _, said = alice.ask("POST", path, {"text": "first"})
        asked = [("POST", path, {}), ("PATCH", f"{path}/{said['id']}", {}), ("POST", "/api/v1/rooms/r1/direct", {"to": bob.key})]
        for text in ("/who", "/join lab SECRET", " /nosuch", "\ufeff/x", "/"):
            for method, where, members in asked:
                status, _, problem = alice.ask(method, where, members | {"text": text})
                self.assertEqual((status, problem["code"]), (422, "is_command"), (method, ascii(text)))
                self.assertIn("POST /api/v1/commands", problem["detail"])
        self.assertEqual(alice.ask("POST", path, {"text": "//who"})[2]["text"], "/who")
        self.assertEqual([message["text"] for message in alice.get(path)["messages"]], ["first", "/who"])
        bob.hears("/who")

    def test_names_are_safe_and_blank_texts_are_refused(self):
        alice = self.served()
        bob = self.person("bob", alice)
        for nickname in ("ben#9294" + "\u2800" * 15, "Ian\u200b", "Ian\ufff0", "ben#9294\u202e", "★Bob"):
            bob.say("/nick " + nickname)
            bob.say("from " + ascii(nickname))
            alice.node.hears("from " + ascii(nickname))
            shown = alice.get("/api/v1/people")["people"][0]["who"]["displayName"]
            word, number = shown.rsplit("#", 1)
            self.assertEqual(number, str(bob.number))
            self.assertFalse(set(word) & set("#★\u2800\u200b\ufff0\u202e"), ascii(word))
            self.assertIn("\ufffd", word)
        for text in ("\u200b", "\u2800", "\u3164", "\u115f", "\ufeff", "\U000e0041"):
            status, _, problem = alice.ask("POST", "/api/v1/conversations/r1/messages", {"text": text})
            self.assertEqual((status, problem["code"]), (422, "empty"), ascii(text))
            for command in ("nick", "away", "about") if text != "\U000e0041" else ():
                status, _, problem = alice.ask("POST", "/api/v1/commands", {"line": f"/{command} {text}"})
                self.assertEqual((status, problem["code"]), (422, "empty"), (command, ascii(text)))

    def test_the_node_marks_mentions(self):
        alice = self.served("민수")
        bob = self.person("bob", alice)
        for text, mention in (("민수야 안녕", True), ("@민수님", True), ("박민수", False), (f"#{alice.node.number}?", True), ("hi", False)):
            bob.say(text)
            self.assertEqual(alice.node.hears(text)["mention"], mention, text)
        messages = alice.get("/api/v1/conversations/r1/messages")["messages"]
        self.assertEqual([message["mention"] for message in messages], [True, True, False, True, False])

    def test_a_repeated_request_whose_message_is_not_kept_says_nothing_again(self):
        alice = self.served()
        bob = self.person("bob", alice)
        path, key = "/api/v1/conversations/r1/messages", {"Idempotency-Key": "key-1"}
        said = alice.ask("POST", path, {"text": "once"}, key)[2]
        self.assertEqual(alice.ask("POST", path, {"text": "once"}, key)[2]["id"], said["id"])
        for number in range(100):
            bob.say(f"<{number}>")
        alice.node.hears("<99>")
        status, _, problem = alice.ask("POST", path, {"text": "once"}, key)
        self.assertEqual((status, problem["code"]), (404, "unknown_message"))
        alice.ask("POST", path, {"text": "end"})
        bob.hears("end")
        self.assertEqual([event["text"] for event in bob.events if event["event"] == "message" and not event["isFromCurrentUser"]],
                         ["once", "end"])

    def test_a_repeated_request_gives_the_same_message(self):
        alice = self.served()
        bob = self.person("bob", alice)
        path = "/api/v1/conversations/r1/messages"
        answers = []

        def post():
            answers.append(alice.ask("POST", path, {"text": "once"}, {"Idempotency-Key": "key-1"}))

        threads = [threading.Thread(target=post) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual({(status, said["id"]) for status, _, said in answers}, {(201, bob.hears("once")["id"])})
        self.assertEqual(alice.ask("POST", path, {"text": "other"}, {"Idempotency-Key": "key-1"})[0], 409)
        self.assertEqual(alice.ask("POST", path, {"text": "x"}, {"Idempotency-Key": "k" * 129})[0], 400)
        # Keys that look alike are two.
        alike = [alice.ask("POST", path, {"text": "alike"}, {"Idempotency-Key": key.encode()}) for key in ("\u00e9", "e\u0301")]
        self.assertEqual([answer[0] for answer in alike], [201, 201])
        self.assertNotEqual(*(answer[2]["id"] for answer in alike))
        # A request that was refused is performed again.
        direct = {"to": bob.key, "text": "later"}
        self.assertEqual(alice.ask("POST", "/api/v1/rooms/r1/direct", direct, {"Idempotency-Key": "key-3"})[0], 201)
        again = dict(direct, text="not accepted yet")
        statuses = [alice.ask("POST", "/api/v1/rooms/r1/direct", again, {"Idempotency-Key": "key-4"})[0] for _ in range(2)]
        self.assertEqual(statuses[0], statuses[1])
        bob.say(f"/accept {alice.node.number}")
        alice.node.wait(lambda event: event["event"] == "direct" and event["state"] == "accepted", "acceptance")
        self.assertEqual(alice.ask("POST", "/api/v1/rooms/r1/direct", again, {"Idempotency-Key": "key-4"})[0], 201)
        bob.hears("not accepted yet")
        alice.ask("POST", path, {"text": "end"}, {"Idempotency-Key": "key-2"})
        bob.hears("end")
        said = [event["text"] for event in bob.events if event["event"] == "message" and event["conversation"] == "public"]
        self.assertEqual(said, ["once", "alike", "alike", "end"])

    def test_requests_direct_messages_and_marks(self):
        alice = self.served()
        bob = self.person("bob", alice)
        status, _, said = alice.ask("POST", "/api/v1/rooms/r1/direct", {"to": bob.key, "text": "psst"})
        self.assertEqual((status, said["conversation"]), (201, "direct"))
        bob.wait(lambda event: event["event"] == "request" and event["text"] == "psst", "request")
        bob.say(f"/accept {alice.node.number}")
        alice.node.wait(lambda event: event["event"] == "direct" and event["state"] == "accepted", "acceptance")
        bob.say(f"/msg {alice.node.number} hello")
        alice.node.hears("hello")
        row = alice.conversation("direct")
        self.assertEqual((row["id"], row["unread"], row["last"]["text"]), (f"r1-{bob.key}", 1, "hello"))
        self.assertEqual(alice.ask("PUT", f"/api/v1/conversations/{row['id']}/active", {"active": True})[0], 204)
        row = alice.conversation("direct")
        self.assertEqual((row["unread"], row["active"]), (0, True))
        self.assertEqual(alice.ask("POST", f"/api/v1/conversations/{row['id']}/messages", {"text": "answer"})[0], 201)
        bob.hears("answer")
        self.assertEqual(alice.ask("PUT", f"/api/v1/conversations/{row['id']}/typing", {"on": True})[0], 204)
        bob.wait(lambda event: event["event"] == "typing" and event["on"], "typing")
        self.assertEqual(alice.ask("PUT", "/api/v1/conversations/r1/typing", {"on": True})[0], 409)
        self.assertEqual(alice.ask("PUT", f"/api/v1/conversations/{row['id']}/active", {"active": False})[0], 204)
        self.assertTrue(alice.conversation()["active"])
        for mark, member in (("mute", "muted"), ("verified", "verified"), ("block", "blocked")):
            path = f"/api/v1/rooms/r1/people/{bob.key}"
            self.assertEqual(alice.ask("PUT", f"{path}/{mark}")[0], 204)
            self.assertTrue(alice.get(path)[member], mark)
            self.assertEqual(alice.ask("DELETE", f"{path}/{mark}")[0], 204)
            self.assertFalse(alice.get(path)[member], mark)
        self.assertEqual(alice.ask("PUT", f"/api/v1/rooms/r1/people/{bob.key}/love")[0], 404)

    def test_a_room_that_is_not_looked_at_counts_its_messages(self):
        alice = self.served()
        bob = self.person("bob", alice)
        path = "/api/v1/conversations/r1/active"
        self.assertEqual(alice.ask("PUT", path, {"active": False})[0], 204)
        self.assertFalse(alice.conversation()["active"])
        bob.say("unseen")
        self.assertEqual(alice.node.hears("unseen")["unread"], 1)
        self.assertEqual(alice.conversation()["unread"], 1)
        self.assertEqual(alice.ask("PUT", path, {"active": False})[0], 204)
        self.assertEqual(alice.conversation()["unread"], 1)
        self.assertEqual(alice.ask("PUT", path, {"active": True})[0], 204)
        row = alice.conversation()
        self.assertEqual((row["active"], row["unread"]), (True, 0))
        bob.say("seen")
        self.assertEqual(alice.node.hears("seen")["unread"], 0)

    def test_requests_of_others_are_answered(self):
        alice = self.served()
        bob, carol = self.person("bob", alice), self.person("carol", alice)
        for node in (bob, carol):
            node.say(f"/msg {alice.node.number} may I?")
            alice.node.wait(lambda event: event["event"] == "request" and event["from"]["key"] == node.key, "request")
        self.assertEqual({row["key"] for row in alice.get("/api/v1/requests")["requests"]}, {bob.key, carol.key})
        self.assertEqual(alice.ask("POST", f"/api/v1/rooms/r1/requests/{bob.key}", {"accept": True})[0], 204)
        self.assertEqual(alice.ask("POST", f"/api/v1/rooms/r1/requests/{carol.key}", {"accept": False})[0], 204)
        self.assertEqual(alice.get("/api/v1/requests")["requests"], [])
        self.assertEqual(alice.ask("POST", f"/api/v1/rooms/r1/requests/{carol.key}", {"accept": True})[0], 409)
        bob.wait(lambda event: event["event"] == "direct" and event["state"] == "accepted", "acceptance")

    def test_every_other_command_is_a_line(self):
        alice = self.served("alice", "--room", "kitchen")
        bob = self.person("bob", alice, "--room", "kitchen")
        self.assertRegex(alice.ask("POST", "/api/v1/commands", {"line": "/rooms"})[2]["text"][0], r"^1 kitchen \(shown\), open: ")
        status, _, answer = alice.ask("POST", "/api/v1/commands", {"line": "/nick alicia"})
        self.assertEqual((status, answer["reports"][-1]["who"]["nickname"]), (200, "alicia"))
        bob.wait(lambda event: event["event"] == "peer" and event["who"]["nickname"] == "alicia", "name")
        self.assertEqual(alice.ask("POST", "/api/v1/commands", {"line": "/join attic"})[0], 200)
        self.assertEqual(alice.ask("POST", "/api/v1/commands", {"line": "hi kitchen", "room": "kitchen"})[0], 200)
        bob.hears("hi kitchen")
        status, _, problem = alice.ask("POST", "/api/v1/commands", {"line": "/msg nobody x"})
        self.assertEqual((status, problem["code"]), (404, "unknown_peer"))
        self.assertEqual(alice.ask("POST", "/api/v1/commands", {"line": "/wipe now"})[0], 200)
        self.assertNotEqual(alice.get("/api/v1/me")["rooms"][0]["self"]["key"], alice.node.key)
        self.assertEqual(alice.get(f"/api/v1/conversations/{alice.conversation()['id']}/messages")["messages"], [])

    def test_a_command_with_operands_does_what_they_say_or_is_refused(self):
        alice = self.served("alice", "--room", "kitchen")
        bob = self.person("bob", alice, "--room", "kitchen")

        def perform(command, **operands):
            status, _, answer = alice.ask("POST", "/api/v1/commands", {"command": command, "operands": operands})
            return status, answer.get("code", answer)

        def rooms():
            return [(row["title"], row["private"]) for row in alice.get("/api/v1/conversations")["conversations"]]

        name, key = 'my "best" room', 'a key "with" quotes --open --as me'
        self.assertEqual(perform("join", room=name, key=key)[0], 200)
        self.assertEqual(rooms(), [("kitchen", False), (name, True)])
        self.assertEqual(perform("join", room="x --open")[0], 200)
        self.assertEqual(rooms()[2:], [("x --open", False)])
        for operands in ({"room": "", "key": "secret words of a key"}, {"room": "\u3000", "key": "secret words of a key"},
                         {"key": "secret words of a key"}, {"room": "y", "key": 1}, {"room": "y", "name": "z"},
                         {"room": "y", "open": True, "key": "secret words of a key"}):
            self.assertEqual(perform("join", **operands)[0], 422, operands)
        self.assertEqual(len(rooms()), 3)
        self.assertEqual(perform("open", room="kitchen")[0], 200)
        self.assertEqual(perform("open", room="bob"), (404, "unknown_room"))
        self.assertEqual(perform("part", room=name)[0], 200)
        self.assertEqual(perform("part", room="x --open")[0], 200)
        self.assertEqual(rooms(), [("kitchen", False)])
        self.assertEqual(perform("say", text='"quoted" words')[0], 200)
        bob.hears('"quoted" words')
        self.assertEqual(perform("nick", name='"ann" lee')[0], 200)
        bob.wait(lambda event: event["event"] == "peer" and event["who"]["nickname"] == '"ann" lee', "name")
        self.assertEqual(perform("verify", who=bob.key, verified=True)[0], 200)
        self.assertEqual(perform("wipe"), (422, "unknown_command"))
        self.assertEqual(perform("nosuch"), (422, "unknown_command"))
        for body in ({}, {"line": "/who", "command": "who"}, {"command": 1}, {"command": "who", "operands": []},
                     {"command": "who", "operands": {"all": None}}, {"line": "/who", "operands": {}}):
            self.assertEqual(alice.ask("POST", "/api/v1/commands", body)[0], 422, body)
        # A line can say such a name, too.
        line = '/join "my \\"best\\" room" another key of words'
        self.assertEqual(alice.ask("POST", "/api/v1/commands", {"line": line})[0], 200)
        self.assertEqual(rooms()[1:], [(name, True)])

    def test_a_command_acts_in_the_conversation_of_its_client(self):
        alice = self.served("alice", "--room", "kitchen")
        bob = self.person("bob", alice, "--room", "kitchen")
        bob.say(f"/msg {alice.node.number} may I?")
        alice.node.wait(lambda event: event["event"] == "request", "request")
        alice.node.say(f"/accept {bob.number}")
        bob.wait(lambda event: event["event"] == "direct" and event["state"] == "accepted", "acceptance")
        direct = f"r1-{bob.key}"

        def perform(conversation=direct, **body):
            status, _, answer = alice.ask("POST", "/api/v1/commands", {"conversation": conversation, **body})
            return status, answer.get("code", answer.get("reports"))

        def heard(event, **members):
            return bob.wait(lambda one: one["event"] == event and all(one.get(name) == value for name, value in members.items()), event)

        alice.node.say("to the room")
        bob.hears("to the room")
        # The node has the room open.
        for body in ({"line": "/me waves"}, {"command": "me", "operands": {"text": "nods"}}, {"line": "a line"}):
            self.assertEqual(perform(**body)[0], 200)
        for text, action in (("* alice waves", "waves"), ("* alice nods", "nods"), ("a line", None)):
            self.assertEqual(heard("message", text=text, action=action)["conversation"], "direct")
        self.assertEqual(perform(line="/edit another line")[0], 200)
        self.assertEqual(heard("edited", text="another line")["conversation"], "direct")
        self.assertEqual(perform(command="delete")[0], 200)
        self.assertEqual(heard("deleted")["conversation"], "direct")
        for line in ("/history", "/search nods"):
            report, = perform(line=line)[1]
            self.assertEqual((report["conversation"], report["messages"][-1]["text"]), ("direct", "* alice nods"), line)
        self.assertEqual(perform(line="/typing")[0], 200)
        self.assertEqual(heard("typing", on=True)["conversation"], "direct")
        # The other way round, and in another room than the open one.
        alice.node.result(f"open {bob.number}")
        # The user's last message is the direct one: its correction is not for all.
        self.assertEqual(perform("r1", line="/edit to the whole room"), (404, "unknown_message"))
        self.assertEqual(perform("r1", line="more")[0], 200)
        self.assertEqual(perform("r1", line="/edit to the whole room")[0], 200)
        self.assertEqual(heard("edited", text="to the whole room")["conversation"], "public")
        self.assertEqual(alice.ask("POST", "/api/v1/commands", {"command": "join", "operands": {"room": "attic"}})[0], 200)
        self.assertEqual(perform(line="/part")[0], 200)
        self.assertEqual([row["room"] for row in alice.get("/api/v1/me")["rooms"]], ["kitchen", "attic"])
        self.assertEqual([row["id"] for row in alice.get("/api/v1/conversations")["conversations"] if row["active"]], ["r1"])
        self.assertEqual(perform("r2", line="/part")[0], 200)
        self.assertEqual([row["room"] for row in alice.get("/api/v1/me")["rooms"]], ["kitchen"])
        self.assertEqual(perform("r2", line="/me waves"), (404, "unknown_conversation"))
        self.assertEqual(perform(1, line="/me waves"), (422, "bad_member"))
        self.assertEqual(perform("r1", line="/me waves", room="nowhere"), (404, "unknown_room"))
        self.assertEqual(perform("r1", line="/who", room="kitchen")[0], 200)

    def test_answers_are_in_the_language_that_the_client_wishes(self):
        alice = self.served()

        def ask(line, *languages):
            headers = {"Accept-Language": languages[0]} if languages else {}
            return alice.ask("POST", "/api/v1/commands", {"line": line}, headers)[2]

        self.assertEqual(ask("/unread", "en")["text"], ask("/unread")["text"])
        korean = ask("/unread", "ko-KR,ko;q=0.9,en;q=0.8")
        self.assertRegex(korean["text"][0], "[가-힣]")
        # Programs read the same members in each language.
        self.assertEqual(korean["reports"], ask("/unread")["reports"])
        self.assertRegex(ask("/nope", "ko")["detail"], "[가-힣]")
        self.assertNotRegex(ask("/nope", "en, ko;q=0.5")["detail"], "[가-힣]")

    def test_one_key_in_two_rooms_is_a_user_of_each(self):
        bob = Node(started, "bob", "--discovery", "none", "--rate", "1000000", "--identity", os.path.join(self.folder, "me"))
        self.addCleanup(lambda: bob.process.poll() is None and bob.kill())
        ports = {"lobby": bob.ready()["port"]}
        bob.say("/join kitchen --as me")
        ready = bob.wait(lambda event: event["event"] == "ready" and event["room"] == "kitchen", "second room")
        self.assertEqual(ready["self"]["key"], bob.key)
        ports["kitchen"] = ready["port"]
        alice = self.served("alice", *(word for room, port in ports.items()
                                       for word in ("--room", room, "--peer", f"127.0.0.1:{port}")))
        for room in ports:
            alice.node.wait(lambda event, room=room: event["event"] == "peer" and event["room"] == room, f"bob in {room}")
        rows = {row["roomId"]: row for row in alice.get("/api/v1/people")["people"]}
        self.assertEqual([rows[room]["who"]["key"] for room in ("r1", "r2")], [bob.key] * 2)
        first, second = (f"/api/v1/rooms/{room}/people/{bob.key}" for room in ("r1", "r2"))
        self.assertNotEqual(alice.get(first)["code"], alice.get(second)["code"])
        self.assertEqual(alice.ask("PUT", f"{second}/mute")[0], 204)
        self.assertEqual((alice.get(first)["muted"], alice.get(second)["muted"]), (False, True))
        self.assertEqual(alice.ask("DELETE", f"{second}/mute")[0], 204)
        own = alice.node.wait(lambda event: event["event"] == "ready" and event["room"] == "kitchen", "kitchen")["self"]
        bob.say(f"@kitchen /msg {own['number']} may I?")
        alice.node.wait(lambda event: event["event"] == "request", "request")
        asked, = alice.get("/api/v1/requests")["requests"]
        self.assertEqual((asked["room"], asked["roomId"], asked["key"]), ("kitchen", "r2", bob.key))
        self.assertEqual(alice.ask("POST", f"/api/v1/rooms/r1/requests/{bob.key}", {"accept": True})[0], 409)
        self.assertEqual(alice.ask("POST", f"/api/v1/rooms/r2/requests/{bob.key}", {"accept": True})[0], 204)
        accepted = bob.wait(lambda event: event["event"] == "direct", "acceptance")
        self.assertEqual((accepted["room"], accepted["with"]["key"]), ("kitchen", own["key"]))
        status, _, said = alice.ask("POST", "/api/v1/rooms/r2/direct", {"to": bob.key, "text": "between us"})
        self.assertEqual((status, said["conversationId"]), (201, f"r2-{bob.key}"))
        heard = bob.hears("between us")
        self.assertEqual((heard["room"], heard["from"]["key"]), ("kitchen", own["key"]))
        bob.say(f"@kitchen /msg {own['number']} unread")
        alice.node.hears("unread")
        unread = {row["id"]: row["unread"] for row in alice.get("/api/v1/conversations")["conversations"]}
        self.assertEqual(unread, {"r1": 0, "r2": 0, f"r2-{bob.key}": 1})


class SmallTalk(WebTest):
    MESSAGES = "/api/v1/conversations/r1/messages"
    BOARD = "/api/v1/rooms/r1/board"

    def refused(self, answer, status, code):
        self.assertEqual((answer[0], answer[2]["code"]), (status, code))

    def befriend(self, alice, bob):
        bob.say(f"/msg {alice.node.number} may I?")
        alice.node.wait(lambda event: event["event"] == "request", "request")
        self.assertEqual(alice.ask("POST", f"/api/v1/rooms/r1/requests/{bob.key}", {"accept": True})[0], 204)
        bob.wait(lambda event: event["event"] == "direct", "acceptance")

    def test_a_text_answers_a_message(self):
        alice = self.served()
        bob = self.person("bob", alice)
        bob.say("who is there?")
        asked = alice.node.hears("who is there?")["id"]
        status, _, said = alice.ask("POST", self.MESSAGES, {"text": "me", "replyTo": asked})
        self.assertEqual((status, said["replyTo"], said["reactions"]), (201, asked, []))
        self.assertEqual(bob.hears("me")["replyTo"], asked)
        self.assertEqual([message["replyTo"] for message in alice.get(self.MESSAGES)["messages"]], [None, asked])
        self.assertIsNone(alice.ask("POST", self.MESSAGES, {"text": "none", "replyTo": None})[2]["replyTo"])
        # The message may be one that is here no more.
        self.assertEqual(alice.ask("POST", self.MESSAGES, {"text": "old", "replyTo": "ab" * 16})[2]["replyTo"], "ab" * 16)
        for wrong in ("ab", "g" * 32, asked[:8], 7, [asked]):
            self.refused(alice.ask("POST", self.MESSAGES, {"text": "x", "replyTo": wrong}), 422, "bad_member")
        self.befriend(alice, bob)
        bob.say(f"/msg {alice.node.number} between us")
        private = alice.node.hears("between us")["id"]
        for path, members in ((f"/api/v1/conversations/r1-{bob.key}/messages", {}), ("/api/v1/rooms/r1/direct", {"to": bob.key})):
            status, _, said = alice.ask("POST", path, members | {"text": "yes", "replyTo": private})
            self.assertEqual((status, said["replyTo"], said["conversationId"]), (201, private, f"r1-{bob.key}"))
            self.refused(alice.ask("POST", path, members | {"text": "no", "replyTo": asked}), 404, "unknown_message")
        self.assertEqual(bob.hears("yes")["replyTo"], private)
        # No id of a private message is named in a room.
        self.refused(alice.ask("POST", self.MESSAGES, {"text": "x", "replyTo": private}), 404, "unknown_message")

    def test_emojis_are_given_and_taken_back(self):
        alice = self.served()
        bob = self.person("bob", alice)
        bob.say("good news")
        message = alice.node.hears("good news")["id"]
        path = f"{self.MESSAGES}/{message}/reactions"
        for emoji in ("👍", "🎉", "👍"):
            self.assertEqual(alice.ask("PUT", path, {"emoji": emoji, "on": True})[0], 204)
        given = bob.wait(lambda event: event["event"] == "reacted" and len(event["emojis"]) == 2, "reactions")
        self.assertEqual((given["id"], given["emojis"], given["from"]["key"]), (message, ["👍", "🎉"], alice.node.key))
        bob.say(f"/react {message} 👍")
        alice.node.wait(lambda event: event["event"] == "reacted" and event["from"]["key"] == bob.key, "reaction")
        kept, = alice.get(self.MESSAGES)["messages"]
        self.assertEqual(kept["reactions"], [{"emoji": "👍", "count": 2, "own": True}, {"emoji": "🎉", "count": 1, "own": True}])
        listed = alice.get(path)
        self.assertEqual((listed["id"], listed["conversation"]), (message, "public"))
        self.assertEqual([(row["emoji"], sorted(who["key"] for who in row["who"])) for row in listed["reactions"]],
                         [("👍", sorted((alice.node.key, bob.key))), ("🎉", [alice.node.key])])
        self.assertEqual(alice.ask("PUT", path, {"emoji": "❤️", "on": True})[0], 204)
        self.refused(alice.ask("PUT", path, {"emoji": "🦊", "on": True}), 409, "too_many_reactions")
        for wrong in ("", "x", "👍👍", "\u202e", "a\u0301", "👍" + "\u200d👍" * 6):
            self.refused(alice.ask("PUT", path, {"emoji": wrong, "on": True}), 422, "invalid_emoji")
        for wrong in ({"emoji": "👍"}, {"on": True}, {"emoji": 7, "on": True}, {"emoji": "👍", "on": "yes"},
                      {"emoji": "👍", "on": True, "x": 1}):
            self.refused(alice.ask("PUT", path, wrong), 422, "bad_member")
        for emoji in ("👍", "🎉", "❤️"):
            self.assertEqual(alice.ask("PUT", path, {"emoji": emoji, "on": False})[0], 204)
        bob.wait(lambda event: event["event"] == "reacted" and event["emojis"] == [], "end of the reactions")
        self.assertEqual(alice.get(self.MESSAGES)["messages"][0]["reactions"], [{"emoji": "👍", "count": 1, "own": False}])
        for unknown in ("0" * 32, "x", message[:8]):
            self.refused(alice.ask("PUT", f"{self.MESSAGES}/{unknown}/reactions", {"emoji": "👍", "on": True}), 404, "unknown_message")
            self.refused(alice.ask("GET", f"{self.MESSAGES}/{unknown}/reactions"), 404, "unknown_message")
        self.refused(alice.ask("GET", path.replace("/r1/", "/r9/")), 404, "unknown_conversation")

    def test_emojis_on_a_direct_message_are_between_two(self):
        alice = self.served()
        bob = self.person("bob", alice)
        carol = self.person("carol", alice)
        self.befriend(alice, bob)
        path = f"/api/v1/conversations/r1-{bob.key}/messages"
        said = alice.ask("POST", path, {"text": "between us"})[2]
        bob.hears("between us")
        bob.say(f"/open {alice.node.number}")
        bob.say(f"/react {said['id']} 🦊")
        event = alice.node.wait(lambda event: event["event"] == "reacted", "reaction")
        self.assertEqual((event["conversation"], event["with"]["key"]), ("direct", bob.key))
        listed = alice.get(f"{path}/{said['id']}/reactions")
        self.assertEqual([(row["emoji"], [who["key"] for who in row["who"]]) for row in listed["reactions"]], [("🦊", [bob.key])])
        # It is a message of that conversation alone.
        self.refused(alice.ask("PUT", f"{self.MESSAGES}/{said['id']}/reactions", {"emoji": "🦊", "on": True}), 404, "unknown_message")
        alice.node.say("end")
        carol.hears("end")
        self.assertNotIn("reacted", {event["event"] for event in carol.events})

    def test_cards_are_put_up_shown_and_taken_down(self):
        alice = self.served()
        bob = self.person("bob", alice)
        self.assertEqual(alice.get(self.BOARD), {"cards": []})
        card = {"title": "lost 모자", "text": "a red hat", "cardColor": "red"}
        status, _, put = alice.ask("POST", self.BOARD, card)
        self.assertEqual((status, {name: put[name] for name in card}, put["roomId"]), (201, card, "r1"))
        seen = bob.wait(lambda event: event["event"] == "card", "card")
        self.assertEqual((seen["id"], seen["title"], seen["isFromCurrentUser"]), (put["id"], "lost 모자", False))
        bob.say("/card found | a glove")
        theirs = alice.node.wait(lambda event: event["event"] == "card" and event["title"] == "found", "card")
        cards = alice.get(self.BOARD)["cards"]
        # In the signed order: the shift of a signing clock may set the later card of two authors before the earlier one.
        self.assertEqual({(row["title"], row["cardColor"], row["isFromCurrentUser"]) for row in cards},
                         {("lost 모자", "red", True), ("found", "teal", False)})
        self.refused(alice.ask("DELETE", f"{self.BOARD}/{theirs['id']}"), 403, "foreign_card")
        self.assertEqual(alice.ask("DELETE", f"{self.BOARD}/{put['id']}")[0], 204)
        gone = bob.wait(lambda event: event["event"] == "cardRemoved", "removal")
        self.assertEqual((gone["id"], gone["reason"]), (put["id"], "removed"))
        self.assertEqual([row["title"] for row in alice.get(self.BOARD)["cards"]], ["found"])
        for unknown in (put["id"], "0" * 32, "x"):
            self.refused(alice.ask("DELETE", f"{self.BOARD}/{unknown}"), 404, "unknown_card")
        for wrong, code in (({"title": ""}, "empty"), ({"title": "t" * 41}, "invalid_card"), ({"title": "a\nb"}, "invalid_card"),
                            ({"cardColor": "pink"}, "invalid_card"), ({"cardColor": ""}, "invalid_card"), ({"text": ""}, "empty"),
                            ({"text": "x" * 241}, "too_long"), ({"text": "/who"}, "is_command"), ({"title": 7}, "bad_member"),
                            ({"cardColor": None}, "bad_member"), ({"color": "red"}, "bad_member")):
            self.refused(alice.ask("POST", self.BOARD, {"title": "t", "text": "x"} | wrong), 422, code)
        self.refused(alice.ask("POST", self.BOARD, {"title": "t"}), 422, "bad_member")
        self.refused(alice.ask("GET", "/api/v1/rooms/r9/board"), 404, "unknown_room")
        self.refused(alice.ask("POST", "/api/v1/rooms/r9/board", {"title": "t", "text": "x"}), 404, "unknown_room")
        self.assertEqual(len(alice.get(self.BOARD)["cards"]), 1)

    def test_a_repeated_request_puts_one_card_up(self):
        alice = self.served()
        card, key = {"title": "once", "text": "only"}, {"Idempotency-Key": "card-1"}
        first = alice.ask("POST", self.BOARD, card, key)
        self.assertEqual(first[0], 201)
        self.assertEqual(alice.ask("POST", self.BOARD, card, key)[2], first[2])
        self.assertEqual(len(alice.get(self.BOARD)["cards"]), 1)
        self.refused(alice.ask("POST", self.BOARD, card | {"title": "other"}, key), 409, "other_request")
        # A request that was refused is tried again.
        refused = {"Idempotency-Key": "card-2"}
        for _ in range(2):
            self.refused(alice.ask("POST", self.BOARD, {"title": "", "text": "x"}, refused), 422, "empty")
        self.assertEqual(alice.ask("DELETE", f"{self.BOARD}/{first[2]['id']}")[0], 204)
        self.refused(alice.ask("POST", self.BOARD, card, key), 404, "unknown_card")
        self.assertEqual(alice.get(self.BOARD), {"cards": []})


if __name__ == "__main__":
    unittest.main()

"""Provokes every event of the contract. Each line that a test reads is checked against the contract."""

import contract
from people import People


class Events(People):
    def test_ready_reports_identity_port_room_and_discovery(self):
        ready = self.person("alice", "--room", "kitchen").ready()
        self.assertEqual((ready["room"], ready["discovery"], ready["self"]["nickname"]), ("kitchen", "none", "alice"))
        self.assertEqual((ready["self"]["suffix"], ready["self"]["stage"]), (None, "newcomer"))

    def test_a_peer_comes_is_away_is_back_is_renamed_and_goes(self):
        alice, bob = self.pair()
        self.assertEqual(alice.sees(bob)["peers"], 1)
        for command, state, name in (("/away", "away", "bob"), ("/back", "online", "bob"), ("/nick rob", "online", "rob")):
            bob.say(command)
            told = self.next(alice, "peer", state=state)
            self.assertEqual((told["who"]["nickname"], told["who"]["key"], told["peers"]), (name, bob.key, 1))
        self.assertEqual(bob.quit(), 0)
        told = self.next(alice, "peer", state="offline")
        self.assertEqual((told["who"]["nickname"], told["peers"]), ("rob", 0))

    def test_a_stage_is_reported_once_it_has_grown(self):
        alice, bob = self.pair("--rate", "1000000")
        for number in range(11):
            bob.say(f"line {number}")
        self.assertEqual(self.next(alice, "message", text="line 9")["from"]["stage"], "newcomer")
        self.assertEqual(self.next(alice, "peer", state="online")["who"]["stage"], "regular")
        self.assertEqual(self.next(alice, "message", text="line 10")["from"]["stage"], "regular")

    def test_a_public_message_is_the_same_to_its_author_and_to_others(self):
        alice, bob = self.pair()
        alice.say("hello 👋 안녕")
        said, heard = (self.next(node, "message") for node in (alice, bob))
        for name in ("conversation", "id", "from", "text", "sentAt", "history", "unread"):
            self.assertEqual(said[name], heard[name], name)
        self.assertEqual((said["isFromCurrentUser"], heard["isFromCurrentUser"]), (True, False))
        self.assertEqual((heard["conversation"], heard["text"], heard["history"]), ("public", "hello 👋 안녕", False))
        self.assertEqual((heard["from"]["key"], heard["unread"]), (alice.key, 0))

    def test_a_request_is_accepted_and_its_conversation_left(self):
        alice, bob = self.pair()
        alice.say(f"/msg {bob.number} may I?")
        asked = self.next(bob, "request")
        self.assertEqual((asked["from"]["key"], asked["text"]), (alice.key, "may I?"))
        said = self.next(alice, "message")
        self.assertEqual((said["conversation"], said["with"]["key"], said["isFromCurrentUser"]), ("direct", bob.key, True))
        bob.say(f"/accept {alice.number}")
        self.assertEqual(self.next(bob, "direct")["state"], "accepted")
        self.assertEqual(self.next(alice, "direct", state="accepted")["with"]["key"], bob.key)
        bob.say(f"/leave {alice.number}")
        self.assertEqual(self.next(bob, "direct")["state"], "left")
        self.assertEqual(self.next(alice, "direct", state="left")["with"]["key"], bob.key)

    def test_a_declined_request_is_reported_to_the_decliner_alone(self):
        alice, bob = self.pair()
        alice.say(f"/msg {bob.number} may I?")
        self.next(bob, "request")
        bob.say(f"/decline {alice.number}")
        self.assertEqual(self.next(bob, "direct")["state"], "declined")
        bob.say("over")
        self.next(alice, "message", text="over")
        self.assertFalse([told for told in alice.events if told["event"] == "direct"])

    def test_direct_messages_go_both_ways_and_count_while_unread(self):
        alice, bob = self.friends()
        for number in (1, 2):
            alice.say(f"/msg {bob.number} number {number}")
            said, heard = (self.next(node, "message", text=f"number {number}") for node in (alice, bob))
            self.assertEqual((said["id"], said["with"]["key"]), (heard["id"], bob.key))
            self.assertEqual((heard["conversation"], heard["with"]["key"], heard["from"]["key"], heard["unread"]),
                             ("direct", alice.key, alice.key, number))
        bob.say(f"/open {alice.number}")
        bob.say("I am looking")
        self.assertEqual(self.next(alice, "message", text="I am looking")["with"]["key"], bob.key)
        alice.say(f"/msg {bob.number} seen at once")
        self.assertEqual(self.next(bob, "message", text="seen at once")["unread"], 0)

    def test_edits_and_deletions_say_where_and_which(self):
        alice, bob = self.friends()
        alice.say("helo")
        self.edit_and_delete(alice, bob, {"conversation": "public"})
        alice.say(f"/msg {bob.number} helo")
        alice.say(f"/open {bob.number}")
        self.edit_and_delete(alice, bob, {"conversation": "direct"})

    def edit_and_delete(self, alice, bob, place):
        heard = self.next(bob, "message", text="helo", **place)
        alice.say("/edit hello")
        for node in (alice, bob):
            told = self.next(node, "edited", **place)
            self.assertEqual((told["id"], told["text"]), (heard["id"], "hello"))
        alice.say(f"/delete {heard['id'][:6]}")
        for node in (alice, bob):
            self.assertEqual(self.next(node, "deleted", **place)["id"], heard["id"])

    def test_typing_is_reported_on_and_off_in_its_conversation(self):
        alice, bob = self.friends()
        alice.say("/typing")
        told = self.next(bob, "typing")
        self.assertEqual((told["who"]["key"], told["conversation"], told["on"]), (alice.key, "public", True))
        alice.say("/typing off")
        self.assertEqual(self.next(bob, "typing")["on"], False)
        alice.say(f"/open {bob.number}")
        alice.say("/typing")
        told = self.next(bob, "typing", conversation="direct")
        self.assertEqual((told["with"]["key"], told["on"]), (alice.key, True))
        alice.say("typed")
        self.assertEqual(self.next(bob, "typing")["on"], False)
        self.assertEqual(self.next(bob, "message")["text"], "typed")
        self.assertFalse([told for told in alice.events if told["event"] == "typing"])

    def test_peers_with_one_nickname_differ_by_number_and_key(self):
        alice = self.person("alice")
        twins = [self.person("twin", meets=alice) for _ in range(2)]
        for twin in twins:
            twin.say("it is me")
            told = self.next(alice, "message")
            self.assertEqual((told["from"]["key"], told["from"]["number"]), (twin.key, twin.number))

    def test_the_delivery_of_a_direct_message_is_reported(self):
        alice, bob = self.friends("--read-receipts")
        alice.say(f"/msg {bob.number} look")
        said = self.next(alice, "message", text="look")
        self.assertEqual(said["delivery"], "sending")
        self.next(alice, "delivered", ids=[said["id"]])
        bob.say(f"/open {alice.number}")
        self.next(alice, "read", ids=[said["id"]])
        bob.kill()
        self.next(alice, "peer", state="offline")
        alice.say(f"/msg {bob.number} lost")
        lost = self.next(alice, "message", text="lost")
        alice.say(f"/history {bob.number}")
        kept = self.next(alice, "result", command="history")["messages"]
        self.assertEqual([message["delivery"] for message in kept], ["read", "read", "sending"])
        alice.say("/quit")
        self.assertEqual(self.next(alice, "failed", ids=[lost["id"]])["with"]["key"], bob.key)

    def test_one_conversation_causes_every_event(self):
        alice, bob = self.friends()
        for line in ("/typing", "helo", "/edit hello", "/delete", "/nope", "/who"):
            alice.say(line)
        self.next(alice, "result")
        self.next(bob, "deleted")
        alice.say("/close")
        alice.say("hello all")
        said = self.next(bob, "message", text="hello all")
        bob.say("/close")
        bob.say(f"/react {said['id']} 👍")
        self.assertEqual(self.next(alice, "reacted")["emojis"], ["👍"])
        alice.say("/card --color red lost | a hat")
        self.assertEqual(self.next(bob, "card")["cardColor"], "red")
        alice.say("/card remove")
        self.assertEqual(self.next(bob, "cardRemoved")["reason"], "removed")
        alice.result("join cellar")
        alice.say("@lobby /invite bob cellar")
        self.next(bob, "invitation")
        alice.say("@lobby /nick ally")
        self.assertEqual(self.next(alice, "renamed")["was"]["nickname"], "alice")
        self.assertEqual(self.next(bob, "peer")["was"]["who"]["nickname"], "alice")
        alice.say("@lobby /away lunch")
        self.assertEqual(self.next(alice, "status")["reason"], "lunch")
        alice.say(f"@lobby /mute {bob.key}")
        self.assertTrue(self.next(alice, "person")["muted"])
        alice.say(f"@lobby /block {bob.key}")
        self.assertEqual(self.next(alice, "blocked", on=True)["who"]["key"], bob.key)
        alice.say("@lobby /blocked")
        self.assertEqual([peer["who"]["key"] for peer in self.next(alice, "result", command="blocked")["peers"]], [bob.key])
        told = {event["event"] for node in (alice, bob) for event in node.events}
        # A notice needs mDNS, which Tests/Hosts has; Tests/Web has `listening`, and the test of the control socket `opened`. Receipts and failures have a test of their own, above.
        self.assertEqual(set(contract.EVENTS) | {"result"}, told | {"notice", "delivered", "read", "failed", "opened", "listening", "crowd"})

    def test_the_contract_refuses_unknown_events_and_fields(self):
        ready = self.person("alice").ready()
        contract.check(ready)
        who = ready["self"]
        wrong = [
            ready | {"port": 0}, ready | {"port": True}, ready | {"more": 1}, ready | {"event": "raedy"}, {}, [], None,
            {name: value for name, value in ready.items() if name != "room"}, ready | {"self": who | {"stage": "boss"}},
            ready | {"self": who | {"number": who["number"] % 9000 + 1000}}, ready | {"self": who | {"suffix": 1000}},
            ready | {"self": who | {"key": who["key"].upper()}}, {"event": "result", "command": "sing"},
            {"event": "error", "code": "sorry", "message": "x"}, {"event": "error", "code": "empty", "message": "x\ny"},
        ]
        for value in wrong:
            with self.assertRaises(contract.Breach, msg=str(value)):
                contract.check(value)

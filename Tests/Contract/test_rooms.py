"""Several rooms of one program: what is said in one is heard there alone."""

from people import People


class Rooms(People):
    def together(self):
        """Two users that are both in the rooms lobby and kitchen, by two processes."""
        alice = self.person("alice", "--room", "lobby", "--room", "kitchen", "--nick", "amy")
        ready = {event["room"]: event for event in [alice.ready(), self.next(alice, "ready")]}
        options = [word for room in ("lobby", "kitchen")
                   for word in ("--room", room, "--peer", f"127.0.0.1:{ready[room]['port']}")]
        bob = self.person("bob", *options)
        # A room that is looked at is entered at once.
        for room in ("kitchen", "lobby"):
            bob.say(f"/open {room}")
        met = [self.next(bob, "peer", state="online") for _ in ready]
        self.assertEqual({event["room"] for event in met}, {"lobby", "kitchen"})
        for _ in ready:
            self.next(alice, "peer", state="online")
        return alice, bob, ready

    def test_a_text_is_heard_in_its_room_alone(self):
        alice, bob, ready = self.together()
        alice.say("in the lobby")
        alice.say("@kitchen in the kitchen")
        told = [self.next(bob, "message") for _ in range(2)]
        self.assertEqual({event["text"]: event["room"] for event in told},
                         {"in the lobby": "lobby", "in the kitchen": "kitchen"})
        # Nothing that a member of both rooms sees is the same.
        self.assertEqual(len({event["from"]["key"] for event in told}), 2)
        self.assertEqual(len({event["from"]["nickname"] for event in told}), 2)
        self.assertEqual(len({event["port"] for event in ready.values()}), 2)

    def test_a_line_that_names_its_room_acts_there_while_a_direct_conversation_is_open(self):
        alice, bob = self.friends()
        bob.say("@lobby hello")
        said = self.next(alice, "message", text="hello")
        alice.result(f"open {bob.number}")
        alice.say("@lobby to all")
        self.assertEqual(self.next(bob, "message", text="to all")["conversation"], "public")
        alice.say(f"@lobby /react {said['id']} \U0001f44d")
        self.assertEqual(self.next(bob, "reacted")["id"], said["id"])
        alice.say("to you")
        self.assertEqual(self.next(bob, "message", text="to you")["conversation"], "direct")

    def test_one_conversation_is_open_and_the_list_has_all_rooms(self):
        alice, bob, _ = self.together()
        bob.say("@kitchen are you there?")
        self.assertEqual(self.next(alice, "message", room="kitchen")["unread"], 1)
        rows = {row["room"]: row for row in alice.result("unread")["conversations"]}
        self.assertEqual((rows["lobby"]["unread"], rows["kitchen"]["unread"]), (0, 1))
        self.assertEqual(rows["kitchen"]["last"]["text"], "are you there?")
        self.assertEqual(alice.result("open kitchen")["room"], "kitchen")
        rooms = {row["room"]: row for row in alice.result("rooms")["rooms"]}
        self.assertEqual([(name, row["open"], row["unread"], row["peers"]) for name, row in sorted(rooms.items())],
                         [("kitchen", True, 0, 1), ("lobby", False, 0, 1)])
        bob.say("in the lobby now")
        self.assertEqual(self.next(alice, "message", room="lobby")["unread"], 1)
        alice.say("here")
        self.assertEqual(self.next(bob, "message", text="here")["room"], "kitchen")

    def test_a_conversation_keeps_its_number_while_other_rooms_come_and_go(self):
        alice, bob, ready = self.together()
        bob.say(f"@kitchen /msg {ready['kitchen']['self']['key']} may I?")
        self.next(alice, "request", room="kitchen")

        def numbers():
            rooms = {row["room"]: row["number"] for row in alice.result("rooms")["rooms"]}
            listed = alice.result("unread")
            rows = listed["conversations"] + listed["requests"]
            self.assertEqual({row["room"]: row["number"] for row in rows if row.get("conversation") == "public"}, rooms)
            return rooms | {"request": listed["requests"][0]["number"]}

        self.assertEqual(numbers(), {"lobby": 1, "kitchen": 2, "request": 3})
        alice.result("join attic")
        self.assertEqual(numbers(), {"lobby": 1, "kitchen": 2, "request": 3, "attic": 4})
        alice.result("part lobby")
        alice.result("join cellar")
        self.assertEqual(numbers(), {"kitchen": 2, "request": 3, "attic": 4, "cellar": 5})

    def test_a_further_room_is_entered_later_and_the_list_says_so(self):
        alice = self.person("alice", "--room", "lobby", "--room", "kitchen")
        entering = {row["room"]: row["entering"] for row in alice.result("rooms")["rooms"]}
        self.assertEqual(entering, {"lobby": False, "kitchen": True})
        alice.result("open kitchen")
        self.assertEqual([row["entering"] for row in alice.result("rooms")["rooms"]], [False, False])

    def test_the_unread_list_is_in_the_order_of_the_numbers(self):
        alice, bob, ready = self.together()
        alice.say("/msg bob may I?")
        self.next(bob, "request")
        rows = alice.result("unread")["conversations"]
        self.assertEqual([(row["number"], row["conversation"]) for row in rows],
                         [(1, "public"), (2, "public"), (3, "direct")])

    def test_a_direct_conversation_of_another_room_is_opened_with_its_room(self):
        alice, bob, _ = self.together()
        alice.say("@kitchen /msg bob psst")
        # The nickname is that of the first room alone.
        self.error(alice, "unknown_peer")
        peers = [row["who"] for row in alice.result("who")["peers"]]
        self.assertEqual([who["nickname"] for who in peers], ["bob"])

    def test_a_request_is_answered_in_its_room_whichever_is_open(self):
        alice, bob, ready = self.together()
        # Bob asks in the kitchen, and Alice looks at the lobby.
        key = ready["kitchen"]["self"]["key"]
        bob.say(f"@kitchen /msg {key} may I?")
        request = self.next(alice, "request")
        self.assertEqual(request["room"], "kitchen")
        alice.say(f"/accept {request['from']['number']}")
        self.assertEqual(self.next(bob, "direct", state="accepted")["room"], "kitchen")
        # With the name of a room, no other is meant.
        alice.say("@lobby /decline " + request["from"]["key"])
        self.error(alice, "unknown_peer")

    def test_a_room_that_is_left_is_left_by_its_node_alone(self):
        alice, bob, _ = self.together()
        self.assertEqual(alice.result("part kitchen")["left"], "kitchen")
        self.assertEqual(self.next(bob, "peer", state="offline")["room"], "kitchen")
        alice.say("still in the lobby")
        self.assertEqual(self.next(bob, "message", text="still in the lobby")["room"], "lobby")
        self.assertEqual([row["room"] for row in alice.result("rooms")["rooms"]], ["lobby"])

    def test_a_private_room_is_joined_by_its_key_and_again_by_nothing_new(self):
        alice, bob, _ = self.together()
        phrase = "a pass phrase of ours"
        first = alice.result(f"join attic {phrase}")
        self.assertEqual((first["room"], first["conversation"]), ("attic", "public"))
        # One key is one room; another key is another room of the name.
        self.assertEqual(alice.result(f"join attic {phrase}")["room"], "attic")
        self.assertEqual(alice.result(f"join attic {phrase} of old")["room"], "attic/2")
        rooms = alice.result("rooms")["rooms"]
        self.assertEqual([(row["room"], row["private"]) for row in rooms],
                         [("lobby", False), ("kitchen", False), ("attic", True), ("attic/2", True)])
        self.assertNotIn(phrase, "".join(alice.lines.seen + alice.errors.seen))

    def test_the_name_of_a_private_room_that_was_left_leads_to_no_open_room(self):
        alice = self.person("alice")
        alice.result("room new attic")
        alice.result("part")
        alice.say("/join attic")
        self.assertIn("was a private room", self.error(alice, "invalid_key")["message"])
        alice.result("join attic --open")
        rooms = alice.result("rooms")["rooms"]
        # It is attic/2 if the node that left still says goodbye.
        names = [(row["room"].removesuffix("/2"), row["private"]) for row in rooms]
        self.assertEqual(names, [("lobby", False), ("attic", False)])

    def test_a_wipe_forgets_all_rooms(self):
        alice, bob, _ = self.together()
        alice.result("join attic")
        wiped = alice.result("wipe now")
        self.assertEqual(wiped["conversations"], 3)
        self.next(alice, "ready", room="lobby")
        self.assertEqual([row["room"] for row in alice.result("rooms")["rooms"]], ["lobby"])
        left = {self.next(bob, "peer", state="offline")["room"] for _ in range(2)}
        self.assertEqual(left, {"lobby", "kitchen"})

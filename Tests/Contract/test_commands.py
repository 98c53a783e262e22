"""The result of each command of /help, and every error code, from the program."""

import hashlib
import json
import os
import pathlib
import pty
import resource
import subprocess
import tempfile

import contract
from earshot_node import BINARY
from people import People

# Command -> the event that answers it: a result, an event of its effect, or None.
ANSWERS = dict.fromkeys(contract.RESULTS, "result") | {
    "msg": "message", "reply": "message", "me": "message", "edit": "edited", "delete": "deleted", "accept": "direct",
    "decline": "direct", "leave": "direct", "re": "message", "react": "reacted", "unreact": "reacted", "card": "card", "typing": None, "quit": None,
    # It answers with an error where no terminal is.
    "clear": None,
}


class Commands(People):
    def test_every_command_of_help_is_known_here_with_its_result(self):
        listed = self.person("alice").result("help")["commands"]
        names = [entry["usage"].split()[0][1:] for entry in listed]
        self.assertEqual(sorted(names), sorted(ANSWERS))

    def test_cover_is_set_anywhere_and_the_other_settings_in_a_terminal(self):
        alice = self.person("alice")
        self.assertEqual([alice.result(line)["cover"] for line in ("set", "set cover on", "set cover", "set cover off")],
                         [False, True, True, False])
        alice.say("/set joins on")
        self.assertEqual(self.next(alice, "error")["code"], "unknown_command")

    def test_the_link_of_the_page_is_shown_again_where_there_is_a_page(self):
        self.assertIsNone(self.person("alice").result("web")["url"])
        served = self.person("bob", "--web", "0")
        place = self.next(served, "listening")
        self.assertEqual(served.result("web")["url"], place["url"])

    def test_a_reply_goes_to_the_author_of_the_latest_direct_message(self):
        alice, bob = self.pair()
        alice.say("/reply too early")
        self.assertEqual(self.next(alice, "error")["code"], "not_accepted")
        bob.say("/msg alice hello")
        self.next(alice, "request")
        alice.say("/accept bob")
        self.next(bob, "direct", state="accepted")
        alice.say("/reply hello yourself")
        self.assertEqual(self.next(bob, "message", text="hello yourself")["conversation"], "direct")

    def test_the_only_request_is_answered_without_a_name(self):
        alice, bob = self.pair()
        for command in ("accept", "decline"):
            alice.say(f"/{command}")
            self.next(alice, "error", code="not_accepted")
        carol = self.person("carol", meets=alice)
        for asker in (bob, carol):
            asker.say("/msg alice may I?")
            self.next(alice, "request")
        alice.say("/accept")
        refused = self.next(alice, "error", code="ambiguous_peer")
        self.assertRegex(refused["message"], r"bob#\d{4}, carol#\d{4}")
        alice.say("/decline carol")
        self.next(alice, "direct", state="declined")
        alice.say("/accept")
        self.assertEqual(self.next(bob, "direct", state="accepted")["with"]["key"], alice.key)

    def test_an_edit_of_an_action_stays_one(self):
        alice, bob = self.pair()
        alice.say("/me waves")
        said = self.next(bob, "message", action="waves")
        alice.say("/nick alicia")
        for line, action in (("/edit smiles", "smiles"), (f"/edit {said['id'][:8]} /me nods", "nods"), ("/edit * alice bows", "bows")):
            alice.say(line)
            self.assertEqual(self.next(bob, "edited", action=action)["text"], f"* alice {action}")
        alice.say("plain")
        self.next(bob, "message", text="plain")
        alice.say("/edit still plain")
        self.assertIsNone(self.next(bob, "edited", text="still plain")["action"])
        alice.say("/edit /me is one now")
        self.next(bob, "edited", action="is one now")
        alice.say("/edit /who")
        self.next(alice, "error", code="is_command")

    def test_a_search_finds_messages_of_the_open_conversation_in_any_case_of_letters(self):
        alice, bob = self.pair()
        for text in ("one Hat", "two", "that"):
            bob.say(text)
            self.next(alice, "message", text=text)
        self.assertEqual([one["text"] for one in alice.result("search hat")["messages"]], ["one Hat", "that"])
        self.assertEqual(alice.result("search nothing like it")["messages"], [])

    def test_a_peer_and_the_user_are_shown(self):
        alice, bob = self.pair()
        shown = alice.result("whois bob")
        self.assertEqual((shown["who"]["key"], shown["state"]), (bob.key, "online"))
        self.assertEqual(shown["code"], alice.result("verify bob")["code"])
        self.assertEqual(alice.result("whoami")["who"]["key"], alice.key)
        alice.say("/nick")
        self.assertEqual(self.next(alice, "result", command="whoami")["who"]["key"], alice.key)

    def test_one_command_is_explained(self):
        alice = self.person("alice")
        self.assertEqual([one["usage"] for one in alice.result("help msg")["commands"]], ["/msg WHO TEXT"])
        alice.say("/help nothing")
        self.assertEqual(self.next(alice, "error")["code"], "unknown_command")

    def test_the_command_who_lists_present_and_past_peers(self):
        alice, bob = self.pair()
        carol = self.person("carol", meets=alice)
        bob.say("/away at lunch")
        self.next(alice, "peer", state="away", reason="at lunch")
        carol.quit()
        self.next(alice, "peer", state="offline")
        rows = {row["who"]["nickname"]: row for row in alice.result("who")["peers"]}
        self.assertEqual({name: row["state"] for name, row in rows.items()}, {"bob": "away", "carol": "offline"})
        self.assertIsNone(rows["carol"]["roundTripMs"])
        self.assertEqual((rows["bob"]["muted"], rows["bob"]["verified"]), (False, False))

    def test_the_round_trip_is_in_whole_milliseconds(self):
        alice, bob = self.pair()
        bob.say("the pings of the opening were answered before this")
        self.next(alice, "message")
        row = alice.result("who")["peers"][0]
        self.assertIsInstance(row["roundTripMs"], int)
        self.assertGreater(row["roundTripMs"], 0)
        self.assertLess(row["roundTripMs"], 10_000)

    def test_requests_history_and_unread_list_every_conversation(self):
        alice, bob = self.pair()
        alice.say(f"/msg {bob.number} may I?")
        self.next(bob, "request")
        asked = bob.result("requests")["requests"]
        self.assertEqual([(row["from"]["key"], row["text"]) for row in asked], [(alice.key, "may I?")])
        bob.say(f"/accept {alice.number}")
        self.next(alice, "direct")
        alice.say("in public")
        alice.say(f"/msg {bob.number} in private")
        said = self.next(bob, "message", text="in private")
        self.assertEqual(bob.result("requests")["requests"], [])
        public = bob.result("history")
        self.assertEqual([row["text"] for row in public["messages"]], ["in public"])
        direct = bob.result(f"history {alice.number}")
        self.assertEqual((direct["with"]["key"], [row["text"] for row in direct["messages"]]),
                         (alice.key, ["may I?", "in private"]))
        room, other = bob.result("unread")["conversations"]
        self.assertEqual((room["conversation"], room["unread"], room["last"]["text"]), ("public", 0, "in public"))
        self.assertEqual((other["with"]["key"], other["unread"], other["last"]["id"]), (alice.key, 1, said["id"]))

    def test_an_empty_room_has_no_last_message(self):
        room, = self.person("alice").result("unread")["conversations"]
        self.assertEqual((room["unread"], room["last"]), (0, None))

    def test_open_and_close_report_the_conversation(self):
        alice, bob = self.pair()
        self.assertEqual(alice.result(f"open {bob.number}")["with"]["key"], bob.key)
        self.assertEqual(alice.result("close")["conversation"], "public")
        self.assertEqual(alice.result("open public")["conversation"], "public")

    def test_names_states_and_marks_report_the_peer(self):
        alice, bob = self.pair()
        self.assertEqual(alice.result("nick alicia")["who"]["nickname"], "alicia")
        for command in ("away", "back"):
            self.assertEqual(alice.result(command)["who"]["key"], alice.key)
        for mark in ("mute", "unmute", "block", "unblock"):
            self.assertEqual(alice.result(f"{mark} bob")["who"]["key"], bob.key)
            row, = alice.result("who")["peers"]
            self.assertEqual((row["muted"], row["blocked"]), (mark == "mute", mark == "block"))

    def test_both_see_one_code_and_the_result_of_comparing_it(self):
        alice, bob = self.pair()
        shown = alice.result("verify bob")
        self.assertEqual((shown["with"]["key"], shown["verified"], shown["kept"]), (bob.key, False, False))
        self.assertEqual(bob.result("verify alice")["code"], shown["code"])
        for verdict in ("ok", "no"):
            self.assertEqual(alice.result(f"verify bob {verdict}")["verified"], verdict == "ok")
            self.assertEqual(alice.result("who")["peers"][0]["verified"], verdict == "ok")

    def test_a_correction_of_a_private_text_is_never_published(self):
        alice, bob = self.pair()
        alice.say("good morning all")
        self.next(bob, "message")
        alice.say("/msg bob my PIN is 1234")
        self.next(bob, "request")
        for line in ("/edit my PIN is 4321", "/delete"):
            alice.say(line)
            self.assertIn("another conversation", self.error(alice, "unknown_message")["message"])
        alice.result("open bob")
        alice.say("/edit my PIN is 4321")
        self.assertEqual(self.next(alice, "edited")["conversation"], "direct")
        alice.say("/close")
        alice.say("done")
        self.assertEqual(self.next(bob, "message")["text"], "done")
        self.assertEqual([one["text"] for one in bob.result("history")["messages"]], ["good morning all", "done"])

    def test_a_wipe_is_answered_before_the_new_identity_is_ready(self):
        alice, bob = self.pair()
        alice.say("hello")
        self.next(bob, "message")
        told = alice.result("wipe now")
        self.assertEqual((told["conversations"], told["messages"], told["peers"], told["files"]), (1, 1, 1, []))
        self.assertNotEqual(self.next(alice, "ready")["self"]["key"], alice.key)
        self.assertEqual(self.next(bob, "peer", state="offline")["who"]["nickname"], "alice")
        self.assertEqual(alice.result("history")["messages"], [])

    def test_a_text_of_the_old_identity_is_said_by_no_other_and_delays_no_command(self):
        alice, bob = self.pair()
        for line in ("/wipe yes", "after", "/wipe now"):
            alice.say(line)
        self.assertIn("everything is wiped", self.error(alice, "wiped")["message"])
        self.next(alice, "ready")
        self.assertEqual(alice.result("history")["messages"], [])
        for line in ("/wipe yes", "after", "/quit"):
            alice.say(line)
        self.error(alice, "wiped")
        alice.process.wait(20)

    def test_a_wipe_leaves_cover_as_the_user_set_it(self):
        alice = self.person("alice", "--cover")
        for wanted in ("off", "on"):
            alice.result(f"set cover {wanted}")
            alice.result("wipe now")
            self.next(alice, "ready")
            self.assertEqual(alice.result("set")["cover"], wanted == "on")

    def test_counters_count(self):
        alice, bob = self.pair()
        before = alice.result("stats")
        alice.say("hello")
        self.next(bob, "message")
        after = alice.result("stats")
        self.assertEqual((after["payloads_sent"] - before["payloads_sent"], after["peers_online"]), (1, 1))
        self.assertEqual(before.keys(), after.keys())

    def test_me_is_a_message(self):
        alice = self.person("alice")
        alice.say("/me waves")
        self.assertEqual(self.next(alice, "message")["text"], "* alice waves")


class Errors(People):
    """Provokes each error code; the node still works after each."""

    def test_texts_that_break_a_rule(self):
        alice = self.person("alice")
        for line, code in (
            ("x" * 241, "too_long"), ("x" * 3073, "too_many_bytes"), ("x" * 200_000, "too_many_bytes"), ("  ", "empty"),
            ("x" + "\u0301" * 13, "too_dense"), ("/me", "empty"), ("/edit " + "x" * 241, "unknown_message"),
        ):
            alice.say(line)
            self.error(alice, code)
        alice.write(b"\xff\xfe\n")
        self.error(alice, "invalid_utf8")
        self.goes_on(alice)

    def test_reactions_and_cards_that_break_a_rule(self):
        alice = self.person("alice")
        alice.say("hello")
        message = self.next(alice, "message", text="hello")["id"]
        for line, code in (
            (f"/react {message} a", "invalid_emoji"), (f"/react {message} " + "\u200d".join(["\U0001f44d"] * 7), "invalid_emoji"),
            ("/react 0123456 \U0001f44d", "unknown_message"), ("/re 0123456 hello", "unknown_message"), ("/re hello", "unknown_message"),
            ("/card a text alone", "invalid_card"), ("/card " + "a" * 41 + " | b", "invalid_card"), ("/card --color pink a | b", "invalid_card"),
            ("/card a | ", "invalid_card"), ("/card remove", "unknown_card"), ("/card remove 0123456", "unknown_card"),
        ):
            alice.say(line)
            self.error(alice, code)
        for emoji in ("\U0001f44d", "\U0001f389", "\U0001f602"):
            alice.say(f"/react {message} {emoji}")
            self.next(alice, "reacted")
        alice.say(f"/react {message} \U0001f355")
        self.error(alice, "too_many_reactions")
        self.goes_on(alice)

    def test_a_muted_author_takes_back_its_own_for_all(self):
        alice, bob = self.pair()
        for text in ("kept", "gone"):
            bob.say(text)
        kept, gone = (self.next(alice, "message", text=text) for text in ("kept", "gone"))
        bob.say("/card first | a text")
        self.next(alice, "card", title="first")
        bob.say(f"/react {kept['id']} 👍")
        self.next(alice, "reacted", emojis=["👍"])
        alice.say(f"/mute {bob.number}")
        self.assertEqual(self.next(alice, "cardRemoved")["reason"], "hidden")
        self.assertEqual(alice.result("board")["cards"], [])
        self.assertEqual(alice.result(f"react {kept['id']}")["reactions"], [])
        bob.say(f"/edit {kept['id']} kept, and edited")
        bob.say(f"/react {kept['id']} 🎉")
        bob.say(f"/unreact {kept['id']} 👍")
        bob.say("/card second | a text")
        bob.say("/card remove")
        bob.say(f"/delete {gone['id']}")
        self.next(alice, "deleted", id=gone["id"])
        self.assertEqual([row["text"] for row in alice.result("history")["messages"]], ["kept"])
        alice.say(f"/unmute {bob.number}")
        self.next(alice, "edited", text="kept, and edited")
        self.assertEqual([card["title"] for card in alice.result("board")["cards"]], ["first"])
        given = alice.result(f"react {kept['id']}")["reactions"]
        self.assertEqual([row["emoji"] for row in given], ["🎉"])
        # A newcomer gets from alice alone what holds now.
        bob.say("/quit")
        carol = self.person("carol", meets=alice)
        self.next(carol, "card", title="first")
        self.assertEqual([row["text"] for row in carol.result("history")["messages"]], ["kept, and edited"])

    def test_a_card_is_refused_while_a_direct_conversation_is_open(self):
        alice, bob = self.friends()
        alice.result(f"open {bob.number}")
        alice.say("/card secret | a plan")
        self.error(alice, "direct_open")
        alice.say("@lobby /card lost | a hat")
        self.assertEqual(self.next(bob, "card")["title"], "lost")
        self.assertEqual([card["title"] for card in alice.result("board")["cards"]], ["lost"])
        alice.say("/card remove")
        self.assertEqual(self.next(bob, "cardRemoved")["reason"], "removed")

    def test_a_line_is_read_without_a_byte_order_mark_and_no_text_begins_with_a_slash(self):
        alice, bob = self.pair()
        alice.write(b"\xef\xbb\xbf/nick ally\r\n")
        self.next(alice, "result", command="nick")
        alice.say(" /nick alice")
        self.next(alice, "result", command="nick")
        for line in ("/msg bob /join lab SECRET", "/edit /who"):
            alice.say(line)
            self.error(alice, "is_command")
        alice.say("//join lab")
        self.next(bob, "message", text="/join lab")
        self.goes_on(alice)

    def test_unknown_commands(self):
        alice = self.person("alice")
        for line in ("/hwo", "/", "/who now", "/typing on"):
            alice.say(line)
            self.error(alice, "unknown_command")
        alice.say("/nick " + "x" * 25)
        self.error(alice, "invalid_nickname")
        alice.say("/away " + "x" * 81)
        self.error(alice, "invalid_reason")
        self.goes_on(alice)

    def test_unknown_and_ambiguous_peers(self):
        alice = self.person("alice")
        for _ in range(2):
            twin = self.person("twin", meets=alice)
        for command in ("msg twin hi", "accept twin", "open twin", "history twin", "mute twin", "block twin"):
            alice.say("/" + command)
            told = self.error(alice, "ambiguous_peer")
            self.assertIn(f"twin#{twin.number}", told["message"])
            alice.say("/" + command.replace("twin", "nobody"))
            self.error(alice, "unknown_peer")
        self.goes_on(alice)

    def test_direct_messages_that_can_not_be_sent(self):
        alice, bob = self.pair()
        alice.say(f"/accept {bob.number}")
        self.error(alice, "not_accepted")
        alice.say(f"/msg {bob.number} may I?")
        alice.say(f"/msg {bob.number} hello?")
        self.error(alice, "not_accepted")
        bob.quit()
        self.next(alice, "peer", state="offline")
        carol = self.person("carol", meets=alice)
        carol.quit()
        self.next(alice, "peer", state="offline")
        alice.say(f"/msg {carol.number} are you there?")
        self.error(alice, "not_connected")
        self.goes_on(alice)

    def test_messages_that_are_not_there(self):
        alice = self.person("alice")
        for command in ("/edit other words", "/delete", "/delete 0a1b2c", "/delete nonsense"):
            alice.say(command)
            self.error(alice, "unknown_message")
        self.goes_on(alice)

    def test_lines_above_the_rate_are_refused(self):
        mine, theirs = pty.openpty()
        alice = self.person("alice", launch=lambda command, **options: subprocess.Popen(command, **options | {"stdin": theirs}))
        os.close(theirs)
        self.addCleanup(os.close, mine)
        for number in range(11):
            os.write(mine, f"line {number}\n".encode())
        self.error(alice, "rate_limited")
        self.assertEqual([told["text"] for told in alice.events if told["event"] == "message"],
                         [f"line {number}" for number in range(10)])

    def goes_on(self, node):
        node.say("still here")
        self.next(node, "message", text="still here")

    def test_rooms_that_can_not_be_joined_or_left(self):
        alice = self.person("alice")
        for line, code in (("/join " + "a" * 65, "invalid_room"), ("/join", "unknown_room"), ("/part attic", "unknown_room"),
                           ("@attic /who", "unknown_room"), ("/part", "only_room"), ("/join attic short", "invalid_key")):
            alice.say(line)
            self.error(alice, code)
        for number in range(15):
            alice.result(f"join room{number}")
        alice.say("/join one-more")
        self.error(alice, "too_many_rooms")
        self.assertEqual(len(alice.result("rooms")["rooms"]), 16)

    def test_a_line_and_contacts_that_can_not_be_kept(self):
        alice, bob = self.pair()
        for line, code in (("/about " + "x" * 81, "invalid_about"), ("/contacts", "no_identity")):
            alice.say(line)
            self.error(alice, code)
        folder = self.enterContext(tempfile.TemporaryDirectory())
        identity = pathlib.Path(folder, "me")
        made = json.loads(subprocess.check_output([BINARY, "identity", "new", "--json", identity]))
        lines = [f"contact: {number:064x} 0 friend {number}\n" for number in range(256)]
        state = ("earshot-state-3\nepoch: 0\n" + "".join(lines)).encode()
        sum = hashlib.sha256(b"earshot/3 state\0" + bytes.fromhex(made["key"]) + state).hexdigest()[:32]
        pathlib.Path(folder, "me.state").write_bytes(state + f"sum: {sum}\n".encode())
        carol = self.person("carol", "--identity", str(identity), meets=bob)
        self.assertEqual(len(carol.result("contacts")["contacts"]), 256)
        carol.say("/contact bob")
        self.error(carol, "too_many_contacts")

    def test_a_room_without_a_listening_socket_is_not_joined(self):
        alice = self.person("alice")
        count = len(os.listdir(f"/proc/{alice.process.pid}/fd"))
        resource.prlimit(alice.process.pid, resource.RLIMIT_NOFILE, (count, count))
        alice.say("/join attic")
        self.error(alice, "room_failed")
        alice.say("still here")
        self.assertEqual(self.next(alice, "message", text="still here")["room"], "lobby")

    def test_every_code_is_provoked_here(self):
        """Compares the contract's codes with those in this file, and in that of the control socket, where one occurs: a new code needs a test."""
        files = [pathlib.Path(__file__), pathlib.Path(__file__).with_name("test_control.py")]
        tests = "".join(file.read_text("utf-8") for file in files)
        self.assertEqual([code for code in contract.ERROR_CODES if f'"{code}"' not in tests], [])

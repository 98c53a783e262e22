"""A user's screen in a terminal of 80x24 and of 40x15: conversations, requests, marks, joins, history and reading back."""

import re
import socket
import subprocess
import tempfile
import unittest

from people import SIZES, People
from window import BINARY
from earshot_node import Node


class Conversations(People):
    def test_the_prompt_names_room_user_and_how_many_are_here(self):
        for size, pattern in zip(SIZES, (r"^lobby · alice#\d{4} · 2 here >$", r"^lobby · 2 here >$")):
            with self.subTest(size=size):
                window, _, _ = self.meet(*size)
                self.wait_prompt(window, pattern)

    def test_the_first_line_is_for_people_and_a_lonely_user_gets_advice(self):
        for size in self.each_size():
            window = self.window(*size)
            window.start("--nick", "alice", "--log-level", "error")
            window.wait(lambda: "earshot doctor says" in window.words, "advice")
            text = window.words
            self.assertRegex(text, r"you are alice#\d{4} in lobby, an open room\. Type and press Enter; /help lists commands\.")
            self.assertNotIn("port", text.split("$?")[-1])

    def test_one_conversation_is_shown_and_others_are_counted(self):
        for size in self.each_size():
            window, bob, _ = self.meet(*size)
            self.accepted(window, bob)
            window.type("M-1")
            self.wait_prompt(window, r"^lobby")
            bob.say(f"/msg {self.number(window, 'alice')} on my way")
            window.wait_for("· bob → you: on my way")
            self.wait_prompt(window, r"\[2 bob 1!\] >$|\[2:1!\] >$")
            window.type("M-2")
            self.wait_prompt(window, r"^→ bob#\d{4}")
            window.wait(lambda: any(re.match(r"— bob#\d{4} —", row) for row in window.screen), "rule")
            bob.say("said in public")
            self.wait_prompt(window, r"\[1 lobby 1\] >$|\[1:1\] >$|\[1\] >$")
            self.assertNotIn("said in public", "\n".join(window.screen))
            window.type("M-a")
            window.wait_for("said in public")
            self.wait_prompt(window, r"^lobby")

    def test_a_request_has_a_badge_and_is_repeated_once(self):
        for size in self.each_size():
            window, bob, _ = self.meet(*size)
            bob.say(f"/msg {self.number(window, 'alice')} may I?")
            self.wait_prompt(window, r"\?\] >$")
            # The request is repeated at the first key after a second.
            while "the request of" not in window.words:
                window.type("x", "BSpace")
            window.type("x", "BSpace", "y", "BSpace")
            self.wait_prompt(window, r">$")
            self.assertEqual(window.words.count("the request of"), 1)
            window.enter("/unread")
            window.wait(lambda: "a request for a direct" in window.words, "request in the list")
            self.assertRegex(window.words, r"1 lobby \(shown\): 0 unread")
            self.assertRegex(window.words, r"2 bob#\d{4}: a request for a direct")

    def test_a_mute_by_another_program_is_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            window, bob, _ = self.meet(80, 24, options=("--control", f"{folder}/control"))
            bob.say(f"/msg {self.number(window, 'alice')} may I?")
            self.wait_prompt(window, r"\?\] >$")
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(f"{folder}/control")
                number = self.number(window, "bob")
                client.sendall(f"command /mute #{number}\n".encode())
                self.wait_prompt(window, r"here >$")
                client.sendall(f"command /unmute #{number}\n".encode())
                self.wait_prompt(window, r"\?\] >$")

    def test_the_sender_of_a_request_gets_advice_and_sees_its_delivery(self):
        for size in self.each_size():
            window, bob, _ = self.meet(*size)
            number = self.number(window, "bob")
            window.enter(f"/msg {number} hello")
            window.wait(lambda: "request sent; text is delivered once they accept" in window.words, "advice")
            self.assertIn("hello …", window.words)
            bob.say(f"/accept {self.number(window, 'alice')}")
            window.wait(lambda: "hello ✓" in window.words, "delivery mark")
            window.type("M-2")
            window.enter("a second one")
            window.wait(lambda: "a second one ✓" in window.words, "delivery mark")

    def test_a_mention_is_reversed_and_own_messages_are_bold(self):
        window, bob, _ = self.meet(80, 24)
        bob.say("hey alice, look")
        window.wait_for("hey alice, look")
        row = next(row for row in window.styled if "hey " in row)
        self.assertRegex(row, "\x1b\\[[0-9;]*7[0-9;]*malice")
        window.enter("mine")
        window.wait_for("<you> mine")
        self.assertRegex(next(row for row in window.styled if "mine" in row), "1m(\x1b\\[[0-9;]*m)*<you>")
        window.enter("/nonsense")
        window.wait_for("! no command")
        self.assertRegex(next(row for row in window.styled if "! no command" in row), "\x1b\\[1m\x1b\\[31m|\x1b\\[1;31m|\x1b\\[31m")

    def test_no_style_under_no_color(self):
        window = self.window(80, 24)
        port = window.start("--nick", "alice", variables="NO_COLOR=1")
        self.node("bob", port).say("hey alice")
        window.wait_for("hey alice")
        self.assertNotRegex(window.written_since_start(), r"\\033\[[0-9;]+m")

    def test_words_wrap_under_the_text_and_addresses_stay_whole(self):
        for size in self.each_size():
            window, bob, _ = self.meet(*size)
            bob.say("it is a text of many words that has to be wrapped at a space, see https://example.org/a/long/path ok")
            window.wait_for("ok")
            start = next(index for index, row in enumerate(window.screen) if "it is a" in row)
            rows = [row for row in window.screen[start:-1] if row.strip()]
            self.assertTrue(all(len(row) <= size[0] for row in rows))
            address = "https://example.org/a/long/path"
            # An address that fits the row only without an indent has none.
            self.assertTrue(all(row.startswith("  ") or row.startswith(address) for row in rows[1:]), rows)
            self.assertTrue(any(address in row for row in rows), rows)

    def test_a_rule_closes_the_history_for_a_late_joiner(self):
        for size in self.each_size():
            carol = Node(subprocess.Popen, "carol", "--discovery", "none", "--rate", "1000000")
            self.addCleanup(carol.process.wait)
            self.addCleanup(carol.kill)
            self.addCleanup(carol.process.stdin.close)
            port = carol.wait(lambda event: event["event"] == "ready", "ready")["port"]
            for number in range(5):
                carol.say(f"before {number}")
            carol.wait(lambda event: event["event"] == "message" and event["text"] == "before 4", "own message")
            window = self.window(*size)
            window.start("--nick", "alice", "--peer", f"127.0.0.1:{port}")
            window.wait_for("— before you came —")
            carol.say("and live")
            window.wait_for("and live")
            text = "\n".join(window.everything)
            places = [text.index(f"before {number}") for number in range(5)] + [
                text.index("— before you came —"), text.index("and live")]
            self.assertEqual(places, sorted(places))

    def test_many_who_come_are_one_line(self):
        window, _, port = self.meet(80, 24)
        others = [self.node(f"fox{number}", port) for number in range(5)]
        self.assertEqual(len(others), 5)
        window.wait(lambda: re.search(r"\* \d came$", "\n".join(window.screen), re.M), "folded line")
        singles = re.findall(r"\* \S+#\d{4} is here", "\n".join(window.everything))
        self.assertEqual(len(singles), 3)

    def test_the_open_conversation_is_read_back(self):
        for size in self.each_size():
            window, bob, _ = self.meet(*size)
            for number in range(60):
                bob.say(f"text {number}.")
            window.wait_for("text 59.")
            window.type("PPage")
            window.wait_for("rows; Esc returns")
            self.assertNotIn("text 59.", "\n".join(window.screen))
            window.type("Escape")
            window.wait_for("text 59.")
            self.wait_prompt(window, r">$")

    def test_a_wipe_is_confirmed_and_clears_the_scrollback(self):
        for size in self.each_size():
            window, bob, _ = self.meet(*size)
            for number in range(60):
                bob.say(f"text {number}.")
            window.wait_for("text 59.")
            # A peer that is present would send its history to the new identity.
            bob.quit()
            window.wait_for("is gone")
            window.enter("/wipe")
            window.wait_for("type wipe to confirm")
            window.enter("no")
            window.wait_for("nothing was erased")
            window.enter("/wipe")
            window.wait_for("type wipe to confirm")
            window.enter("wipe")
            window.wait(lambda: "new identity" in window.words, "wipe")
            self.assertNotRegex("\n".join(window.everything), r"text \d")

    def confirm_wipe(self, window):
        """Wipes, and returns the seconds of the pause that the answer names."""
        window.enter("/wipe")
        window.wait_for("type wipe to confirm")
        window.enter("wipe")
        window.wait(lambda: "/wipe now ends the pause" in window.words, "pause")
        return int(re.search(r"away from the network for (\d+) s", window.words)[1])

    def test_the_pause_of_a_wipe_is_announced_refuses_lines_and_is_skipped_by_wipe_now(self):
        for size in self.each_size():
            window, bob, _ = self.meet(*size)
            before = {event["who"]["key"] for event in bob.events if event["event"] == "peer"}
            self.assertIn(self.confirm_wipe(window), range(5, 31))
            bob.wait(lambda event: event["event"] == "peer" and event["state"] == "offline", "departure")
            window.enter("is anybody here?")
            window.wait(lambda: "the new identity comes in" in window.words, "refusal")
            # The line was for the old identity, and is gone with it.
            self.wait_prompt(window, r">$")
            window.enter("/wipe now")
            # The new identity listens at the port of the first one.
            came = bob.wait(lambda event: event["event"] == "peer" and event["state"] == "online", "arrival", from_start=False)
            self.assertNotIn(came["who"]["key"], before)
            window.enter("somebody else")
            bob.hears("somebody else")
            self.assertEqual([event["text"] for event in bob.events if event["event"] == "message"], ["somebody else"])

    def test_quit_behind_a_wipe_waits_for_no_pause(self):
        window, _, _ = self.meet(80, 24)
        window.enter("/wipe")
        window.wait_for("type wipe to confirm")
        window.enter("wipe")
        window.enter("/quit")
        self.assertEqual(window.code(), 0)
        self.assertNotIn("Type and press Enter", window.words.split("wipe to confirm")[-1])

    def test_a_line_typed_while_a_paste_drains_comes_behind_it(self):
        window = self.window(80, 24)
        port = window.start("--nick", "alice", "--rate", "5")
        bob = self.node("bob", port)
        window.wait_for("bob#")
        window.paste("\n".join(f"line {number}" for number in range(15)))
        window.wait_for("send 15 messages?")
        window.type("y")
        window.enter("typed meanwhile")
        for text in [f"line {number}" for number in range(15)] + ["typed meanwhile"]:
            event = bob.wait(lambda event: event["event"] == "message", text, from_start=False)
            self.assertEqual(event["text"], text)

    def test_texts_are_korean_where_the_locale_is(self):
        window = self.window(80, 24)
        window.start("--nick", "alice", variables="LC_ALL= LANG=ko_KR.UTF-8")
        window.wait_for("메시지를 쓰고")
        window.enter("/who")
        window.wait_for("다른 사람이 없습니다")

    def test_a_message_that_waited_for_an_identity_belongs_to_its_conversation(self):
        with tempfile.TemporaryDirectory() as folder:
            identity = f"{folder}/identity"
            window = self.window(80, 24)
            port = window.start("--nick", "alice", "--identity", identity)
            bob = self.node("bob", port)
            window.wait_for("bob#")
            self.accepted(window, bob)
            number = self.number(window, "alice")
            window.enter("/quit")
            window.code()
            bob.wait(lambda event: event["event"] == "peer" and event["state"] == "offline", "departure")
            for count in range(30):
                bob.say(f"old {count}.")
            bob.say(f"/msg {number} helo")
            bob.say(f"/open {number}")
            bob.say("/edit hello again")
            window.enter(f"clear; {BINARY} --discovery none --port {port} --identity {identity}; echo code $?")
            window.wait_for("hello again")
            text = "\n".join(window.everything)
            self.assertNotIn("wants to talk", text)
            self.assertNotIn("helo", text)
            self.assertEqual(text.count("hello again"), 1)
            self.assertGreater(text.index("hello again"), text.index("— before you came —"))
            self.wait_prompt(window, r"\[2 bob 1!\] >$")


if __name__ == "__main__":
    unittest.main()

"""The screen of a user that types while others talk, and the lines that the others receive."""

import re
import subprocess
import unicodedata
import unittest

from window import Window
from earshot_node import Node

FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"


class Typing(unittest.TestCase):
    def window(self, *size, **environment):
        window = Window(*size, **environment)
        self.addCleanup(window.close)
        return window

    def neighbour(self, port, *options):
        node = Node(subprocess.Popen, "bob", "--discovery", "none", "--peer", f"127.0.0.1:{port}", *options)
        self.addCleanup(node.process.wait)
        self.addCleanup(node.kill)
        self.addCleanup(node.process.stdin.close)
        node.wait(lambda event: event["event"] == "peer", "peer")
        return node

    def meet(self, *size, options=("--rate", "1000000")):
        window = self.window(*size)
        port = window.start("--nick", "alice", *options)
        node = self.neighbour(port, *options)
        window.wait_for("bob")
        return window, node

    def hears(self, node, text):
        event = node.wait(lambda event: event["event"] == "message" and not event["isFromCurrentUser"],
                          f"message {text}", from_start=False)
        self.assertEqual(event["text"], text)

    def test_messages_arrive_above_the_line_and_never_disturb_it(self):
        for size in ((80, 24), (20, 5)):
            with self.subTest(size=size):
                window, node = self.meet(*size)
                draft = "a line that is long enough to be wrapped, 안녕하세요, " + "x" * size[0]
                half = len(draft) // 2
                window.text(draft[:half])
                for number in range(40):
                    node.say(f"message {number}")
                window.text(draft[half:])
                window.wait_for("message 39")
                window.wait(lambda: draft.replace(" ", "") in "".join(window.everything).replace(" ", "")
                            or size[1] == 5, "draft")
                # In a narrow window the name has a row of its own.
                said = re.findall(r"message \d+", " ".join(window.everything))
                self.assertEqual(said, [f"message {number}" for number in range(40)])
                # No part of an earlier prompt is left on the screen.
                self.assertEqual(sum(row.startswith("lobby") for row in window.everything), 1 if size[1] > 5 else 0)
                window.type("Enter")
                self.hears(node, draft)

    def test_every_script_is_typed_shown_and_heard(self):
        window, node = self.meet()
        for text in ("안녕하세요", "\u1112\u1161\u11ab\u1100\u1173\u11af", FAMILY, "cafe\u0301", "עברית", "👍🏽🇰🇷", "ｗｉｄｅ漢字"):
            with self.subTest(text=text):
                window.text(text + "Z")
                window.wait_for("Z")
                window.type("BSpace")
                window.wait(lambda: not window.screen[-1].endswith("Z"), "deletion")
                window.type("Enter")
                # The program sends normalization form C.
                self.hears(node, unicodedata.normalize("NFC", text))

    def test_one_backspace_takes_one_character(self):
        window, node = self.meet()
        for character in ("한", "\u1112\u1161\u11ab", FAMILY, "e\u0301", "🇰🇷", "👍🏽"):
            with self.subTest(character=character):
                window.text("a" + character)
                window.type("Left", "BSpace", "C-e")
                window.text("b")
                window.type("BSpace", "BSpace")
                window.text("left")
                window.type("Enter")
                self.hears(node, "left")

    def test_the_line_is_edited_where_the_cursor_is(self):
        window, node = self.meet()
        window.text("one three")
        window.type("M-b")
        window.text("two ")
        window.type("C-a", "C-k", "C-y", "C-y", "C-w", "C-e", "Enter")
        self.hears(node, "one two threeone two")
        window.type("Up", "Down", "Up", "Home", "Delete")
        window.text("O")
        window.type("C-Right", "End", "!", "Enter")
        self.hears(node, "One two threeone two !")

    def test_many_pasted_lines_are_asked_about_first(self):
        window, node = self.meet(options=("--rate", "50"))
        lines = [f"line {number}" for number in range(30)]
        window.paste("\n".join(lines) + "\n")
        window.wait_for("send 30 messages? y: yes, j: join them to one, Esc: no")
        window.type("Enter", "x")
        window.type("y")
        for line in lines:
            self.hears(node, line)
        window.paste("a\nb\n")
        window.wait_for("send 2 messages?")
        window.type("Escape")
        window.wait(lambda: "send 2 messages?" not in "".join(window.screen), "end of the question")
        window.paste("/who\nand more")
        window.wait_for("send 2 messages?")
        window.type("y")
        window.wait_for("not sent: line 1 begins with /")
        window.type("j", "Enter")
        self.hears(node, "/who and more")
        # Not even behind a text is a key of a room said to all.
        window.paste("so:\n/join attic SECRET")
        window.wait_for("send 2 messages?")
        window.type("y")
        window.wait_for("not sent: line 2 begins with /")
        window.type("Escape")
        window.wait(lambda: "send 2 messages?" not in "".join(window.screen), "end of the question")
        window.text("done")
        window.type("Enter")
        self.hears(node, "done")
        self.assertFalse([event for event in node.events if "SECRET" in str(event)])

    def test_commands_and_names_are_completed(self):
        window, node = self.meet()
        window.text("/wh")
        window.type("Tab")
        window.wait(lambda: window.screen[-1].rstrip().endswith("> /who"), "completion")
        window.type("C-u")
        window.text("hello bo")
        window.type("Tab", "Enter")
        self.hears(node, "hello bob")
        window.text("bo")
        window.type("Tab")
        window.text("hi @bo")
        window.type("Tab", "Enter")
        self.hears(node, "bob: hi @bob")
        window.text("/un")
        window.type("Tab")
        window.wait_for("/unblock  /uncontact  /unignore  /unmute  /unreact  /unread")

    def resized(self, window, columns, rows):
        window.resize(columns, rows)
        window.wait(lambda: window.size == (columns, rows), f"{columns} columns and {rows} rows")
        window.text("x")
        window.wait(lambda: window.screen[-1].rstrip().endswith("x"), "x")
        window.type("BSpace")
        window.wait(lambda: not window.screen[-1].rstrip().endswith("x"), "no x")

    def test_the_window_can_change_its_size(self):
        window, node = self.meet()
        # tmux pushes the line itself into its scrollback rather than drop an empty row below it.
        for number in range(30):
            node.say(f"message {number}")
        window.wait_for("message 29")
        draft = "a draft that is " + "long " * 13 + "and 안녕하세요"
        window.text(draft)
        for size in ((60, 20), (40, 12), (100, 30), (33, 12), (80, 24)):
            with self.subTest(size=size):
                self.resized(window, *size)
                # No part of the line as drawn before is left.
                self.assertEqual(sum("a draft" in row for row in window.everything), 1)
        # Rows that the terminal pushed into its scrollback stay there.
        for size in ((20, 5), (80, 24)):
            with self.subTest(size=size):
                self.resized(window, *size)
        node.say("still here")
        window.wait_for("still here")
        window.type("Enter")
        self.hears(node, draft)

    def test_nothing_of_the_line_is_left_behind_at_the_top_of_the_screen(self):
        window, _ = self.meet()
        window.type("C-l")
        window.wait(lambda: window.screen[0].startswith("lobby"), "empty screen")
        # Terminals keep the text of a screen that is erased from its first cell on.
        for end in range(1, 6):
            window.text(str(end))
            window.wait_for("> " + "12345"[:end])
        self.assertEqual(sum(row.startswith("lobby") and row.endswith(">") or "> 1" in row
                             for row in window.everything), 1)

    def test_a_line_above_the_rate_stays_in_the_editor(self):
        window, node = self.meet(options=("--rate", "0.01"))
        window.enter("the first")
        self.hears(node, "the first")
        window.enter("one too many")
        window.wait(lambda: window.screen[-1].rstrip().endswith("> one too many"), "refused line")
        window.wait_for("! too fast: ")

    def test_the_remaining_characters_are_shown_from_200_on(self):
        window, _ = self.meet()
        window.text("각" * 200)
        window.wait_for("40 characters left")
        window.text("각" * 41)
        window.wait_for("1 character too long")
        window.type("Enter")
        window.wait_for("! message is 241 characters; 240 is the most")
        window.type("BSpace", "Enter")
        window.wait(lambda: window.screen[-1].rstrip().endswith(">"), "empty line")

    def test_authors_have_colours_unless_they_are_not_wanted(self):
        for variables, has_colors in (("", True), ("NO_COLOR=1", False), ("NO_COLOR=", True)):
            with self.subTest(variables=variables):
                window = self.window()
                port = window.start("--nick", "alice", variables=variables)
                self.neighbour(port).say("hello there")
                window.wait(lambda: "hello there" in window.written, "message")
                self.assertEqual("\\033[38;5;" in window.written_since_start(), has_colors)

    def test_plain_and_dumb_terminals_get_no_sequences(self):
        for variables, options in (("TERM=dumb", ()), ("", ("--plain",))):
            with self.subTest(variables=variables, options=options):
                window = self.window()
                port = window.start("--nick", "alice", *options, prompt="", variables=variables)
                node = self.neighbour(port)
                window.wait_for("bob")
                node.say("hello there")
                window.wait_for("hello there")
                window.enter("hi bob")
                self.hears(node, "hi bob")
                window.wait(lambda: "hi bob" in window.written, "own message")
                self.assertNotIn("\\033", window.written_since_start())

    def test_typing_peers_are_shown_and_own_typing_is_sent(self):
        window, node = self.meet()
        number = window.tmux("capture-pane", "-p").partition("bob")[2][:5]
        node.say("/typing")
        window.wait_for(f"bob{number} is typing")
        node.say("/typing off")
        window.wait(lambda: "typing" not in "".join(window.screen[1:]), "end of typing")
        for keys, is_on in (("h", True), ("BSpace", False)):
            window.type(keys)
            event = node.wait(lambda event: event["event"] == "typing", "typing", from_start=False)
            self.assertEqual(event["on"], is_on)

    def test_a_direct_message_and_a_mention_ring(self):
        window, node = self.meet()
        node.say("nobody in particular")
        window.wait(lambda: "particular" in window.written, "message")
        self.assertNotIn("\\007", window.written)
        node.say("hello Alice!")
        window.wait(lambda: "\\007" in window.written, "bell")
        self.assertNotIn("\\033]9;", window.written)

    def test_a_request_and_a_direct_message_ring(self):
        window, node = self.meet()
        node.say(f"/msg {self.number(window, 'alice')} a word?")
        window.wait(lambda: "\\007" in window.written, "bell for a request")
        window.enter(f"/accept {self.number(window, 'bob')}")
        node.wait(lambda event: event["event"] == "direct", "acceptance")
        # The bell rings once a second at most, so the first events may be silent.
        for number in range(1_000):
            node.say(f"/msg {self.number(window, 'alice')} between us, {number}.")
            window.wait_for(f"between us, {number}.")
            if window.written.count("\\007") > 1:
                break
        self.assertGreater(window.written.count("\\007"), 1)

    def test_nothing_rings_in_quiet_mode(self):
        window, node = self.meet(options=("--rate", "1000000", "--quiet"))
        node.say("hello Alice!")
        node.say("and goodbye")
        window.wait_for("and goodbye")
        self.assertNotIn("\\007", window.written)

    def test_the_terminal_notifies_on_request(self):
        window, node = self.meet(options=("--rate", "1000000", "--notify"))
        number = self.number(window, "bob")
        node.say("hello Alice!")
        notification = f"\\033]9;earshot: bob#{number} named you\\033\\134\\007"
        window.wait(lambda: notification in window.written.replace("\\033\\\\", "\\033\\134"), "notification")

    def test_notices_of_the_program_appear_above_the_line(self):
        window = self.window()
        window.start("--nick", "alice", "--log-level", "info")
        window.text("a draft")
        window.wait(lambda: window.screen[-1].rstrip().endswith("> a draft"), "draft")
        window.wait_for("ready after")
        text = " ".join(row.strip() for row in window.everything)
        self.assertRegex(text, r"earshot: ready after \d+ us: room lobby, port \d+, discovery none")
        self.assertEqual(text.count("ready after"), 1)
        self.assertEqual(sum(row.startswith("lobby") for row in window.everything), 1)

    @staticmethod
    def number(window, nickname):
        return re.search(nickname + r"#(\d{4})", "\n".join(window.everything))[1]


if __name__ == "__main__":
    unittest.main()

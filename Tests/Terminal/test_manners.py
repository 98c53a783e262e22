"""The manners of a chat program in a terminal: answers, edits, drafts, actions, reading back and colours."""

import os
import re
import selectors
import socket
import tempfile
import threading
import time
import unittest

from people import People
from window import BINARY

# The colour cube of xterm, and a light background.
LEVELS = (0, 95, 135, 175, 215, 255)
LIGHT = (0xfd, 0xf6, 0xe3)


def luminance(color):
    red, green, blue = ((part / 255 / 12.92) if part / 255 <= 0.04045 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(index, background):
    cube = index - 16
    grey = 8 + 10 * (index - 232)
    color = (grey, grey, grey) if index >= 232 else (LEVELS[cube // 36], LEVELS[cube // 6 % 6], LEVELS[cube % 6])
    light, dark = sorted((luminance(color), luminance(background)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


class Cable:
    """Carries the connections to a port, until it is cut."""

    def __init__(self, port):
        self.target = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.pairs = {}
        self.isCut = False
        self.wake, self._woken = socket.socketpair()
        threading.Thread(target=self._carry, daemon=True).start()

    def cut(self, isCut=True):
        self.isCut = isCut
        self.wake.send(b"x")

    def _carry(self):
        with selectors.DefaultSelector() as waiting:
            waiting.register(self.listener, selectors.EVENT_READ)
            waiting.register(self._woken, selectors.EVENT_READ)
            while True:
                for key, _ in waiting.select():
                    self._serve(waiting, key.fileobj)

    def _serve(self, waiting, ready):
        if ready is self._woken:
            ready.recv(16)
            for one in list(self.pairs) if self.isCut else []:
                self._close(waiting, one)
        elif ready is self.listener:
            caller = ready.accept()[0]
            if self.isCut:
                caller.close()
                return
            callee = socket.create_connection(("127.0.0.1", self.target))
            self.pairs |= {caller: callee, callee: caller}
            waiting.register(caller, selectors.EVENT_READ)
            waiting.register(callee, selectors.EVENT_READ)
        elif ready in self.pairs:
            try:
                data = ready.recv(65536)
                self.pairs[ready].sendall(data)
            except OSError:
                data = b""
            if not data:
                self._close(waiting, ready)

    def _close(self, waiting, one):
        for end in (one, self.pairs.get(one)):
            if end in self.pairs:
                del self.pairs[end]
                waiting.unregister(end)
                end.close()


class Manners(People):
    def test_accept_opens_the_conversation(self):
        window, bob, _ = self.meet(80, 24)
        bob.say(f"/msg {self.number(window, 'alice')} may I?")
        window.wait(lambda: "may I?" in window.words, "request")
        window.enter(f"/accept {self.number(window, 'bob')}")
        self.wait_prompt(window, r"^→ bob#\d{4} >")
        self.assertIn("may I?", window.words.rpartition("— bob#")[2])
        # The answer goes to bob alone.
        window.enter("you may")
        heard = bob.hears("you may")
        self.assertEqual(heard["conversation"], "direct")

    def test_the_sender_of_a_request_reads_how_to_write_there(self):
        window, bob, _ = self.meet(80, 24)
        window.enter(f"/msg {self.number(window, 'bob')} may I?")
        bob.wait(lambda event: event["event"] == "request", "request")
        bob.say(f"/accept {self.number(window, 'alice')}")
        number = self.number(window, "bob")
        window.wait(lambda: f"accepted; Alt-2 or /open #{number} opens it" in window.words, "advice")
        window.type("M-2")
        self.wait_prompt(window, r"^→ bob#\d{4} >")

    def test_missed_messages_of_an_outage_are_in_one_order(self):
        window = self.window(80, 24)
        port = window.start("--nick", "alice", "--rate", "1000000")
        cable = Cable(port)
        bob = self.node("bob", cable.port)
        window.wait_for("bob#")
        bob.say("before the outage")
        window.wait_for("before the outage")
        window.enter("mine before")
        bob.hears("mine before")
        cable.cut()
        bob.wait(lambda event: event["event"] == "peer" and event["state"] == "offline", "outage", timeout=40)
        for number in range(4):
            bob.say(f"missed {number}")
        last = bob.hears("missed 3")
        # Messages that are a few seconds late have no rule. Wall clocks have no event.
        spoken = time.monotonic()
        while time.monotonic() < spoken + 11:
            time.sleep(0.1)
        self.assertTrue(last["isFromCurrentUser"])
        cable.cut(False)
        self.wait_row(window, "— 4 messages while you were offline —")
        self.wait_row(window, "missed 3")
        rows = window.styled
        missed = next(row for row in rows if "missed 2" in row)
        # Bright: the text itself has no style.
        self.assertRegex(missed, r"missed 2$")
        wanted = ["before the outage", "mine before", "missed 0", "missed 1", "missed 2", "missed 3"]
        window.enter("/history")
        self.wait_row(window, "history of lobby")
        shown = re.findall(r"before the outage|mine before|missed \d", "\n".join(window.everything).rpartition("history of lobby")[2])
        self.assertEqual(shown, wanted)
        window.type("PPage")
        window.wait_for("rows; Esc returns")
        self.assertEqual(re.findall(r"before the outage|mine before|missed \d", "\n".join(window.screen)), wanted)

    def test_missed_messages_count_as_unread(self):
        window = self.window(80, 24)
        port = window.start("--nick", "alice", "--rate", "1000000")
        cable = Cable(port)
        bob = self.node("bob", cable.port)
        window.wait_for("bob#")
        self.accepted(window, bob)
        self.wait_prompt(window, r"^→ bob")
        cable.cut()
        bob.wait(lambda event: event["event"] == "peer" and event["state"] == "offline", "outage", timeout=40)
        for number in range(4):
            bob.say(f"missed {number}")
        bob.hears("missed 3")
        cable.cut(False)
        self.wait_prompt(window, r"\[1 lobby 4\] >$")

    def test_an_edit_and_a_deletion_change_the_row(self):
        for size in self.each_size():
            window, bob, _ = self.meet(*size)
            bob.say("hellow")
            self.wait_row(window, "hellow")
            bob.say("something else")
            self.wait_row(window, "something else")
            identity = bob.hears("hellow")["id"]
            bob.say(f"/edit {identity} hello")
            self.wait_row(window, r"> hello \(edited\)$")
            bob.say(f"/delete {identity}")
            self.wait_row(window, r"<bob#\d{4}> \(deleted\)$")
            words = window.words
            self.assertNotIn("hellow", words)
            self.assertNotIn("edited:", words)
            self.assertNotIn("deleted:", words)
            self.assertLess(words.index("(deleted)"), words.index("something else"))

    def test_a_change_of_a_row_that_is_gone_says_what_was_there(self):
        window, bob, _ = self.meet(80, 24)
        bob.say("hellow")
        self.wait_row(window, "hellow")
        for number in range(30):
            bob.say(f"text {number}.")
        window.wait_for("text 29.")
        identity = bob.hears("hellow")["id"]
        bob.say(f"/edit {identity} hello")
        self.wait_row(window, r"edited: \d\d:\d\d:\d\d <bob#\d{4}> hello \(was: hellow\)")
        bob.say(f"/delete {identity}")
        self.wait_row(window, r"deleted: \d\d:\d\d:\d\d <bob#\d{4}> \(was: hello\)")

    def test_a_late_edit_without_id_shows_what_was_there(self):
        window, bob, _ = self.meet(80, 24)
        window.enter("helo")
        self.wait_row(window, "<you> helo")
        window.enter("/edit hello")
        self.wait_row(window, r"<you> hello \(edited\)")
        self.assertNotIn("was:", window.words)
        for number in range(3):
            bob.say(f"text {number}.")
        window.wait_for("text 2.")
        window.enter("/edit something else")
        self.wait_row(window, r"edited: \d\d:\d\d:\d\d <alice#\d{4}> something else \(was: hello\)")
        self.wait_row(window, r"<you> something else \(edited\)")

    def test_a_refused_command_leaves_the_editor_empty(self):
        window, bob, _ = self.meet(80, 24)
        self.asked(window, "/whois nobody", "! no peer here is called nobody")
        self.asked(window, "/whosi", r"! no command /whosi; did you mean /who")
        self.wait_prompt(window, r"here >$")
        window.type("Up")
        self.wait_prompt(window, r"> /whosi$")
        window.type("C-u")
        # A text is to be mended.
        self.asked(window, "x" * 241, "! message is 241 characters")
        window.wait(lambda: "x" * 20 in window.screen[-1], "text in the editor")
        window.type("C-u")
        self.asked(window, "/msg bbo hello", "! no peer here is called bbo")
        self.wait_prompt(window, r"> /msg bbo hello$")

    def test_a_text_behind_a_refused_line_begins_another_one(self):
        window, bob, _ = self.meet(80, 24)
        self.asked(window, "/msg bbo hello", "! no peer here is called bbo")
        self.wait_row(window, r"> /msg bbo hello$")
        self.wait_row(window, "refused: Enter sends it again")
        self.asked(window, "/whoami", "you are alice")
        window.type("Up", "Up")
        self.wait_prompt(window, r"> /msg bbo hello$")
        window.type("BSpace")
        self.wait_prompt(window, r"> /msg bbo hell$")

    def test_a_text_for_a_conversation_that_did_not_open_is_said_in_no_other_one(self):
        window, bob, _ = self.meet(80, 24)
        window.tmux("send-keys", "/open nobody", "Enter", "for nobody", "Enter", "/whoami", "Enter")
        self.wait_row(window, "1 line not said, because the conversation did not open")
        self.wait_row(window, "you are alice")
        # A line that was given up was begun in sight of the refusal, or the next one is.
        window.text("x")
        window.type("C-u")
        window.enter("for all")
        heard = bob.wait(lambda event: event["event"] == "message", "a message")
        self.assertEqual(heard["text"], "for all")
        window.type("Up", "Up", "Up")
        self.wait_prompt(window, r"> for nobody$")

    def test_no_line_of_the_old_identity_comes_to_the_new_one(self):
        window = self.window(80, 24)
        window.start("--nick", "alice")
        window.enter("said before")
        self.wait_row(window, "<you> said before")
        window.enter("/wipe yes")
        window.wait_for("forgotten: your keys")
        window.enter("said in the pause")
        self.wait_row(window, "^! ")
        self.wait_prompt(window, r">$")
        window.enter("/wipe now")
        window.wait_for("you are ")
        window.type("Up", "Up", "Up", "C-y")
        window.text("end")
        self.wait_prompt(window, r"> end$")

    def test_each_conversation_has_its_draft(self):
        window, bob, _ = self.meet(80, 24)
        self.accepted(window, bob)
        self.wait_prompt(window, r"^→ bob#\d{4} >$")
        window.text("for bob")
        window.type("M-1")
        self.wait_prompt(window, r"^lobby .* >$")
        window.text("for all")
        window.type("M-2")
        self.wait_prompt(window, r"^→ bob#\d{4} > for bob$")
        window.type("M-1")
        self.wait_prompt(window, r"^lobby .* > for all$")
        # Another face moves the shared view: the line stays where it was begun.
        window.type("Enter")
        bob.hears("for all")
        self.assertEqual([event["text"] for event in bob.events if event["event"] == "message" and not event["isFromCurrentUser"]], ["for all"])

    def test_tab_goes_on_through_the_candidates(self):
        window, bob, port = self.meet(80, 24)
        self.node("bobby", port)
        window.wait_for("bobby#")
        window.text("hey bo")
        for shown in ("bob", "bob", "bobby", "bob"):
            window.type("Tab")
            self.wait_prompt(window, rf"> hey {shown}$")
        window.type("BTab")
        self.wait_prompt(window, r"> hey bobby$")

    def test_an_action_is_one(self):
        window, bob, _ = self.meet(80, 24)
        bob.say("/me waves")
        self.wait_row(window, r"^\d\d:\d\d:\d\d • bob#\d{4} waves$")
        window.enter("/me nods")
        self.wait_row(window, r"^\d\d:\d\d:\d\d • alice#\d{4} nods$")
        heard = bob.hears("* alice nods")
        self.assertEqual(heard["action"], "nods")
        bob.say("not an action")
        self.wait_row(window, "not an action")
        self.assertIsNone(bob.hears("not an action")["action"])

    def test_a_long_address_is_whole_when_it_is_read_back(self):
        window, bob, _ = self.meet(40, 15)
        address = "https://example.org/" + "abcdefghij" * 9
        bob.say(address)
        for number in range(6):
            bob.say(f"text {number}.")
        window.wait_for("text 5.")
        window.type("PPage")
        window.wait_for("rows; Esc returns")
        joined = window.tmux("capture-pane", "-p", "-J")
        self.assertIn(address, joined)

    def test_colours_can_be_read_on_the_background_that_the_terminal_tells(self):
        window = self.window(80, 24)
        window.tmux("set-option", "-g", "window-style", "bg=#%02x%02x%02x" % LIGHT)
        port = window.start("--nick", "alice", "--rate", "1000000")
        bob = self.node("bob", port)
        window.wait_for("bob#")
        bob.say("can you read this?")
        self.wait_row(window, "can you read this")
        # From the line about the arrival on, which is behind the answer.
        rows = "\n".join(window.styled).partition("is here")[2]
        colors = {int(index) for index in re.findall(r"38;5;(\d+)m", rows)}
        # Of the name at least.
        self.assertTrue(colors, rows)
        for index in colors:
            self.assertGreaterEqual(contrast(index, LIGHT), 4.5, rows)
        self.assertNotRegex(rows, "\x1b\\[2m")

    def test_a_random_nickname_stays_with_its_identity(self):
        with tempfile.TemporaryDirectory() as folder:
            window = self.window(80, 24)
            names = []
            for _ in range(2):
                window.start("--identity", f"{folder}/identity")
                self.wait_prompt(window, r"^lobby · \S+#\d{4} · 1 here >$")
                names.append(re.search(r"· (\S+#\d{4}) ·", self.prompt(window))[1])
                window.enter("/quit")
                window.code()
                window.enter("clear")
                window.wait(lambda: self.prompt(window) == "$", "shell")
            self.assertEqual(names[0], names[1])

    def test_a_program_that_the_script_starts_speaks_korean(self):
        with tempfile.TemporaryDirectory() as folder:
            here = os.path.dirname(os.path.abspath(__file__))
            os.makedirs(f"{folder}/Scripts")
            os.makedirs(f"{folder}/Sources")
            os.makedirs(f"{folder}/.build/program")
            open(f"{folder}/Package.swift", "w").close()
            for name in ("run", "setup.bash"):
                with open(f"{here}/../../Scripts/{name}") as source, open(f"{folder}/Scripts/{name}", "w") as copy:
                    copy.write(source.read())
            with open(f"{folder}/.build/program/earshot", "w") as program:
                program.write(f'#!/bin/sh\nexec {BINARY} "$@"\n')
            os.chmod(f"{folder}/.build/program/earshot", 0o755)
            later = time.time() + 60
            os.utime(f"{folder}/.build/program/earshot", (later, later))
            window = self.window(80, 24)
            window.enter(f"clear; env -u LC_ALL LANG=ko_KR.UTF-8 bash {folder}/Scripts/run --discovery none --nick alice")
            window.wait_for("메시지를 쓰고")
            window.type("C-c")


if __name__ == "__main__":
    unittest.main()

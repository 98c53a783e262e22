"""How the terminal names peers, rooms and conversations, and keeps up with names that change."""

import json
import re
import socket
import subprocess
import tempfile
import unittest

from people import People
from window import BINARY
from earshot_node import Node


class Names(People):
    def control(self, path, line, event):
        """Sends a line to the control socket, and waits for an event of its answer."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(30)
            client.connect(path)
            client.sendall(f"{line}\n".encode())
            return next(told for told in map(json.loads, client.makefile()) if told["event"] == event)

    def test_a_name_means_those_who_are_here(self):
        window, bob, port = self.meet(80, 24)
        number = self.number(window, "bob")
        bob.quit()
        window.wait_for("is gone")
        other = self.node("bob", port)
        window.wait(lambda: len(self.rows(window, r"bob#\d{4} is here")) == 2, "another bob")
        self.asked(window, "/whois bob", r"\* key " + other.key[:8])
        self.assertNotIn("may be any of", window.words)
        # Of two that are here the name is refused, with those it may mean.
        third = self.node("bob", port)
        # The fourth arrival or departure of ten seconds is a part of a count.
        self.wait_prompt(window, r"3 here >$")
        window.enter("/whois bob")
        window.wait(lambda: "bob may be any of:" in window.words, "refusal")
        self.assertNotIn(f"#{number}", window.words.rpartition("may be any of:")[2])
        # A request is answered by its name while only one of them asks.
        third.say(f"/msg {self.number(window, 'alice')} may I?")
        window.wait(lambda: "may I?" in window.words, "request")
        window.enter("/accept bob")
        third.wait(lambda event: event["event"] == "direct" and event["state"] == "accepted", "acceptance")

    def test_a_private_room_has_a_lock_in_the_prompt(self):
        window, _, _ = self.meet(80, 24)
        window.enter("/room new kitchen")
        self.wait_prompt(window, r"^🔒 kitchen · (\S+)?#\d{4} · 1 here >$")
        window.enter("/open lobby")
        self.wait_prompt(window, r"^lobby · ")

    def test_rooms_says_which_is_shown_open_and_private(self):
        window, _, _ = self.meet(80, 24)
        window.enter("/room new kitchen")
        self.wait_prompt(window, r"kitchen")
        window.enter("/rooms")
        self.wait_row(window, r"\* 2 kitchen \(shown\), private: ")
        self.wait_row(window, r"\* 1 lobby, open: alice#\d{4}, 2 here")

    def test_numbers_of_conversations_are_listed_and_not_used_again(self):
        window, bob, _ = self.meet(80, 24)
        self.accepted(window, bob)
        self.wait_prompt(window, r"^→ bob")
        window.enter("/join attic")
        self.wait_prompt(window, r"^attic")
        self.asked(window, "/rooms", r"\* 3 attic \(shown\), open: ")
        self.asked(window, "/unread", r"\* 2 bob#\d{4} in lobby: ")
        window.enter("/part attic")
        self.wait_prompt(window, r"^lobby|^→ bob")
        window.enter("/join attic")
        self.wait_prompt(window, r"^attic")
        self.asked(window, "/rooms", r"\* 4 attic \(shown\), open: ")
        window.type("M-3")
        self.wait_row(window, "there is no conversation 3")
        window.type("M-1")
        self.wait_prompt(window, r"^lobby")

    def test_the_list_of_peers_is_a_table_with_the_user_in_it(self):
        for size in self.each_size():
            # bob is here before alice comes.
            bob = Node(subprocess.Popen, "bob", "--discovery", "none", "--rate", "1000000")
            self.addCleanup(bob.process.wait)
            self.addCleanup(bob.kill)
            self.addCleanup(bob.process.stdin.close)
            port = bob.ready()["port"]
            window = self.window(*size)
            window.start("--nick", "alice", "--rate", "1000000", "--peer", f"127.0.0.1:{port}")
            window.wait_for("bob#")
            window.enter("/who")
            window.wait(lambda: re.search(r"name +state +for", window.words), "head")
            window.wait(lambda: re.search(r"alice#\d{4} \(you\) +online \d+ s", window.words), "own row")
            window.wait(lambda: re.search(r"bob#\d{4} +online since I came", window.words), "row of bob")
            if size[0] == 80:
                rows = self.rows(window, r"^  (name|alice#|bob#)")
                self.assertEqual(len({row.index("online") for row in rows[1:]} | {rows[0].index("state")}), 1, rows)

    def test_renames_are_not_arrivals(self):
        window, bob, _ = self.meet(80, 24)
        window.wait_for("is here")
        for number in range(5):
            bob.say(f"/nick bob-{number}")
        self.wait_row(window, r"\* bob#\d{4} is now bob-0#\d{4}")
        # The further ones are one line behind the window of 10 s.
        self.wait_row(window, r"\* bob-0#\d{4} is now bob-4#\d{4}")
        self.assertNotRegex(window.words, r"\d came")
        self.assertEqual(len(self.rows(window, "is here")), 1)
        self.wait_prompt(window, r"2 here >$")

    def test_prompt_and_lists_follow_a_rename_by_another_face_or_a_peer(self):
        with tempfile.TemporaryDirectory() as folder:
            window, bob, _ = self.meet(80, 24, options=("--control", f"{folder}/control"))
            self.accepted(window, bob)
            self.wait_prompt(window, r"^→ bob#\d{4} >$")
            bob.say("/nick robert")
            self.wait_prompt(window, r"^→ robert#\d{4} >$")
            self.asked(window, "/unread", r"\* 2 robert#\d{4} \(shown\)")
            window.enter("/who")
            self.wait_row(window, r"^  robert#\d{4} +online")
            window.type("M-1")
            self.wait_prompt(window, r"^lobby · alice#\d{4}")
            self.control(f"{folder}/control", "command /nick alicia", "renamed")
            self.wait_prompt(window, r"^lobby · alicia#\d{4}")
            window.enter("/who")
            self.wait_row(window, r"^  alicia#\d{4} \(you\)")

    def test_an_own_name_for_a_contact_works_wherever_it_is_shown(self):
        with tempfile.TemporaryDirectory() as folder:
            window, bob, _ = self.meet(80, 24, options=("--identity", f"{folder}/identity"))
            number = self.number(window, "bob")
            self.asked(window, f"/contact {number} Robert", rf"★Robert#{number} is a contact")
            bob.say("hello")
            self.wait_row(window, rf"<★Robert#{number}> hello")
            for name in ("Robert", "★Robert", f"★Robert#{number}"):
                window.enter("/clear")
                self.asked(window, f"/whois {name}", r"\* key " + bob.key[:8])
            # Behind a command Tab completes it; in a text, which others read, it becomes the peer's nickname.
            window.text("/whois ★Ro")
            window.type("Tab")
            self.wait_prompt(window, r"> /whois ★Robert$")
            window.type("C-u")
            window.text("hey ★Ro")
            window.type("Tab")
            self.wait_prompt(window, r"> hey bob$")
            window.type("Enter")
            heard = bob.wait(lambda event: event["event"] == "message" and not event["isFromCurrentUser"], "message")
            self.assertEqual(heard["text"], "hey bob")
            self.assertFalse(any("Robert" in line for line in bob.lines.seen))

    def found(self, room=(), options=()):
        """Two nodes on one machine that look for each other by multicast: the window of alice, and bob."""
        bob = Node(subprocess.Popen, "bob", "--discovery", "embedded", "--rate", "1000000", *room)
        self.addCleanup(bob.process.wait)
        self.addCleanup(bob.kill)
        self.addCleanup(bob.process.stdin.close)
        bob.ready()
        window = self.window(80, 24)
        window.enter(f"clear; {BINARY} --discovery embedded --nick alice {' '.join(options)}; echo code $?")
        self.wait_prompt(window, r"^\S*lobby|^🔒")
        return window, bob

    def test_on_a_machine_without_a_network_its_nodes_are_found_and_nothing_else_is_said(self):
        window, _ = self.found()
        self.wait_prompt(window, r"2 here >$")
        self.assertNotIn("no peer is found", window.words)
        window.wait(lambda: "only nodes on this machine are found" in window.words, "notice")

    def test_a_wrong_key_of_a_private_room_has_a_notice(self):
        window, _ = self.found()
        window.enter("/join attic amber-otter-sings")
        window.wait(lambda: "attic" in self.prompt(window), "room")
        window.wait(lambda: "no other node here has the name and the key of the room attic" in window.words, "notice")


if __name__ == "__main__":
    unittest.main()

"""A user in a window, alice, and the peers that she meets."""

import re
import subprocess
import unittest

from window import Window
from earshot_node import Node

SIZES = ((80, 24), (40, 15))


class People(unittest.TestCase):
    def window(self, *size, **environment):
        window = Window(*size, **environment)
        self.addCleanup(window.close)
        return window

    def node(self, name, port, *options):
        node = Node(subprocess.Popen, name, "--discovery", "none", "--peer", f"127.0.0.1:{port}", "--rate", "1000000", *options)
        self.addCleanup(node.process.wait)
        self.addCleanup(node.kill)
        self.addCleanup(node.process.stdin.close)
        node.wait(lambda event: event["event"] == "peer", "peer")
        return node

    def meet(self, *size, options=(), **environment):
        window = self.window(*size, **environment)
        port = window.start("--nick", "alice", "--rate", "1000000", *options)
        bob = self.node("bob", port)
        window.wait_for("bob#")
        return window, bob, port

    @staticmethod
    def number(window, nickname):
        return re.search(nickname + r"#(\d{4})", "\n".join(window.everything))[1]

    def each_size(self):
        for size in SIZES:
            with self.subTest(size=size):
                yield size

    def accepted(self, window, bob):
        """Lets bob ask and alice accept."""
        bob.say(f"/msg {self.number(window, 'alice')} may I?")
        window.wait(lambda: "may I?" in window.words, "request")
        window.enter(f"/accept {self.number(window, 'bob')}")
        bob.wait(lambda event: event["event"] == "direct", "acceptance")

    def prompt(self, window):
        return window.screen[-1].rstrip()

    def wait_prompt(self, window, pattern):
        window.wait(lambda: re.search(pattern, self.prompt(window)), f"prompt {pattern}")

    def rows(self, window, pattern):
        """The rows of the screen that match."""
        return [row.rstrip() for row in window.screen if re.search(pattern, row)]

    def wait_row(self, window, pattern):
        window.wait(lambda: self.rows(window, pattern), f"row {pattern}")

    def asked(self, window, question, answer):
        """Enters a command, and waits for a row of its answer."""
        window.enter(question)
        self.wait_row(window, answer)

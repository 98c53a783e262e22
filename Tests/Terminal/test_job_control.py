"""In the background the program leaves the terminal alone, and takes it again in front, in shells that people use."""

import shutil
import subprocess
import unittest

from window import BINARY, Window, free_port
from earshot_node import Node

SHELLS = {"bash": ("bash", "--norc", "--noprofile", "-i"), "zsh": ("zsh", "-f", "-i"), "sh": ("sh", "-i")}


class JobControl(unittest.TestCase):
    def each_shell(self):
        for name, words in SHELLS.items():
            if shutil.which(name):
                with self.subTest(shell=name):
                    yield Window(shell=words)

    def window_with_bob(self, window, port):
        self.addCleanup(window.close)
        bob = Node(subprocess.Popen, "bob", "--discovery", "none", "--peer", f"127.0.0.1:{port}", "--rate", "1000000")
        self.addCleanup(bob.process.wait)
        self.addCleanup(bob.kill)
        self.addCleanup(bob.process.stdin.close)
        bob.wait(lambda event: event["event"] == "peer", "peer")
        return bob

    def shell_is_left_alone(self, window, bob, text):
        """Says a text to the node in the background, which must not show it; what is typed goes to the shell."""
        bob.say(text)
        bob.hears(text)
        window.enter(f"clear; echo shell-{text}-$((1 + 1))")
        window.wait_for(f"shell-{text}-2")
        # Two lines are typed and answered after what was said: long enough for a node that draws.
        window.enter("sleep 0.5; echo later-$((2 + 2))")
        window.wait_for("later-4")
        screen = "\n".join(window.screen)
        self.assertNotIn(f"> {text}", screen)
        self.assertNotIn("lobby", screen)

    def front(self, window, bob, missed, text):
        window.enter("fg")
        window.wait(lambda: window.screen[-1].startswith("lobby"), "prompt")
        window.wait_for(missed)
        window.enter(text)
        bob.hears(text)

    def test_begun_in_the_background(self):
        for window in self.each_shell():
            port = free_port()
            window.enter(f"{BINARY} --discovery none --nick alice --rate 1000000 --port {port} --no-control &")
            bob = self.window_with_bob(window, port)
            self.shell_is_left_alone(window, bob, "unseen")
            self.front(window, bob, "unseen", "typed in front")
            window.close()

    def test_stopped_and_sent_to_the_background(self):
        for window in self.each_shell():
            port = window.start("--nick", "alice", "--rate", "1000000", "--no-control", tail="")
            bob = self.window_with_bob(window, port)
            window.wait_for("bob#")
            window.type("C-z")
            window.wait(lambda: not window.screen[-1].startswith("lobby"), "shell")
            window.enter("bg")
            self.shell_is_left_alone(window, bob, "unseen")
            self.front(window, bob, "unseen", "typed in front")
            window.type("C-z")
            window.wait(lambda: not window.screen[-1].startswith("lobby"), "shell")
            bob.say("while stopped")
            self.front(window, bob, "while stopped", "typed again")
            window.close()


if __name__ == "__main__":
    unittest.main()

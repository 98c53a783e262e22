"""The end of standard input, and the examples of the documents that need none."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

from people import People
from earshot_node import BINARY

DOCS = pathlib.Path(__file__).resolve().parents[2] / "Docs"


class WithoutInput(unittest.TestCase):
    def start(self, *options, **environment):
        process = subprocess.Popen([BINARY, "--discovery", "none", "--json", "--no-config", *options],
                                   env=os.environ | environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_a_node_that_serves_programs_outlives_its_input(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "control"
            for options in (("--web", "0", "--no-control"), ("--stomp", "0", "--no-control"), ("--control", str(path)),
                            ("--no-input", "--no-control")):
                with self.subTest(options=options):
                    process = self.start(*options)
                    self.assertIn(b'"event":"ready"', process.stdout.readline())
                    with self.assertRaises(subprocess.TimeoutExpired):
                        process.wait(1)
                    process.send_signal(signal.SIGTERM)
                    self.assertEqual(process.wait(20), 128 + signal.SIGTERM)

    def test_a_node_at_the_common_socket_alone_ends_with_its_input(self):
        with tempfile.TemporaryDirectory() as folder:
            for options in (("--no-control",), ()):
                with self.subTest(options=options):
                    self.assertEqual(self.start(*options, XDG_RUNTIME_DIR=folder).wait(20), 0)

    def test_lines_that_came_before_the_end_are_said(self):
        process = subprocess.Popen([BINARY, "--discovery", "none", "--json", "--no-config", "--no-control", "--web", "0"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        process.stdin.write(b"hello\n/quit\n")
        process.stdin.close()
        self.assertIn(b'"text":"hello"', process.stdout.read())
        self.assertEqual(process.wait(20), 0)

    def test_with_no_input_a_line_is_not_read(self):
        process = subprocess.Popen([BINARY, "--discovery", "none", "--json", "--no-config", "--no-control", "--no-input"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        process.stdin.write(b"/quit\n")
        process.stdin.close()
        with self.assertRaises(subprocess.TimeoutExpired):
            process.wait(2)


class Example(People):
    def test_the_bot_answers_as_the_document_says(self):
        source = re.search(r"```python\n(.*?)```", (DOCS / "JSON.md").read_text(), re.DOTALL)[1]
        alice = self.person("alice")
        alice.say("ping")
        self.next(alice, "message", text="ping")
        port = alice.ready()["port"]
        words = [BINARY, "--json", "--nick", "echo", "--discovery", "none", "--peer", f"127.0.0.1:{port}"]
        self.assertIn('["Scripts/run", "--json", "--nick", "echo"]', source)
        source = source.replace('["Scripts/run", "--json", "--nick", "echo"]', repr(words))
        bot = subprocess.Popen([sys.executable, "-c", source], stdin=subprocess.DEVNULL)
        self.addCleanup(bot.wait)
        self.addCleanup(bot.terminate)
        echo = self.next(alice, "peer", state="online")["who"]
        alice.say("ping")
        pong = f"pong, {alice.ready()['self']['displayName']}"
        self.assertEqual(self.next(alice, "message", text=pong)["conversation"], "public")
        alice.say(f"/msg {echo['key']} may I?")
        self.next(alice, "direct", state="accepted")
        alice.say(f"/msg {echo['key']} ping")
        self.assertEqual(self.next(alice, "message", text=pong)["conversation"], "direct")
        # The ping from before it came had no answer.
        said = [event for event in alice.events if event["event"] == "message" and event["text"] == pong]
        self.assertEqual([event["conversation"] for event in said], ["public", "direct"])


if __name__ == "__main__":
    unittest.main()

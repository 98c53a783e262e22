"""The properties of the stream that a script may rely on: its order, its pace and its end."""

import json
import signal
import subprocess
import threading

from earshot_node import BINARY
from people import People


class Stream(People):
    def test_an_answer_comes_behind_what_its_line_follows(self):
        alice = self.person("alice", "--rate", "1000000")
        alice.write(b"".join(b"line %d\n/unread\n/nope\n" % number for number in range(200)))
        alice.process.stdin.close()
        self.assertEqual(alice.process.wait(60), 1)
        for number in range(200):
            told = [json.loads(self.line(alice)) for _ in range(3)]
            self.assertEqual([one["event"] for one in told], ["message", "result", "error"], number)
            self.assertEqual((told[0]["text"], told[1]["conversations"][0]["last"]["text"]), (f"line {number}",) * 2)

    def test_each_line_is_there_at_once(self):
        alice, bob = self.pair()
        for number in range(3):
            alice.say(f"line {number}")
            self.next(bob, "message", text=f"line {number}")
            self.assertIsNone(bob.process.poll())

    def test_piped_input_is_held_to_the_rate_and_loses_nothing(self):
        alice, bob = self.pair("--rate", "100")
        lines = [f"line {number}" for number in range(300)]
        alice.write("\n".join(lines).encode())
        alice.process.stdin.close()
        for node in (bob, alice):
            self.assertEqual([self.next(node, "message")["text"] for _ in lines], lines)
        self.next(bob, "peer", state="offline")
        self.assertEqual(alice.process.wait(60), 0)
        self.assertFalse([told for told in alice.events if told["event"] == "error"])

    def test_no_limit_on_one_s_own_messages_lifts_none_on_those_of_others(self):
        alice = self.person("alice", "--rate", "0")
        bob = self.person("bob", "--rate", "1000000", meets=alice)
        lines = [f"line {number}" for number in range(200)]
        alice.write("".join(f"{line}\n" for line in lines).encode())
        self.assertEqual([self.next(bob, "message")["text"] for _ in lines], lines)
        bob.write("".join(f"flood {number}\n" for number in range(400)).encode())
        bob.process.stdin.close()
        self.next(alice, "peer", state="offline")
        self.assertGreater(alice.result("stats")["dropped_author_rate"], 300)

    def test_an_empty_line_says_nothing_and_is_no_fault(self):
        done = subprocess.run([BINARY, "--json", "--discovery", "none", "--no-control"], input=b"one\n\n\r\ntwo\n",
                              capture_output=True, timeout=20)
        events = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([event["text"] for event in events if event["event"] == "message"], ["one", "two"])
        self.assertEqual((done.returncode, [event for event in events if event["event"] == "error"]), (0, []))

    def test_a_reader_that_closes_its_pipe_ends_the_node(self):
        alice = self.person("alice")
        bob = self.person("bob", meets=alice, launch=lambda command, **options: self.into(["sed", "-u", "3q"], command, options))
        bob.say("the third line, after ready and alice")
        self.next(bob, "message")
        self.reader.wait(20)
        alice.say("nobody reads this")
        self.next(alice, "peer", state="offline")
        self.assertEqual((bob.process.wait(20), bob.errors.next(bob.started + 60)), (0, None))

    def test_a_slow_reader_slows_the_input_and_misses_nothing(self):
        alice = self.person("alice", "--rate", "1000000")
        bob = self.person("bob", "--rate", "1000000", meets=alice, launch=lambda command, **options: self.into(["cat"], command, options))
        self.reader.send_signal(signal.SIGSTOP)
        lines = [f"line {number} " + "x" * 200 for number in range(2000)]
        feeder = threading.Thread(target=self.feed, args=(bob, lines + ["/stats"]))
        feeder.start()
        # Far more than the pipe's buffer holds.
        self.next(alice, "message", text=lines[300])
        self.reader.send_signal(signal.SIGCONT)
        for line in lines:
            self.assertEqual(self.next(bob, "message")["text"], line)
        self.assertEqual(self.next(bob, "result")["events_not_shown"], 0)
        feeder.join()
        self.assertEqual(bob.process.wait(60), 0)

    def feed(self, node, lines):
        node.write("\n".join(lines).encode())
        node.process.stdin.close()

    def into(self, reader, command, options):
        """A node whose standard output goes through the command `reader`."""
        self.reader = subprocess.Popen(reader, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(self.reader.wait)
        self.addCleanup(self.reader.kill)
        node = subprocess.Popen(command, **options | {"stdout": self.reader.stdin})
        self.reader.stdin.close()
        node.stdout = self.reader.stdout
        return node

    def line(self, node):
        return node.lines.next(node.started + 60)[1]

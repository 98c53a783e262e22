"""Suspended machines, clocks that jump, and clocks that differ: the preloaded clock.c shifts a node's clocks."""

import json
import os
import pathlib
import shlex
import signal
import struct
import subprocess
import tempfile
import time
import unittest

import mdns
import wire
from hosts import Hosts

from earshot_node import all_talk, all_meet, on
from faults import Measured, Node, seconds

SOURCE = pathlib.Path(__file__).with_name("clock.c")
MINUTE, DAY = 60, 86_400


class Clock:
    """The clocks of the nodes that it launches."""

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="earshot-clock-")
        self.library = pathlib.Path(self.directory.name, "clock.so")
        self.file = pathlib.Path(self.directory.name, "ahead")
        self.set()
        subprocess.run(["cc", "-Wall", "-Werror", "-O", "-shared", "-fPIC", "-o", self.library, SOURCE], check=True)

    def set(self, wall=0, boot=0):
        """The seconds by which the clocks are ahead of the true time; a suspension counts in both, not in the monotonic clock."""
        with open(self.file, "r+b" if self.file.exists() else "wb") as file:
            file.write(struct.pack("=qqq", *(round(ahead * 1e9) for ahead in (wall, 0, boot))))

    def on(self, hosts, host):
        # A shell sets the variables, so that no other process has them.
        prefix = f"EARSHOT_TEST_CLOCK={self.file} LD_PRELOAD={self.library} exec "
        return lambda command, **options: hosts.start(host, ["sh", "-c", prefix + shlex.join(command)], text=False,
                                                      **options)


class Clocks(Measured):
    def setUp(self):
        super().setUp()
        self.clock = Clock()
        self.addCleanup(self.clock.directory.cleanup)

    def meet(self, hosts):
        alice, bob = Node(on(hosts, 1), "alice"), Node(self.clock.on(hosts, 2), "bob")
        all_meet([alice, bob])
        return alice, bob

    def test_a_machine_that_slept_for_ten_minutes_goes_on(self):
        with Hosts(2) as hosts:
            alice, bob = self.meet(hosts)
            os.kill(bob.process.pid, signal.SIGSTOP)
            # After a suspension nothing waits in the sockets, so alice stops too.
            os.kill(alice.process.pid, signal.SIGSTOP)
            alice.say("while you sleep")
            self.clock.set(wall=10 * MINUTE, boot=10 * MINUTE)
            os.kill(bob.process.pid, signal.SIGCONT)
            woken = time.monotonic()
            # Bob notices the time that it missed: at once, or by a probe if a record of alice waited.
            bob.loses(alice, 40)
            os.kill(alice.process.pid, signal.SIGCONT)
            bob.hears("while you sleep", 40)
            self.remark(f"heard {time.monotonic() - woken:.1f} s after waking")
            all_talk([alice, bob])
            self.assertEqual(bob.quit(), 0)

    def questions(self, path, mac, since):
        """The seconds since 1970 at which this MAC asked for nodes over IPv4 or IPv6, each once."""
        asked = [when for when, sender, protocol, data in wire.timed_payloads(path)
                 if sender == mac and protocol == 17 and when > since
                 for is_response, names, _ in [mdns.read(data)]
                 if not is_response and any(name.endswith("._sub._earshot._tcp.local") for name in names)]
        return [when for number, when in enumerate(asked) if number == 0 or when - asked[number - 1] > 0.3]

    def test_a_node_whose_peer_fell_silent_asks_often_again(self):
        for daemon in (True, False):
            with self.subTest(daemon=daemon), Hosts(2, daemon=daemon) as hosts:
                self.clock.set()
                path = os.path.join(self.clock.directory.name, f"asked-{daemon}.pcap")
                hosts.capture(path)
                alice, bob = self.meet(hosts)
                (card,) = json.loads(hosts.run(2, ["ip", "-j", "link", "show", "eth0"]))
                mac = bytes.fromhex(card["address"].replace(":", ""))
                # Until the questions of the start are rare.
                deadline = time.monotonic() + 60
                while (asked := self.questions(path, mac, 0)) and time.time() - asked[-1] < 17:
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.1)
                hosts.isolate([1, 2])
                self.clock.set(wall=80, boot=80)
                bob.loses(alice, 40)
                since = time.time() - 1
                deadline = time.monotonic() + 12
                while len(self.questions(path, mac, since)) < 4:
                    self.assertLess(time.monotonic(), deadline, self.questions(path, mac, since))
                    time.sleep(0.1)

    def test_a_wall_clock_that_jumps_by_a_day_breaks_nothing(self):
        for jump in (DAY, -DAY):
            with self.subTest(jump=jump), Hosts(2) as hosts:
                self.clock.set()
                alice, bob = self.meet(hosts)
                all_talk([alice, bob])
                self.clock.set(wall=jump)
                alice.say("after the jump")
                bob.hears("after the jump")
                bob.say("what day is it?")
                said, heard = bob.hears("what day is it?"), alice.hears("what day is it?")
                self.assertAlmostEqual(seconds(said["sentAt"]) - seconds(heard["receivedAt"]), jump, delta=60)
                carol = Node(on(hosts, 1), "carol")
                all_meet([alice, bob, carol])
                alice.say("all here")
                for node in (alice, bob, carol):
                    node.hears("all here")
                self.assertEqual(bob.quit(), 0)

    def talk_in_turn(self, hosts, alice, bob):
        """Sends sixty lines in turn, each after the previous one has arrived; a late joiner must have them in order."""
        lines = [f"line {number}" for number in range(60)]
        for number, line in enumerate(lines):
            author, reader = (alice, bob) if number % 2 == 0 else (bob, alice)
            author.say(line)
            reader.hears(line)
        carol = Node(on(hosts, 3), "carol")
        all_meet([alice, bob, carol])
        for line in lines:
            carol.hears(line)
        self.assertEqual([event["text"] for event in carol.events if event["event"] == "message"], lines)
        for node in (alice, bob, carol):
            kept = [message["text"] for message in node.result("history")["messages"]]
            self.assertEqual(kept, lines, node.name)

    def test_sixty_lines_said_in_turn_are_in_order_for_a_late_joiner(self):
        for ahead in (0, 1.5, -1.5):
            with self.subTest(ahead=ahead), Hosts(3, daemon=False) as hosts:
                self.clock.set(wall=ahead)
                alice = Node(on(hosts, 1), "alice", "--rate", "1000000")
                bob = Node(self.clock.on(hosts, 2), "bob", "--rate", "1000000")
                all_meet([alice, bob])
                self.talk_in_turn(hosts, alice, bob)


if __name__ == "__main__":
    unittest.main()

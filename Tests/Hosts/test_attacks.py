"""Every attack of Scripts/attack for a short time: the node counts its defences, and honest members still chat."""

import contextlib
import json
import sys
import time
import unittest
from pathlib import Path

from earshot_node import Node, all_meet, on
from hosts import Hosts

ATTACKS = Path(__file__).resolve().parents[1] / "Attacks"
sys.path[:0] = [str(ATTACKS), str(ATTACKS.parent / "Interop")]

from catalogue import CATALOGUE, gateway_plan  # noqa: E402
from noise_peer import Room  # noqa: E402

ATTACKER, BYSTANDER, NEWCOMER = 3, 4, 5
TAG = Room("lobby").tag
PATIENCE = 40


class Attacks(unittest.TestCase):
    """Each attack has two nodes of its own, and comes from a host with 62,500 addresses."""

    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.hosts = stack.enter_context(Hosts(4, daemon=False))
        self.hosts.run(ATTACKER, ["ip", "route", "add", "local", "10.78.0.0/16", "dev", "lo"])
        for host in (1, 2):
            self.hosts.run(host, ["ip", "route", "add", "10.78.0.0/16", "via", self.hosts.address(ATTACKER)])

    def meet(self, entry):
        self.alice = Node(on(self.hosts, 1), "honest-1", "--discovery", "embedded", *entry.options)
        self.bob = Node(on(self.hosts, 2), "honest-2", "--discovery", "embedded")
        all_meet([self.alice, self.bob])

    def attack(self, entry):
        like = self.bob.ready()["self"]
        plan = {"victim": self.hosts.address(1), "port": self.alice.ready()["port"], "tag": TAG, "offset": 0,
                "address": self.hosts.address(ATTACKER), "bystander": self.hosts.address(BYSTANDER),
                "likeNumber": like["number"], "likeName": like["nickname"]}
        if entry.options:
            plan |= gateway_plan(self.alice.wait(lambda event: event["event"] == "listening", "its gateway"))
        host = 1 if entry.options else ATTACKER
        process = self.hosts.start(host, [sys.executable, str(ATTACKS / "attacker.py"), entry.name, json.dumps(plan)],
                                   stderr=None)
        self.assertEqual(process.stdout.readline(), "ready\n")
        self.order(process, "on")
        return process

    def order(self, process, word):
        process.stdin.write(word + "\n")
        process.stdin.flush()

    def chat(self, texts):
        for speaker, listener in ((self.alice, self.bob), (self.bob, self.alice)):
            texts.append(f"{speaker.name} says {len(texts)}")
            speaker.say(texts[-1])
            listener.hears(texts[-1])

    def missing(self, entry):
        stats = self.alice.result("stats")
        self.assertLess(stats["connections"], 300)
        return [name for name in entry.counted if not stats[name]]

    def test_a_newcomer_comes_in_within_ten_seconds_while_false_instances_last(self):
        entry = next(entry for entry in CATALOGUE if entry.name == "endless-instances")
        self.meet(entry)
        process, texts = self.attack(entry), []
        deadline = time.monotonic() + PATIENCE
        while self.alice.result("stats")["refused_multicast"] < 400:
            self.assertLess(time.monotonic(), deadline)
            self.chat(texts)
        self.hosts.add(NEWCOMER, daemon=False)
        newcomer = Node(on(self.hosts, NEWCOMER), "newcomer", "--discovery", "embedded")
        newcomer.ready()
        for member in (self.alice, self.bob):
            newcomer.sees(member, 10)
            member.sees(newcomer, 10)
        self.order(process, "end")

    def survive(self, entry):
        self.meet(entry)
        if entry.prepare:
            entry.prepare(self)
        process, texts = self.attack(entry), []
        deadline = time.monotonic() + PATIENCE
        while True:
            self.chat(texts)
            missing = self.missing(entry)
            if not missing and len(texts) >= 6:
                break
            self.assertLess(time.monotonic(), deadline, f"{entry.name}: {missing} did not move")
        if entry.look:
            self.assertLessEqual((entry.wanted or {}).items(), entry.look(self).items())
        self.order(process, "end")
        tally = json.loads(process.stdout.readlines()[-1])
        self.assertEqual(process.wait(10), 0, f"{entry.name} broke off")
        self.assertGreater(sum(tally.values()), 0, f"{entry.name} did nothing")
        if entry.end == "closed":
            self.assertGreater(tally["closed_by_victim"], 0)
        for node, other in ((self.alice, self.bob), (self.bob, self.alice)):
            gone = [event for event in node.events if event["event"] == "peer" and event["state"] == "offline"]
            self.assertNotIn(other.key, [event["who"]["key"] for event in gone], entry.name)

    # The observations that a `look` of the catalogue names.
    @property
    def victim(self):
        return self.alice

    @property
    def members(self):
        return [self.alice, self.bob]

    def say(self, node, line):
        node.say(line)

    def ask(self, node, command):
        node.say("/" + command)
        return node.wait(lambda event: event["event"] in ("result", "error"), f"answer to {command}", from_start=False)


def survival(entry):
    def test(self):
        self.survive(entry)

    test.__doc__ = entry.tried
    return test


for _entry in CATALOGUE:
    setattr(Attacks, "test_" + _entry.name.replace("-", "_"), survival(_entry))


if __name__ == "__main__":
    unittest.main()

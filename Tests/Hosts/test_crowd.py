"""Nodes in a room of six hundred, of which most are announced by a script: how they are listed, asked and found."""

import contextlib
import json
import os
import socket
import sys
import tempfile
import time
import unittest

import announcers
import mdns
import wire
from earshot_node import Node, all_meet, on
from hosts import Hosts

ROOM = "_r" + announcers.LOBBY
DAEMON, CROWD, ASKER, NEWCOMER = 1, 4, 5, 6
NODES = (DAEMON, 2, 3)
# A node is a beacon with a chance of 32 in so many: that all three are is as good as impossible.
SIZE = 600
PATIENCE = 60

# Prints the answers to a one-shot question of each argument: [question, sender, answer in hexadecimal digits].
ASK = r"""
import json, socket, struct, sys
socket.setdefaulttimeout(1)
for label in sys.argv[2:]:
    ear = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    ear.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(sys.argv[1]))
    names = [label, "_sub", "_earshot", "_tcp", "local"]
    asked = b"".join(bytes([len(name)]) + name.encode() for name in names) + b"\0" + struct.pack(">HH", 12, 1)
    ear.sendto(struct.pack(">HHHHHH", 77, 0, 1, 0, 0, 0) + asked, ("224.0.0.251", 5353))
    try:
        while True:
            answer, sender = ear.recvfrom(9000)
            print(json.dumps([label, sender[0], answer.hex()]))
    except TimeoutError:
        pass
"""


class Crowd(unittest.TestCase):
    """A node with the Avahi daemon and two without, in a room that they know to be a crowd."""

    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        cls.addClassCleanup(cls.stack.close)
        cls.hosts = cls.stack.enter_context(Hosts())
        for host in (*NODES, CROWD, ASKER, NEWCOMER):
            cls.hosts.add(host, daemon=host == DAEMON)
        cls.path = os.path.join(cls.stack.enter_context(tempfile.TemporaryDirectory()), "packets")
        capture = cls.hosts.capture(cls.path)
        cls.nodes = [Node(on(cls.hosts, host), f"host-{host}") for host in NODES]
        all_meet(cls.nodes)
        cls.announce(CROWD, "10.77.16.0/20", "10.77.16.1")
        for node in cls.nodes:
            cls.wait(lambda node=node: node.result("stats")["overlay"] == 1, f"crowd at {node.name}")
        cls.wait(cls.withdrawn, "withdrawn record")
        capture.end()

    @classmethod
    def announce(cls, host, network, first):
        """Members at the addresses of a network that all belong to one host."""
        cls.hosts.run(host, ["ip", "route", "add", "local", network, "dev", "eth0"])
        # The kernel has one table of 1,024 neighbours for all network namespaces, and sends nothing while it is full.
        for other in (*NODES, ASKER, NEWCOMER):
            cls.hosts.run(other, ["ip", "route", "add", network, "via", cls.hosts.address(host)])
        script = [sys.executable, announcers.__file__, announcers.LOBBY, first, str(SIZE), "--pace", "200", "--beacons", "32"]
        # Each member has a socket of its own.
        process = cls.hosts.start(host, ["bash", "-c", 'ulimit -Sn hard && exec "$@"', "announcers", *script], stderr=None)
        for line in ("ready\n", "announced\n"):
            if process.stdout.readline() != line:
                raise RuntimeError("the members were not announced")

    @staticmethod
    def wait(holds, what):
        deadline = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > deadline:
                raise AssertionError(f"no {what() if callable(what) else what} within {PATIENCE} s")
            time.sleep(0.2)

    @classmethod
    def said(cls, host):
        """The records of each mDNS response that this host has sent."""
        (card,) = json.loads(cls.hosts.run(host, ["ip", "-j", "link", "show", "eth0"]))
        address = bytes.fromhex(card["address"].replace(":", ""))
        return [records for sender, protocol, data in wire.payloads(cls.path) if protocol == 17 and sender == address
                for is_response, _, records in [mdns.read(data)] if is_response]

    @classmethod
    def withdrawn(cls):
        """The hosts that took their record of the room back."""
        return {host for host in NODES if any(
            record.kind == mdns.PTR and record.ttl == 0 and record.name.split(".")[0] == ROOM
            for records in cls.said(host) for record in records)}

    @classmethod
    def ask(cls, *labels):
        """[(question, address that answered, records)]"""
        output = cls.hosts.run(ASKER, [sys.executable, "-c", ASK, cls.hosts.address(ASKER), *labels], timeout=30)
        return [(label, sender, mdns.read(bytes.fromhex(answer))[2]) for label, sender, answer in map(json.loads, output.splitlines())]

    @classmethod
    def listed(cls):
        """The addresses of real nodes that answer a question for the room."""
        return {sender for _, sender, _ in cls.ask(ROOM)} & {cls.hosts.address(host) for host in NODES}

    def test_a_node_of_a_crowd_withdraws_its_record_of_the_room_and_nothing_else(self):
        for host in NODES:
            for records in self.said(host):
                self.assertFalse([record.name for record in records if record.ttl == 0 and record.kind != mdns.PTR], host)
        self.assertFalse(self.listed() & {self.hosts.address(host) for host in self.withdrawn()})

    def test_each_node_answers_for_the_bucket_of_its_address_and_for_no_other(self):
        for host in NODES:
            address = self.hosts.address(host)
            digit = announcers.bucket(ROOM, address)[0]
            own, other = f"{ROOM}-{digit}", f"{ROOM}-{int(digit, 16) ^ 8:x}"
            answers = []

            def answered(answers=answers, address=address, labels=(own, other)):
                answers.extend((label, records) for label, sender, records in self.ask(*labels) if sender == address)
                return answers

            # A busy host may be late, and a one-shot question is not repeated by itself.
            self.wait(answered, f"answer of host {host}")
            self.assertEqual({label for label, _ in answers}, {own}, host)
            for _, records in answers:
                self.assertLessEqual({mdns.PTR, mdns.SRV, announcers.A}, {record.kind for record in records})
                self.assertIn(socket.inet_aton(address), [record.rest for record in records])

    def test_a_newcomer_finds_the_beacons_and_the_members_of_its_buckets(self):
        node = Node(on(self.hosts, NEWCOMER), "newcomer", "--discovery", "embedded")
        self.addCleanup(node.kill)
        # 32 beacons are not enough for that; 2 of 16 buckets have about 75 members.
        counts = []

        def candidates():
            counts.append(node.result("stats")["candidates"])
            return counts[-1] >= 64

        self.wait(candidates, lambda: f"bucket members, but candidates {counts}")
        stats = node.result("stats")
        self.assertEqual(stats["overlay"], 1)
        self.assertLess(stats["candidates"], SIZE // 2)


if __name__ == "__main__":
    unittest.main()

"""Rooms of twelve hosts on one network, with each family of addresses; rooms of one name with two keys and without one."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Interop"))

import mdns  # noqa: E402
import room_keys  # noqa: E402
import wire  # noqa: E402
from cryptography.exceptions import InvalidTag  # noqa: E402
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey  # noqa: E402
from earshot_node import BINARY, Node, all_meet, all_talk, on  # noqa: E402
from hosts import Hosts  # noqa: E402
from noise_peer import Room, handshake  # noqa: E402

COUNT = 12


class Rooms(unittest.TestCase):
    def room(self, *families, prefix=None, options=lambda host: ()):
        """One node on each of twelve hosts. The hosts take the families in turn, None for both; with `prefix`, each has an
        address of that /64 too. `options` returns a node's options."""
        hosts = Hosts()
        self.addCleanup(hosts.close)
        for host in range(1, COUNT + 1):
            hosts.add(host, daemon=False, family=families[host % len(families)])
            if prefix:
                hosts.run(host, ["ip", "addr", "add", f"{prefix}{host}/64", "dev", "eth0", "nodad"])
        self.began = time.monotonic()
        return [Node(on(hosts, host), f"node-{host}", "--no-control", *options(host)) for host in range(1, COUNT + 1)]

    def meet(self, nodes):
        all_meet(nodes)
        print(f"{len(nodes)} hosts met after {time.monotonic() - self.began:.1f} s", flush=True)

    def talk(self, nodes):
        all_talk(nodes)
        self.assertEqual([node.quit() for node in nodes], [0] * COUNT)

    def test_twelve_hosts_with_ipv4_alone_meet(self):
        nodes = self.room("ipv4")
        self.meet(nodes)
        self.talk(nodes)

    def test_twelve_hosts_with_ipv6_alone_meet(self):
        nodes = self.room("ipv6")
        self.meet(nodes)
        self.talk(nodes)

    def test_twelve_hosts_with_addresses_of_one_ipv6_prefix_meet(self):
        def options(host):
            peers = [word for other in range(1, host) for word in ("--peer", f"[fd77::{other}]:4321")]
            return ["--discovery", "none", "--port", "4321", *peers]

        nodes = self.room("ipv6", prefix="fd77::", options=options)
        self.meet(nodes)
        self.talk(nodes)

    def test_six_hosts_with_ipv6_alone_and_six_with_both_families_meet(self):
        nodes = self.room("ipv6", None)
        self.meet(nodes)
        self.talk(nodes)

    def test_hosts_with_both_families_pass_lines_between_hosts_with_one(self):
        nodes = self.room("ipv4", "ipv6", None)
        self.meet(nodes[1::3] + nodes[2::3])
        self.meet(nodes[0::3] + nodes[1::3])
        self.talk(nodes)


PHRASE = "many moons ago"
SUBTYPE = "._sub._earshot._tcp.local"


def tags(path, mac=None):
    """The tags of rooms that are announced and asked for in a capture, by all machines or one."""
    found = set()
    for sender, protocol, data in wire.payloads(path):
        if protocol == 17 and mac in (None, sender):
            _, asked, records = mdns.read(data)
            names = asked + [record.name for record in records]
            found |= {name.removesuffix(SUBTYPE).removeprefix("_r") for name in names if name.endswith(SUBTYPE)}
    return found


class PrivateRooms(unittest.TestCase):
    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        self.folder = self.stack.enter_context(tempfile.TemporaryDirectory())

    def file(self, name, key):
        path = os.path.join(self.folder, name)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write(key)
        return "--key-file", path

    def new_key(self):
        return subprocess.run([BINARY, "room", "new", "kitchen"], capture_output=True, check=True, text=True).stdout

    def test_only_nodes_with_one_key_meet_and_each_room_has_a_tag_of_its_own(self):
        keys = [self.new_key(), self.new_key()]
        ours, theirs = self.file("ours", keys[0]), self.file("theirs", keys[1])
        hosts = self.stack.enter_context(Hosts(4))
        path = os.path.join(self.folder, "rooms.pcap")
        capture = hosts.capture(path)
        alice, bob, other, opened = nodes = [
            Node(on(hosts, host), f"node-{host}", "--room", "kitchen", *key)
            for host, key in enumerate([ours, ours, theirs, ()], 1)
        ]
        all_meet([alice, bob])
        all_talk([alice, bob])
        for node in (other, opened):
            node.say("is anybody here?")
            node.hears("is anybody here?")
            self.assertEqual(node.result("who")["peers"], [])
            self.assertEqual(node.result("stats")["handshakes_done"], 0)
        for node in (alice, bob):
            self.assertEqual([row["who"]["key"] for row in node.result("who")["peers"]],
                             [other.key for other in (alice, bob) if other is not node])
            self.assertEqual(node.result("stats")["link_handshake_failed"], 0)
        capture.end()
        # A node of another room that knows the address gets no further.
        port = alice.ready()["port"]
        lost = Node(on(hosts, 4), "lost", "--room", "attic", "--peer", f"{hosts.address(1)}:{port}")
        lost.ready()
        self.wait_until(lambda: alice.result("stats")["link_handshake_failed"] > 0)
        self.assertEqual(lost.result("stats")["handshakes_done"], 0)
        for node in [*nodes, lost]:
            self.assertEqual(node.quit(), 0)
        rooms = [room_keys.of_words("kitchen", key).tag for key in keys] + [Room("kitchen").tag]
        self.assertEqual(tags(path), set(rooms))
        self.assertEqual(len(set(rooms)), 3)

    def wait_until(self, condition, seconds=60):
        """Each try waits for an answer of the node."""
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, "it does not come to pass")

    def test_a_recording_tells_the_right_guess_of_a_pass_phrase_and_nothing_of_another(self):
        hosts = self.stack.enter_context(Hosts(2, daemon=False))
        path = os.path.join(self.folder, "guess.pcap")
        capture = hosts.capture(path)
        key = self.file("key", PHRASE + "\n")
        nodes = [Node(on(hosts, host), f"node-{host}", "--room", "kitchen", *key) for host in (1, 2)]
        all_meet(nodes)
        for node in nodes:
            self.assertEqual(node.quit(), 0)
        capture.end()
        (tag,) = tags(path)
        messages = [stream[2:530] for _, stream in wire.streams(path) if len(stream) >= 530]
        found = []
        for guess in ("many moons age", PHRASE, "many moons"):
            room = room_keys.of_phrase("kitchen", guess)
            opened = any(opens(room, message) for message in messages)
            self.assertEqual(room.tag == tag, opened, guess)
            if opened:
                found.append(guess)
        self.assertEqual(found, [PHRASE])
        self.assertNotEqual(tag, Room("kitchen").tag)

    def test_the_doctor_finds_the_nodes_of_a_private_room_with_its_key(self):
        key = self.file("key", self.new_key())
        hosts = self.stack.enter_context(Hosts(2))
        node = Node(on(hosts, 1), "alice", "--room", "kitchen", *key)
        node.ready()
        codes = {}
        for options in ((), key):
            codes[bool(options)] = self.examine(hosts, options)
        self.assertIn("peers", codes[True])
        self.assertIn("empty_room", codes[False])

    def examine(self, hosts, options):
        process = hosts.start(2, [BINARY, "doctor", "--json", "--room", "kitchen", *options],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        output, _ = process.communicate(timeout=20)
        return {json.loads(line).get("code") for line in output.splitlines()}


def opens(room, message):
    try:
        handshake("responder", X25519PrivateKey.generate(), room).read_message(message)
        return True
    except InvalidTag:
        return False


if __name__ == "__main__":
    unittest.main()

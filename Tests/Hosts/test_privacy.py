"""What an observer of the network can read: a capture of everything that the hosts sent."""

import os
import pwd
import re
import socket
import tempfile
import unittest

import wire
from earshot_node import Node, everybody_hears_everybody, everybody_sees_everybody, on
from hosts import Hosts

RECORDS = {530, 1298, 4114}


class Privacy(unittest.TestCase):
    def test_nothing_that_names_anybody_is_on_the_wire_and_records_have_three_lengths(self):
        with Hosts(quiet=True) as hosts, tempfile.TemporaryDirectory() as folder:
            hosts.add(1, quiet=True)
            hosts.add(2, daemon=False)
            path = os.path.join(folder, "everything.pcap")
            capture = hosts.capture(path)
            keys = self.talk(hosts)
            capture.end()
            with open(path, "rb") as file:
                everything = file.read()
            streams = [stream for _, stream in wire.streams(path) if len(stream) > 2]
        self.assert_absent(everything, hosts, keys)
        self.assertGreaterEqual(len(streams), 2, "both directions of a link")
        lengths = [length for stream in streams for length in wire.record_lengths(stream)]
        self.assertEqual(set(lengths), RECORDS)
        for stream in streams:
            self.assertEqual(sum(wire.record_lengths(stream)), len(stream), "bytes that are no record")

    def test_two_runs_of_one_identity_have_nothing_in_common_on_the_wire(self):
        with tempfile.TemporaryDirectory() as folder:
            (names, pieces), (later_names, later_pieces) = (self.run_of(os.path.join(folder, "me"), run) for run in (1, 2))
        self.assertGreaterEqual(len(names), 4, "two names of each node")
        self.assertEqual(names & later_names, set())
        self.assertGreater(len(pieces), 1_000)
        self.assertEqual(pieces & later_pieces, set())

    def run_of(self, identity, run):
        """The random names that mDNS told, and every 16 bytes of what went over TCP, in one run of an identity."""
        with Hosts(2, daemon=False) as hosts, tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, f"{run}.pcap")
            capture = hosts.capture(path)
            alice = Node(on(hosts, 1), "alice", "--identity", identity)
            bob = Node(on(hosts, 2), "bob")
            everybody_sees_everybody([alice, bob])
            everybody_hears_everybody([alice, bob])
            for node in (alice, bob):
                self.assertEqual(node.quit(), 0)
            capture.end()
            with open(path, "rb") as file:
                names = set(re.findall(rb"\x1a([a-z2-7]{26})", file.read()))
            streams = [stream for _, stream in wire.streams(path)]
        return names, {stream[start:start + 16] for stream in streams for start in range(len(stream) - 15)}

    def talk(self, hosts):
        """Two nodes meet, say texts of every length, and leave; their keys."""
        alice, bob = nodes = [Node(on(hosts, host), f"nickname-{host}") for host in (1, 2)]
        everybody_sees_everybody(nodes)
        everybody_hears_everybody(nodes)
        for text in ("x" * 240, "안" * 240, "नि" * 240):
            alice.say(text)
            bob.hears(text)
        keys = [node.key for node in nodes]
        for node in nodes:
            self.assertEqual(node.quit(), 0)
        return keys

    def assert_absent(self, everything, hosts, keys):
        # The control: what must be there is found the same way.
        self.assertIn(b"_earshot", everything)
        secrets = {"a text": "hello from", "a long text": "xxxxxxxxxxxxxxxx", "a Korean text": "안안안안"}
        names = {"the user name": pwd.getpwuid(os.getuid()).pw_name, "this machine's name": socket.gethostname()}
        # Two or three letters stand in any ciphertext by chance.
        secrets |= {what: name for what, name in names.items() if len(name) >= 4}
        for host in (1, 2):
            secrets[f"nickname {host}"] = f"nickname-{host}"
            secrets[f"the name of host {host}"] = hosts.host_name(host)
        for what, text in secrets.items():
            self.assertNotIn(text.encode(), everything, what)
        for key in keys:
            self.assertNotIn(bytes.fromhex(key), everything, "a key")
            self.assertNotIn(key.encode(), everything, "a key in hexadecimal")


if __name__ == "__main__":
    unittest.main()

"""The data that an observer of the network can read, in a capture of every packet of the hosts."""

import ipaddress
import json
import os
import pwd
import socket
import tempfile
import unittest

import mdns
import wire
from earshot_node import Node, all_talk, all_meet, on
from hosts import Hosts

RECORDS = {530, 1298, 4114}
# In bytes. Any two captures share shorter pieces by chance.
TOKEN = 6


class Privacy(unittest.TestCase):
    def test_no_name_of_a_host_or_a_user_is_on_the_wire_and_records_have_three_lengths(self):
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

    def test_two_runs_of_one_user_have_nothing_in_common_on_the_wire_but_addresses(self):
        for daemon in (True, False):
            with self.subTest(daemon=daemon), Hosts() as hosts, tempfile.TemporaryDirectory() as folder:
                for host in (1, 2, 3):
                    hosts.add(host, daemon=daemon, quiet=True)
                before = os.path.join(folder, "before.pcap")
                capture = hosts.capture(before)
                alice, carol = others = [Node(on(hosts, host), f"nickname-{host}") for host in (1, 3)]
                all_meet(others)
                all_talk(others)
                capture.end(settle=1.5)
                identity = os.path.join(folder, "bob")
                paths = [os.path.join(folder, f"{run}.pcap") for run in range(2)]
                keys = [self.run_of_bob(hosts, path, identity, alice, carol) for path in paths]
                self.assertEqual(keys[0], keys[1], "the same user")
                addresses = self.addresses(hosts, 2)
                macs = [self.mac(hosts, host) for host in (1, 2, 3)]
                runs = [self.tokens(path, {macs[1]}) - addresses for path in paths]
                # Packets of other machines before it do not identify the node.
                everybodys = self.tokens(before, {macs[0], macs[2]})
                self.assertEqual((runs[0] & runs[1]) - everybodys, set())
                # As a control, the pieces include those that one run sends repeatedly.
                self.assertIn(mdns.services(paths[0], macs[1])[0][0].encode(), runs[0] - everybodys)

    def test_nothing_is_sent_on_an_interface_that_the_daemon_may_not_use(self):
        with Hosts(2) as hosts, tempfile.TemporaryDirectory() as folder:
            for host in (1, 2):
                hosts.second_card(host)
            hosts.configure_daemon(1, "[server]\n# Not for guests.\ndeny-interfaces=docker0, eth1\n")
            path = os.path.join(folder, "other.pcap")
            capture = hosts.capture(path, "net2")
            nodes = [Node(on(hosts, host), f"node-{host}", "--discovery", "daemon") for host in (1, 2)]
            all_meet(nodes)
            all_talk(nodes)
            for node in nodes:
                self.assertEqual(node.quit(), 0)
            capture.end()
            senders = {sender for sender, protocol, _ in wire.payloads(path) if protocol == 17}
            self.assertNotIn(self.mac(hosts, 1, "eth1"), senders)
            # As a control, a node that may use the interface sends.
            self.assertIn(self.mac(hosts, 2, "eth1"), senders)

    def run_of_bob(self, hosts, path, identity, *others):
        """Bob joins, sends a line and leaves; bob's key."""
        capture = hosts.capture(path)
        bob = Node(on(hosts, 2), "quiet-otter", "--identity", identity)
        for other in others:
            bob.sees(other)
        bob.say("the same words each time")
        for other in others:
            # The second run sends the line a second time.
            other.wait(lambda event: event["event"] == "message" and event["text"] == "the same words each time",
                       "words", from_start=False)
        key = bob.key
        self.assertEqual(bob.quit(), 0)
        # A daemon keeps a withdrawn name for one more second, and answers queries with it.
        capture.end(settle=1.5)
        return key

    def tokens(self, path, macs):
        """The pieces that machines sent: parts of mDNS messages with at least 6 bytes, and every 6 bytes of TCP segments."""
        found = set()
        for sender, protocol, data in wire.payloads(path):
            if sender in macs and protocol == 17:
                found.update(word for word in mdns.words(data) if len(word) >= TOKEN)
            elif sender in macs:
                found.update(data[start:start + TOKEN] for start in range(len(data) - TOKEN + 1))
        return found

    def mac(self, hosts, host, card="eth0"):
        (link,) = json.loads(hosts.run(host, ["ip", "-j", "link", "show", card]))
        return bytes.fromhex(link["address"].replace(":", ""))

    def addresses(self, hosts, host):
        """The addresses and the port of a machine, in the form of DNS records."""
        told = json.loads(hosts.run(host, ["ip", "-j", "addr", "show", "eth0"]))[0]["addr_info"]
        return {ipaddress.ip_address(entry["local"]).packed for entry in told}

    def talk(self, hosts):
        """Two nodes meet, send texts of every length, and leave; their keys."""
        alice, bob = nodes = [Node(on(hosts, host), f"nickname-{host}") for host in (1, 2)]
        all_meet(nodes)
        all_talk(nodes)
        for text in ("x" * 240, "안" * 240, "नि" * 240):
            alice.say(text)
            bob.hears(text)
        keys = [node.key for node in nodes]
        for node in nodes:
            self.assertEqual(node.quit(), 0)
        return keys

    def assert_absent(self, everything, hosts, keys):
        # As a control, the search finds a text that must be there.
        self.assertIn(b"_earshot", everything)
        secrets = {"a text": "hello from", "a long text": "xxxxxxxxxxxxxxxx", "a Korean text": "안안안안"}
        names = {"the user name": pwd.getpwuid(os.getuid()).pw_name, "this machine's name": socket.gethostname()}
        # Any ciphertext contains two or three letters by chance.
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

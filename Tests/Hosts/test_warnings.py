"""Warnings to the user of a network, a daemon or a named peer that can not be used."""

import os
import subprocess
import tempfile
import time
import unittest

from earshot_node import BINARY, Node, all_meet, on
from hosts import Hosts


class Warnings(unittest.TestCase):
    def warned(self, node, code, count=1):
        """The texts of the warnings with this code, at least `count`."""
        def codes():
            return [event["message"] for event in node.events if event["event"] == "notice" and event["code"] == code]

        node.ready()
        node.wait(lambda event: len(codes()) >= count, f"{count} times {code}", from_start=bool(node.events))
        return codes()

    def test_a_daemon_that_no_bus_leads_to_is_a_failure(self):
        with Hosts(1, daemon=False) as hosts:
            for options in ((), ("--log-level", "error")):
                alice = Node(on(hosts, 1), "alice", "--discovery", "daemon", *options)
                self.assertEqual(alice.process.wait(20), 1)
                line = alice.errors.next(alice.started + 20)[1]
                self.assertEqual(line, "earshot: no Avahi daemon can be used: there is no system bus (D-Bus); "
                                       "start one, or choose another way with --discovery")
                self.assertIsNone(alice.lines.next(alice.started + 20))

    def test_a_daemon_that_is_absent_is_waited_for_with_a_warning(self):
        with Hosts(2) as hosts:
            hosts.kill_daemon(1)
            alice = Node(on(hosts, 1), "alice", "--discovery", "daemon")
            self.assertEqual(self.warned(alice, "discovery_lost"),
                             ["no peer can be found yet: waiting for the Avahi daemon: no Avahi daemon runs"])
            self.assertEqual(alice.events[0]["event"], "ready")
            hosts.start_daemon(1)
            alice.uses_discovery("daemon")
            bob = Node(on(hosts, 2), "bob")
            all_meet([alice, bob])
            hosts.kill_bus(1)
            alice.uses_discovery("none")
            self.assertEqual(alice.quit(), 0)

    def test_no_interface_is_a_warning_each_time_that_the_last_one_goes(self):
        with Hosts(1, daemon=False) as hosts:
            hosts.link_down(1)
            alice = Node(on(hosts, 1), "alice")
            text = "no network interface leads to other machines: only nodes on this machine are found; earshot doctor says why"
            self.assertEqual(self.warned(alice, "no_interface"), [text])
            self.assertEqual(alice.events[0]["event"], "ready")
            hosts.link_up(1)
            # A peer that is met shows that the interface is in use again.
            hosts.add(2, daemon=False)
            bob = Node(on(hosts, 2), "bob")
            all_meet([alice, bob])
            self.assertEqual(self.warned(alice, "no_interface"), [text])
            hosts.link_down(1)
            self.assertEqual(self.warned(alice, "no_interface", 2), [text] * 2)
            self.assertFalse([event for event in bob.events if event["event"] == "notice"])

    def test_where_nodes_of_this_machine_are_found_the_warning_says_so(self):
        with Hosts(daemon=False) as hosts:
            hosts.add(1, card=False, daemon=False)
            alice, bob = Node(on(hosts, 1), "alice"), Node(on(hosts, 1), "bob")
            all_meet([alice, bob])
            text, = self.warned(alice, "no_interface")
            self.assertNotIn("no peer is found", text)
            hosts.add(2, daemon=False)
            hosts.link_down(2)
            nothing = Node(on(hosts, 2), "nothing", "--interface", "eth0")
            self.assertEqual(self.warned(nothing, "no_interface"),
                             ["no network interface can be used, so no peer is found; earshot doctor says why"])

    def test_loopback_that_was_chosen_is_no_reason_to_warn(self):
        with Hosts(daemon=False) as hosts:
            hosts.add(1, card=False, daemon=False)
            alice = Node(on(hosts, 1), "alice", "--interface", "lo")
            bob = Node(on(hosts, 1), "bob", "--interface", "lo")
            all_meet([alice, bob])
            self.assertFalse([event for event in alice.events if event["event"] == "notice"])
            plain = Node(on(hosts, 1), "plain", json_mode=False)
            self.assertIn("earshot doctor", plain.errors.next(plain.started + 20)[1])
            self.assertEqual(plain.quit(), 0)

    def test_a_named_peer_without_a_route_is_a_warning_once(self):
        with Hosts(1, daemon=False) as hosts:
            alice = Node(on(hosts, 1), "alice", "--discovery", "none", "--peer", "192.0.2.7:4000", "--peer", "nowhere.test:1")
            texts = self.warned(alice, "peer_unreachable", 2)
            self.assertEqual(alice.events[0]["event"], "ready")
            route = "peer 192.0.2.7:4000 can not be reached: there is no route to it; earshot keeps trying"
            self.assertEqual(texts.count(route), 1)
            self.assertRegex(" ".join(texts), r"peer nowhere\.test:1 can not be reached: [a-z]")
            deadline = time.monotonic() + 30
            while alice.result("stats")["dials_failed"] < 3:
                self.assertLess(time.monotonic(), deadline)
            self.assertEqual(len(self.warned(alice, "peer_unreachable", 2)), 2)
            self.assertEqual(alice.quit(), 0)

    def test_a_named_peer_at_a_wrong_port_or_without_its_interface_is_a_warning_once(self):
        listener = ("import socket; s = socket.create_server(('', 4010)); print('x', flush=True)\n"
                    "while True: c = s.accept()[0]; c.sendall(b'SSH-2.0-x\\r\\n'); c.close()")
        with Hosts(2, daemon=False) as hosts:
            self.assertEqual(hosts.start(2, ["python3", "-c", listener]).stdout.readline(), "x\n")
            bob = Node(on(hosts, 2), "bob", "--discovery", "none", "--port", "4011")
            bob.ready()
            other = hosts.address(2)
            named = [f"{other}:4009", f"{other}:4010", f"{other}:4011", "[fe80::1]:4012"]
            alice = Node(on(hosts, 1), "alice", "--discovery", "none", *[word for peer in named for word in ("--peer", peer)])
            all_meet([alice, bob])
            texts = self.warned(alice, "peer_unreachable", 3)
            deadline = time.monotonic() + 40
            # Those of the port where nothing listens; the other program takes the connection first.
            while alice.result("stats")["dials_failed"] < 4:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.5)  # The dials are the node's own; there is no event of one that fails again.
            self.assertEqual(sorted(self.warned(alice, "peer_unreachable", 3)), sorted(texts))
            self.assertEqual(sorted(texts), sorted([
                f"peer {other}:4009 can not be reached: no program listens at that port; earshot keeps trying",
                f"peer {other}:4010 is no other node of this room: another program answers, or a node of another room or key; "
                "earshot keeps trying",
                "peer [fe80::1]:4012 can not be reached: an address of fe80::/10 needs its interface, as in "
                "[fe80::1%eth0]:4000; earshot keeps trying"]))
            self.assertEqual(bob.quit(), 0)
            alice.loses(bob)
            self.assertEqual(len(self.warned(alice, "peer_unreachable", 3)), 3)

    def test_a_private_room_that_no_other_node_has_says_so(self):
        with Hosts(2, daemon=False) as hosts:
            with tempfile.TemporaryDirectory() as folder:
                keys = []
                for number in (1, 2):
                    keys.append(os.path.join(folder, f"key{number}"))
                    with open(keys[-1], "w") as file:
                        os.fchmod(file.fileno(), 0o600)
                        file.write(subprocess.run([BINARY, "room", "new", "attic"], capture_output=True, text=True, check=True).stdout)
                room = ["--room", "attic", "--key-file"]
                alice, bob = [Node(on(hosts, host), name, *room, keys[0]) for host, name in ((1, "alice"), (2, "bob"))]
                stranger = Node(on(hosts, 2), "stranger", *room, keys[1])
                all_meet([alice, bob])
                self.assertEqual(self.warned(stranger, "room_unanswered"), [
                    "no other node here has the name and the key of the room attic; if you expect one, compare both with it"])
                self.assertFalse([e for node in (alice, bob) for e in node.events if e.get("code") == "room_unanswered"])


if __name__ == "__main__":
    unittest.main()

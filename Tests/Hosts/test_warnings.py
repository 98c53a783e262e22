"""Warnings to the user of a network, a daemon or a named peer that can not be used."""

import time
import unittest

from earshot_node import Node, all_meet, on
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
            text = "no network interface leads to other machines, so no peer is found; earshot doctor says why"
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


if __name__ == "__main__":
    unittest.main()

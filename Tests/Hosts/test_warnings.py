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

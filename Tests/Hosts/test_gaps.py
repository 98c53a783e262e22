"""Rooms whose nodes can not all reach each other: no multicast, `--peer` to the middle, and firewalls between the others."""

import time
import unittest

from earshot_node import Node, all_meet, on
from hosts import Hosts

PORT = "4321"
MIDDLE, LEFT, RIGHT = 1, 2, 3


class Gaps(unittest.TestCase):
    def setUp(self):
        self.hosts = Hosts()
        self.addCleanup(self.hosts.close)
        for host in (MIDDLE, LEFT, RIGHT):
            self.hosts.add(host, daemon=False)
            self.filter(host, "udp dport 5353 drop")

    def filter(self, host, rule):
        """The firewall of a host: what comes in on its card."""
        self.hosts.run(host, ["/usr/sbin/nft", "add table inet t; add chain inet t c { type filter hook input priority 0; }; "
                                               f"add rule inet t c iif != lo {rule}"])

    def refuse(self, host, other):
        """The firewall of a host drops the connections that another one begins, by each of its addresses."""
        address = self.hosts.address(other)
        self.filter(host, f"ip saddr {address} tcp flags & (syn|ack) == syn drop")
        self.filter(host, "ip6 saddr fe80::/10 tcp flags & (syn|ack) == syn drop")

    def meet(self):
        to_middle = ("--no-control", "--peer", f"{self.hosts.address(MIDDLE)}:{PORT}")
        middle = Node(on(self.hosts, MIDDLE), "middle", "--no-control", "--port", PORT)
        middle.ready()
        nodes = [middle, *(Node(on(self.hosts, host), name, *to_middle) for host, name in ((LEFT, "left"), (RIGHT, "right")))]
        all_meet(nodes)
        return nodes

    def links(self, node, other):
        """Whether a node has a link with another: the round trip of one without is not known."""
        people = node.result("who")["peers"]
        return any(person["who"]["key"] == other.key and person["roundTripMs"] is not None for person in people)

    def wait_for_link(self, node, other, timeout=20):
        deadline = time.monotonic() + timeout
        while not self.links(node, other):
            self.assertLess(time.monotonic(), deadline, f"{node.name} has no link with {other.name}")
            time.sleep(0.5)

    def talk(self, nodes, rounds=3):
        """Each node hears each other live and in order."""
        texts = [f"{number} of {node.name}" for number in range(rounds) for node in nodes]
        for number in range(rounds):
            for node in nodes:
                node.say(f"{number} of {node.name}")
                for other in nodes:
                    other.hears(f"{number} of {node.name}")
        for node in nodes:
            shown = [event for event in node.events if event["event"] == "message" and event["text"] in texts]
            self.assertEqual([event["text"] for event in shown], texts)
            self.assertEqual([event["text"] for event in shown if event["history"]], [])

    def converse(self, one, other):
        """A request, its acceptance and an answer."""
        one.say(f"/msg {other.number} may I?")
        other.wait(lambda e: e["event"] == "request" and e["text"] == "may I?", "request")
        other.say(f"/accept {one.number}")
        other.say(f"/msg {one.number} of course")
        one.hears("of course")

    def leave(self, nodes):
        self.assertEqual([node.quit() for node in nodes], [0] * len(nodes))

    def test_nodes_that_know_the_middle_alone_dial_each_other(self):
        middle, left, right = nodes = self.meet()
        self.wait_for_link(left, right)
        self.talk(nodes)
        self.converse(left, right)
        # The others go on.
        self.assertEqual(middle.quit(), 0)
        left.loses(middle)
        self.talk([left, right], 2)
        self.leave([left, right])

    def test_a_firewall_in_one_direction_does_not_part_two_nodes(self):
        self.refuse(RIGHT, LEFT)
        _, left, right = nodes = self.meet()
        self.wait_for_link(left, right)
        self.talk(nodes)
        self.leave(nodes)

    def test_firewalls_in_both_directions_are_passed_by_way_of_the_middle(self):
        self.refuse(RIGHT, LEFT)
        self.refuse(LEFT, RIGHT)
        middle, left, right = nodes = self.meet()
        self.talk(nodes)
        self.converse(left, right)
        self.talk(nodes[1:], 2)
        self.assertFalse(self.links(left, right))
        # A node that leaves is reported by way of the middle.
        self.assertEqual(right.quit(), 0)
        left.loses(right)
        self.leave([middle, left])


if __name__ == "__main__":
    unittest.main()

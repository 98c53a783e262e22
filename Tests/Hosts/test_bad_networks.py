"""Chatting over networks that lose, delay and reorder, that are slow, and that change under the nodes.

Every member within reach receives each line that a node has accepted from its user, and shows it once.
"""

import collections
import time
import unittest

from hosts import Hosts

from earshot_node import all_meet, on
from faults import Measured, Node

COUNT = 20
PATIENCE = 60


class BadNetworks(Measured):
    def meet(self, hosts, count, *options):
        nodes = [Node(on(hosts, host), f"node{host}", *options) for host in range(1, count + 1)]
        all_meet(nodes, PATIENCE)
        return nodes

    def talk(self, nodes, word="line", count=COUNT):
        """Each node sends `count` lines; all nodes receive all of them, each once."""
        for number in range(count):
            for node in nodes:
                node.say(f"{word} {number} of {node.name}")
        for node in nodes:
            for other in nodes:
                for number in range(count):
                    node.hears(f"{word} {number} of {other.name}", PATIENCE)
        for node in nodes:
            self.shows_nothing_twice(node)

    def shows_nothing_twice(self, node):
        node.result("who")
        shown = collections.Counter(event["id"] for event in node.events if event["event"] == "message")
        self.assertEqual({key: count for key, count in shown.items() if count > 1}, {}, f"{node.name} shows twice")
        self.assertEqual([event for event in node.events if event["event"] == "error"], [])

    def over(self, count=COUNT, **faults):
        """Runs three hosts, one of them behind a cable with these faults; the report of the cable."""
        with Hosts(3) as hosts:
            cable = hosts.cable(3, seed=1, **faults)
            nodes = self.meet(hosts, 3, "--rate", "1000000")
            self.talk(nodes, count=count)
            for node in nodes:
                self.assertEqual([e for e in node.events if e["event"] == "peer" and e["state"] == "offline"], [])
            passed, _, dropped, _ = hosts.mend(3, cable).replace(",", "").split()
            self.remark(f"{dropped} of {int(passed) + int(dropped)} packets dropped")
            return int(passed), int(dropped)

    def test_1_percent_is_lost(self):
        self.assertGreater(self.over(count=100, loss=1)[1], 0)

    def test_5_percent_are_lost(self):
        self.assertGreater(self.over(loss=5)[1], 0)

    def test_20_percent_are_lost(self):
        self.assertGreater(self.over(loss=20)[1], 0)

    def test_20_ms_with_jitter(self):
        self.over(delay=20, jitter=10)

    def test_200_ms_with_jitter(self):
        self.over(delay=200, jitter=80)

    def test_a_tenth_is_out_of_order(self):
        self.over(delay=30, reorder=10)

    def test_64_kbit_per_second(self):
        self.over(rate=64_000)

    def test_all_of_it_at_once(self):
        self.over(loss=5, delay=100, jitter=50, reorder=5, rate=512_000)

    def test_without_multicast_a_given_address_will_do(self):
        with Hosts(2) as hosts:
            hosts.cable(2, no_multicast=True)
            alice = Node(on(hosts, 1), "alice", "--port", "4321")
            alice.ready()
            bob = Node(on(hosts, 2), "bob", "--peer", f"{hosts.address(1)}:4321")
            all_meet([alice, bob])
            self.talk([alice, bob], count=3)

    def test_isolated_hosts_hear_each_other_through_one_that_is_not(self):
        with Hosts(3) as hosts:
            hosts.isolate([1, 2])
            alice, bob, carol = (Node(on(hosts, host), name) for host, name in ((1, "alice"), (2, "bob"), (3, "carol")))
            for node in (alice, bob):
                all_meet([node, carol])
            alice.say("around the corner")
            bob.hears("around the corner", PATIENCE)
            self.assertFalse(any(e["event"] == "peer" and e["who"]["key"] == alice.key for e in bob.events))
            self.shows_nothing_twice(bob)

    def test_an_interface_comes_back_with_another_address(self):
        with Hosts(2) as hosts:
            alice, bob = self.meet(hosts, 2)
            hosts.run(2, ["ip", "link", "set", "eth0", "down"])
            hosts.run(2, ["ip", "addr", "flush", "dev", "eth0"])
            alice.say("said meanwhile")
            hosts.run(2, ["ip", "addr", "add", "10.77.0.200/16", "dev", "eth0"])
            hosts.run(2, ["ip", "link", "set", "eth0", "up"])
            bob.hears("said meanwhile", PATIENCE)
            self.talk([alice, bob], "again", 5)

    def test_two_interfaces_to_one_neighbour_are_one_peer(self):
        with Hosts(2) as hosts:
            for host in (1, 2):
                hosts.second_card(host)
            alice, bob = self.meet(hosts, 2)
            self.talk([alice, bob], count=5)
            hosts.run(2, ["ip", "link", "set", "eth0", "down"])
            alice.say("over the other one")
            bob.hears("over the other one", PATIENCE)
            self.shows_nothing_twice(bob)
            self.assertEqual(len(alice.result("who")["peers"]), 1)

    def test_ipv4_only_with_ipv6_too(self):
        with Hosts(2) as hosts:
            hosts.run(1, ["sysctl", "-qw", "net.ipv6.conf.eth0.disable_ipv6=1"])
            self.talk(self.meet(hosts, 2), count=3)

    def test_ipv6_only_with_ipv4_too(self):
        with Hosts(2) as hosts:
            hosts.run(1, ["ip", "-4", "addr", "flush", "dev", "eth0"])
            self.talk(self.meet(hosts, 2), count=3)

    def test_ipv4_only_and_ipv6_only_meet_through_one_that_has_both(self):
        with Hosts(3) as hosts:
            hosts.run(1, ["sysctl", "-qw", "net.ipv6.conf.eth0.disable_ipv6=1"])
            hosts.run(2, ["ip", "-4", "addr", "flush", "dev", "eth0"])
            alice, bob, carol = (Node(on(hosts, host), name) for host, name in ((1, "alice"), (2, "bob"), (3, "carol")))
            for node in (alice, bob):
                all_meet([node, carol])
            alice.say("from IPv4")
            bob.hears("from IPv4", PATIENCE)
            bob.say("from IPv6")
            alice.hears("from IPv6", PATIENCE)

    def test_parted_rooms_go_on_and_agree_when_they_meet_again(self):
        with Hosts(4) as hosts:
            nodes = self.meet(hosts, 4)
            hosts.partition([3, 4])
            for number in range(5):
                for node in nodes:
                    node.say(f"apart {number} of {node.name}")
            nodes[0].hears("apart 4 of node2")
            nodes[2].hears("apart 4 of node4")
            hosts.heal()
            for node in nodes:
                for other in nodes:
                    for number in range(5):
                        node.hears(f"apart {number} of {other.name}", PATIENCE)
                self.shows_nothing_twice(node)

    def test_ghosts_are_gone_within_80_s(self):
        with Hosts(2) as hosts:
            alice, bob = self.meet(hosts, 2)
            # No FIN, no RST and no goodbye is sent.
            hosts.link_down(2)
            cut = time.monotonic()
            alice.loses(bob, 80)
            self.remark(f"told after {time.monotonic() - cut:.0f} s")


if __name__ == "__main__":
    unittest.main()

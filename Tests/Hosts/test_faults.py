"""Nodes whose program, daemon or cable fails."""

import signal
import unittest

from hosts import Hosts

from earshot_node import all_talk, all_meet, on
from faults import Measured, Node


class Faults(Measured):
    def test_a_killed_node_is_gone_and_returns_with_a_new_key(self):
        with Hosts(2) as hosts:
            alice, bob = Node(on(hosts, 1), "alice"), Node(on(hosts, 2), "bob")
            all_meet([alice, bob])
            old_key = bob.key
            bob.kill()
            # A peer whose network failed is missed after 10 s.
            alice.loses(bob, timeout=8)
            again = Node(on(hosts, 2), "bob")
            all_meet([alice, again])
            self.assertNotEqual(again.key, old_key)
            all_talk([alice, again])

    def test_a_node_that_is_killed_with_unread_bytes_is_gone_as_soon(self):
        with Hosts(2) as hosts:
            alice, bob = Node(on(hosts, 1), "alice"), Node(on(hosts, 2), "bob")
            all_meet([alice, bob])
            bob.process.send_signal(signal.SIGSTOP)
            alice.say("not read any more")
            alice.hears("not read any more")
            # Its system resets the connection.
            bob.kill()
            alice.loses(bob, timeout=8)

    def test_after_a_restart_of_the_daemon_newcomers_are_found_again(self):
        with Hosts(3) as hosts:
            alice, bob = Node(on(hosts, 1), "alice"), Node(on(hosts, 2), "bob")
            all_meet([alice, bob])
            hosts.kill_daemon(1)
            alice.say("still linked")
            bob.hears("still linked")
            hosts.start_daemon(1)
            carol = Node(on(hosts, 3), "carol")
            all_meet([alice, bob, carol])
            all_talk([alice, bob, carol])

    def test_after_a_restart_of_the_bus_newcomers_are_found_again(self):
        with Hosts(3) as hosts:
            alice, bob = Node(on(hosts, 1), "alice"), Node(on(hosts, 2), "bob")
            all_meet([alice, bob])
            hosts.kill_bus(1)
            alice.uses_discovery("embedded")
            hosts.start_bus(1)
            hosts.start_daemon(1)
            carol = Node(on(hosts, 3), "carol")
            all_meet([alice, bob, carol])
            all_talk([alice, bob, carol])

    def test_a_daemon_that_hangs_delays_no_newcomer(self):
        with Hosts(3) as hosts:
            alice, bob = Node(on(hosts, 1), "alice"), Node(on(hosts, 2), "bob")
            all_meet([alice, bob])
            hosts.stop_daemon(1)
            all_talk([alice, bob])
            alice.uses_discovery("embedded")
            carol = Node(on(hosts, 3), "carol")
            all_meet([alice, bob, carol])
            hosts.continue_daemon(1)
            self.assertEqual(alice.quit(), 0)

    def test_hosts_that_were_apart_find_each_other_again(self):
        with Hosts(3) as hosts:
            alice, bob = Node(on(hosts, 1), "alice"), Node(on(hosts, 2), "bob")
            all_meet([alice, bob])
            hosts.partition([2])
            alice.say("is anybody there?")
            carol = Node(on(hosts, 3), "carol")
            all_meet([alice, carol])
            hosts.heal()
            bob.hears("is anybody there?", timeout=40)
            all_meet([alice, bob, carol], timeout=40)

    def test_a_daemon_that_dies_for_good_is_replaced(self):
        with Hosts(2) as hosts:
            alice = Node(on(hosts, 1), "alice")
            alice.uses_discovery("daemon")
            hosts.kill_daemon(1)
            alice.uses_discovery("embedded")
            bob = Node(on(hosts, 2), "bob")
            all_meet([alice, bob])

    def test_a_daemon_that_appears_later_is_taken_up(self):
        with Hosts() as hosts:
            hosts.add(1, daemon=False)
            hosts.add(2)
            alice = Node(on(hosts, 1), "alice")
            alice.uses_discovery("embedded")
            hosts.start_bus(1)
            hosts.start_daemon(1)
            alice.uses_discovery("daemon")
            bob = Node(on(hosts, 2), "bob")
            all_meet([alice, bob])

    def test_where_a_family_can_not_be_listened_to_peers_are_found_by_the_other(self):
        with Hosts(2, daemon=False) as hosts:
            hosts.keep_mdns_port(1)
            # Bob can not dial alice, so alice has to find bob.
            hosts.run(1, ["/usr/sbin/nft", "add table inet t; add chain inet t c { type filter hook input priority 0; }; "
                                           "add rule inet t c iif != lo ct state new meta l4proto tcp drop"])
            alice, bob = Node(on(hosts, 1), "alice"), Node(on(hosts, 2), "bob")
            all_meet([alice, bob])
            all_talk([alice, bob])

    def test_a_pulled_cable_is_forgiven(self):
        with Hosts(2) as hosts:
            alice, bob = Node(on(hosts, 1), "alice"), Node(on(hosts, 2), "bob")
            all_meet([alice, bob])
            hosts.link_down(2)
            alice.say("into the void")
            hosts.link_up(2)
            bob.hears("into the void", timeout=40)
            all_talk([alice, bob])


if __name__ == "__main__":
    unittest.main()

"""Nodes on hosts of their own find each other by real mDNS and talk."""

import unittest

from earshot_node import Node, all_talk, all_meet, on
from hosts import Hosts


class Meeting(unittest.TestCase):
    def leave(self, nodes):
        for node in nodes:
            self.assertEqual(node.quit(), 0, node.name)

    def test_five_hosts_with_a_daemon_each_hear_every_public_line(self):
        with Hosts(5) as hosts:
            nodes = [Node(on(hosts, host), f"json-{host}", "--discovery", "daemon") for host in range(1, 6)]
            all_meet(nodes)
            for node in nodes:
                node.uses_discovery("daemon")
            all_talk(nodes)
            self.leave(nodes)

    def test_five_hosts_in_plain_mode_hear_every_public_line(self):
        with Hosts(5) as hosts:
            names = [f"plain-{host}" for host in range(1, 6)]
            nodes = [Node(on(hosts, host), name, json_mode=False) for host, name in enumerate(names, 1)]
            for node in nodes:
                for other in names:
                    if other != node.name:
                        node.wait_line(f"* {other}#")
            for node in nodes:
                node.say(f"hello from {node.name}")
            for node in nodes:
                for other in names:
                    self.assertRegex(node.wait_line(f"hello from {other}"), r"^\d\d:\d\d:\d\d <" + other + r"#\d{4}(-\d{4})?> ")
            self.leave(nodes)

    def test_hosts_with_ipv4_of_two_networks_on_one_wire_meet_by_the_addresses_that_the_kernel_gives(self):
        for daemon in (False, True):
            with self.subTest(daemon=daemon), Hosts(daemon=daemon) as hosts:
                for host in (1, 2, 3):
                    hosts.add(host, daemon=daemon, eui64=True)
                hosts.run(2, ["ip", "addr", "del", f"{hosts.address(2)}/16", "dev", "eth0"])
                hosts.run(2, ["ip", "addr", "add", "10.88.0.2/16", "dev", "eth0"])
                nodes = [Node(on(hosts, host), f"eui-{host}") for host in (1, 2)]
                all_meet(nodes)
                # One that comes later hears no announcement, but answers.
                nodes.append(Node(on(hosts, 3), "eui-3"))
                all_meet(nodes)
                all_talk(nodes)
                self.leave(nodes)

    def test_three_nodes_of_one_host_share_its_daemon(self):
        with Hosts(1) as hosts:
            nodes = [Node(on(hosts, 1), f"node-{number}") for number in range(3)]
            all_meet(nodes)
            for node in nodes:
                node.uses_discovery("daemon")
            all_talk(nodes)
            self.leave(nodes)

    def test_a_dozen_nodes_of_one_host_are_not_taken_for_a_flood(self):
        with Hosts(1) as hosts:
            nodes = [Node(on(hosts, 1), f"node-{number}") for number in range(12)]
            all_meet(nodes)
            self.leave(nodes)

    def test_three_nodes_of_one_host_without_bus_and_daemon(self):
        with Hosts(1, daemon=False) as hosts:
            nodes = [Node(on(hosts, 1), f"node-{number}") for number in range(3)]
            all_meet(nodes)
            self.assertEqual({node.ready()["discovery"] for node in nodes}, {"embedded"})
            all_talk(nodes)
            self.leave(nodes)

    def test_three_nodes_of_a_host_that_has_only_loopback(self):
        with Hosts(1, daemon=False, card=False) as hosts:
            nodes = [Node(on(hosts, 1), f"node-{number}") for number in range(3)]
            all_meet(nodes)
            all_talk(nodes)
            self.leave(nodes)

    def test_a_host_with_a_daemon_and_one_without_find_each_other(self):
        with Hosts() as hosts:
            hosts.add(1)
            hosts.add(2, daemon=False)
            nodes = [Node(on(hosts, 1), "with-daemon"), Node(on(hosts, 2), "without")]
            all_meet(nodes)
            nodes[0].uses_discovery("daemon")
            nodes[1].uses_discovery("embedded")
            all_talk(nodes)
            self.leave(nodes)

    def test_a_newcomer_is_found_beside_a_daemon_that_hangs(self):
        with Hosts() as hosts:
            hosts.add(1)
            hosts.add(2, daemon=False)
            # Its mode is the daemon alone, so that it does not notice the hang and switch to mDNS of its own.
            alice = Node(on(hosts, 1), "alice", "--discovery", "daemon")
            alice.uses_discovery("daemon")
            hosts.stop_daemon(1)
            bob = Node(on(hosts, 2), "bob")
            all_meet([alice, bob])
            all_talk([alice, bob])
            hosts.continue_daemon(1)
            self.leave([alice, bob])

    def test_a_direct_message_is_requested_accepted_and_answered_between_hosts(self):
        with Hosts(2) as hosts:
            alice, bob = Node(on(hosts, 1), "alice"), Node(on(hosts, 2), "bob")
            all_meet([alice, bob])
            alice.say(f"/msg {bob.number} may I?")
            request = bob.wait(lambda e: e["event"] == "request", "request")
            self.assertEqual((request["text"], request["from"]["key"]), ("may I?", alice.key))
            bob.say(f"/accept {alice.number}")
            accepted = alice.wait(lambda e: e["event"] == "direct", "acceptance")
            self.assertEqual((accepted["state"], accepted["with"]["key"]), ("accepted", bob.key))
            bob.say(f"/msg {alice.number} of course")
            answer = alice.hears("of course")
            self.assertEqual((answer["conversation"], answer["with"]["key"]), ("direct", bob.key))
            self.leave([alice, bob])

    def test_a_single_piped_line_is_heard_by_all(self):
        with Hosts(5) as hosts:
            nodes = [Node(on(hosts, host), f"node-{host}") for host in range(1, 5)]
            all_meet(nodes)
            passer = Node(on(hosts, 5), "passer")
            passer.say("only passing by")
            passer.process.stdin.close()
            for node in nodes:
                node.hears("only passing by")
            self.assertEqual(passer.process.wait(15), 0)

    def test_rooms_do_not_see_each_other(self):
        with Hosts(2) as hosts:
            lobby = Node(on(hosts, 1), "lobby")
            attic = Node(on(hosts, 2), "attic", "--room", "attic")
            second = Node(on(hosts, 2), "second")
            all_meet([lobby, second])
            attic.ready()
            peers = attic.result("who")["peers"]
            self.assertEqual(peers, [])
            self.leave([lobby, attic, second])


if __name__ == "__main__":
    unittest.main()

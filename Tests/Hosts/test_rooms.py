"""Rooms of twelve hosts on one network, with each family of addresses: every host meets the eleven others."""

import time
import unittest

from earshot_node import Node, all_talk, all_meet, on
from hosts import Hosts

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


if __name__ == "__main__":
    unittest.main()

"""A member that tells a node where to dial: the connections that the node begins are counted by its own kernel."""

import json
import sys
import time
import unittest
from pathlib import Path

from earshot_node import Node, on
from hosts import Hosts

VICTIM, MEMBER, ROUTER = 1, 2, 3
MEMBER_PROGRAM = str(Path(__file__).resolve().parent / "told_contacts.py")
NFT = "/usr/sbin/nft"
PORT = 40_000
# Allowed (section 8): neighbours in the subnet.
NEIGHBOURS = [["10.77.9.9", PORT], ["10.77.9.10", 1024]]


class ToldEndpoints(unittest.TestCase):
    def setUp(self):
        self.hosts = Hosts()
        self.addCleanup(self.hosts.close)
        for host in (VICTIM, MEMBER, ROUTER):
            self.hosts.add(host, daemon=False)
        self.router = self.link_local(ROUTER)
        self.hosts.run(VICTIM, ["ip", "route", "add", "default", "via", self.hosts.address(ROUTER)])
        self.hosts.run(VICTIM, ["ip", "-6", "route", "add", "default", "via", self.router, "dev", "eth0"])
        self.hosts.run(VICTIM, [NFT, """
            add table inet dials
            add set inet dials ipv4 { type ipv4_addr . inet_service; flags dynamic; size 1024; }
            add set inet dials ipv6 { type ipv6_addr . inet_service; flags dynamic; size 1024; }
            add chain inet dials out { type filter hook output priority 0; }
            add rule inet dials out tcp flags & (syn|ack) == syn add @ipv4 { ip daddr . tcp dport }
            add rule inet dials out tcp flags & (syn|ack) == syn add @ipv6 { ip6 daddr . tcp dport }
        """])

    def link_local(self, host):
        rows = json.loads(self.hosts.run(host, ["ip", "-j", "-6", "address", "show", "dev", "eth0", "scope", "link"]))
        return rows[0]["addr_info"][0]["local"]

    def dials(self):
        """(address, port) of each connection that the victim began, by whichever interface."""
        found = set()
        for name in ("ipv4", "ipv6"):
            answer = json.loads(self.hosts.run(VICTIM, [NFT, "-j", "list", "set", "inet", "dials", name]))
            elements = next(row["set"] for row in answer["nftables"] if "set" in row).get("elem", [])
            pairs = [element.get("elem", {}).get("val", element) if "elem" in element else element for element in elements]
            found |= {tuple(pair["concat"]) for pair in pairs}
        return found

    def wait_for(self, dials, timeout=10):
        deadline = time.monotonic() + timeout
        while not dials <= self.dials():
            self.assertLess(time.monotonic(), deadline, f"dialled {self.dials()}")
            time.sleep(0.2)

    def tell(self, address, contacts):
        """A member with a link to one of the victim's addresses tells contacts."""
        node = Node(on(self.hosts, VICTIM), "victim", "--no-control", "--discovery", "none")
        port = node.ready()["port"]
        self.hosts.start(MEMBER, [sys.executable, MEMBER_PROGRAM, address, str(port), json.dumps(contacts)], stderr=None)
        node.hears("told")
        return node

    def test_no_address_of_the_machine_a_router_a_service_or_another_network_is_dialled(self):
        own, router = self.hosts.address(VICTIM), self.hosts.address(ROUTER)
        forbidden = [[address, PORT] for address in (
            "127.0.0.1", "127.8.8.8", "0.0.0.0", own, router, "169.254.169.254", "8.8.8.8", "192.168.77.1",
            "224.0.0.251", "255.255.255.255", "10.77.255.255", "10.77.0.0", "::1", "::127.0.0.1", "::ffff:127.0.0.1",
            "::ffff:8.8.8.8", f"::ffff:{own}", "64:ff9b::7f00:1", "64:ff9b::808:808", "2002:7f00:1::1", "2001:db8::7",
            self.link_local(VICTIM), self.router, "fe80::", "ff02::fb")]
        forbidden += [["10.77.9.9", 22], ["10.77.9.9", 1023], ["127.0.0.1", 22]]
        node = self.tell(own, forbidden[:26])
        # The rest, and what may be dialled, comes from a member of its own: four frames are read at once.
        self.hosts.start(MEMBER, [sys.executable, MEMBER_PROGRAM, own, str(node.ready()["port"]),
                                  json.dumps(forbidden[26:] + NEIGHBOURS)], stderr=None)
        self.wait_for({tuple(each) for each in NEIGHBOURS})
        self.assertEqual(self.dials(), {tuple(each) for each in NEIGHBOURS})

    def test_a_link_local_address_is_dialled_on_the_interface_of_the_link_alone(self):
        self.hosts.second_card(VICTIM)
        neighbour = "fe80::9"
        self.tell(self.hosts.address(VICTIM), [[neighbour, PORT]])
        self.wait_for({(neighbour, PORT)})
        # By the other card no neighbour was looked for.
        for interface, count in (("eth0", 1), ("eth1", 0)):
            rows = json.loads(self.hosts.run(VICTIM, ["ip", "-j", "-6", "neighbour", "show", "dev", interface]) or "[]")
            self.assertEqual(len([row for row in rows if row["dst"] == neighbour]), count, interface)


if __name__ == "__main__":
    unittest.main()

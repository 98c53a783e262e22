"""A peer that `--peer` gives by name, and whose address changes while the program runs."""

import os
import tempfile
import unittest

from earshot_node import Node, all_talk, all_meet, on
from hosts import Hosts

ALONE = ("--discovery", "none", "--no-control")
NAME, PORT = "bob.test", "4321"


class NamedPeers(unittest.TestCase):
    def setUp(self):
        self.hosts = Hosts()
        self.addCleanup(self.hosts.close)
        for host in (1, 2):
            self.hosts.add(host, daemon=False)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.names = os.path.join(folder.name, "hosts")
        self.point(self.hosts.address(2))
        self.hosts.run(1, ["mount", "--bind", self.names, "/etc/hosts"])

    def point(self, address):
        """Host 1 resolves the name to this address."""
        with open(self.names, "w") as file:
            file.write(f"{address} {NAME}\n")

    def bob(self):
        return Node(on(self.hosts, 2), "bob", *ALONE, "--port", PORT)

    def test_a_named_peer_is_found_at_its_new_address(self):
        bob = self.bob()
        bob.ready()
        alice = Node(on(self.hosts, 1), "alice", *ALONE, "--peer", f"{NAME}:{PORT}")
        all_meet([alice, bob])
        self.assertEqual(bob.quit(), 0)
        alice.loses(bob)
        self.hosts.set_address(2, "10.77.9.9/16")
        self.point("10.77.9.9")
        back = self.bob()
        all_meet([alice, back], timeout=60)
        all_talk([alice, back])
        self.assertEqual((alice.quit(), back.quit()), (0, 0))

    def test_a_named_peer_that_has_no_address_at_first_is_found_later(self):
        self.point("# nothing for")
        alice = Node(on(self.hosts, 1), "alice", *ALONE, "--peer", f"{NAME}:{PORT}")
        alice.ready()
        bob = self.bob()
        bob.ready()
        self.point(self.hosts.address(2))
        all_meet([alice, bob], timeout=60)
        self.assertEqual((alice.quit(), bob.quit()), (0, 0))


if __name__ == "__main__":
    unittest.main()

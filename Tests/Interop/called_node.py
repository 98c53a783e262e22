"""A node alone, and peers of another program that call it."""

import socket
import subprocess
import unittest

from earshot_node import Node
from stranger import Stranger


class CalledNode(unittest.TestCase):
    def setUp(self):
        self.node = Node(subprocess.Popen, "native", "--discovery", "none", "--rate", "1000000")
        self.addCleanup(self.node.process.wait)
        self.addCleanup(self.node.kill)
        self.addCleanup(self.node.process.stdin.close)

    def stranger(self, **options):
        stream = socket.create_connection(("127.0.0.1", self.node.ready()["port"]), timeout=20)
        self.addCleanup(stream.close)
        return Stranger("initiator", stream, **options)

"""A node alone, and peers of another program that call it."""

import socket
import subprocess
import unittest

from earshot_node import Node
from stranger import Stranger


class CalledNode(unittest.TestCase):
    # Options of the node beside those of every test.
    options = ("--rate", "1000000")

    def setUp(self):
        self.node = Node(subprocess.Popen, "native", "--discovery", "none", *self.options)
        self.addCleanup(self.node.process.wait)
        self.addCleanup(self.node.kill)
        self.addCleanup(self.node.process.stdin.close)

    def connect(self):
        stream = socket.create_connection(("127.0.0.1", self.node.ready()["port"]), timeout=20)
        self.addCleanup(stream.close)
        return stream

    def stranger(self, **options):
        return Stranger("initiator", self.connect(), **options)

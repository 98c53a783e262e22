"""Nodes with bridges, and the one broker of a test file."""

import pathlib
import statistics
import subprocess
import tempfile
import unittest

from broker import Broker, Certificates
from earshot_node import BINARY, Node
from relay import Recorder

ALL = ("^earshot", "^earshot", "^earshot")
USERS = (("bridge", "secret", "/", ALL), ("powerless", "secret", "/", ("^$", "^$", "^$")), ("guest", "guest", "/", ALL))


def start():
    """Starts the broker of a test file."""
    global folder, certificates, broker, recorder
    folder = tempfile.TemporaryDirectory(prefix="earshot-bridge.")
    certificates = Certificates(folder.name + "/certificates")
    broker = Broker(certificates=certificates, users=USERS)
    broker.start()
    recorder = Recorder(broker.plain)


def stop():
    recorder.close()
    broker.close()
    folder.cleanup()


def percentiles(times):
    times = sorted(times)
    return f"median {statistics.median(times):.1f} ms, p99 {times[min(len(times) - 1, len(times) * 99 // 100)]:.1f} ms"


class Bridged(unittest.TestCase):
    def setUp(self):
        self.nodes = []
        # A room of its own for each test, so that streams do not mix.
        self.key = self.new_key("key")
        self.password = self.file("password", "secret\n")

    def tearDown(self):
        for node in self.nodes:
            node.process.kill()
            node.process.wait()
            for pipe in (node.process.stdin, node.process.stderr):
                pipe.close()

    def file(self, name, text):
        path = pathlib.Path(folder.name) / f"{self.id()}.{name}"
        path.write_text(text)
        path.chmod(0o600)
        return str(path)

    def new_key(self, name):
        path = str(pathlib.Path(folder.name) / f"{self.id()}.{name}")
        subprocess.run([BINARY, "bridge", "new", path], check=True, capture_output=True)
        return path

    def options(self, url=None, key=None, ca=None):
        return ["--bridge", url or f"amqps://bridge@localhost:{broker.secure}", "--bridge-key", key or self.key,
                "--bridge-password", self.password, "--bridge-ca", ca or str(certificates.authority)]

    def node(self, name, *options, network=None, consent="on"):
        """A node that finds no peer by itself; `network` is a bridge that it dials."""
        words = ["--discovery", "none", "--no-control", "--bridgeable", consent, *options]
        if network:
            words += ["--peer", f"127.0.0.1:{network.ready()['port']}"]
        node = Node(subprocess.Popen, name, *words)
        self.nodes.append(node)
        return node

    def bridge(self, name, **choices):
        network, consent, more = choices.pop("network", None), choices.pop("consent", "on"), choices.pop("more", ())
        node = self.node(name, *self.options(**choices), *more, network=network, consent=consent)
        self.notice(node, "bridge_connected", 30)
        return node

    def notice(self, node, code, timeout=20, from_start=True):
        return node.wait(lambda e: e["event"] == "notice" and e["code"] == code, code, timeout, from_start=from_start)

    def elsewhere(self, node, other, timeout=70):
        """Waits until the node lists the other as one in another network."""
        node.wait(lambda e: e["event"] == "peer" and e["elsewhere"] and e["who"]["key"] == other.key and e["state"] != "offline",
                  f"sight of {other.name} elsewhere", timeout)

    def count(self, node, text):
        return sum(1 for event in node.events if event["event"] == "message" and event["text"] == text)

    def stats(self, node):
        return node.result("stats")

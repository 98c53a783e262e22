"""The trial on one machine in Docs/Bridge.md, as it is written, with a broker of the test's own at RabbitMQ's own port."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from broker import HOME, Broker, free_port  # noqa: E402
from earshot_node import BINARY, ROOT, Node  # noqa: E402

PORT = 5672


class Trial(unittest.TestCase):
    def block(self, start):
        text = (ROOT / "Docs/Bridge.md").read_text()
        found = re.search(r"^    " + re.escape(start) + r"(?:.*\n)(?:    .*\n)*", text, re.MULTILINE)
        return "\n".join(line[4:] for line in found[0].splitlines())

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="earshot-trial.")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.broker = Broker(users=(), ports=(PORT, *(free_port() for _ in range(3))))
        self.addCleanup(self.broker.close)
        self.broker.start()
        programs = self.folder / "bin"
        programs.mkdir()
        os.symlink(BINARY, programs / "earshot")
        # The broker's commands are run by its own user; packages are there.
        for name, text in (("sudo", 'exec "$@"'), ("apt-get", "exit 0"), ("rabbitmqctl", f'exec {HOME}/rabbitmqctl "$@"')):
            (programs / name).write_text(f"#!/bin/bash\n{text}\n")
            (programs / name).chmod(0o755)
        self.environment = self.broker.environment | {"PATH": f"{programs}:{os.environ['PATH']}"}

    def node(self, name, command):
        """A node as the page starts it; `--json` shows the test what it does."""
        def launch(words, **options):
            return subprocess.Popen(["bash", "-c", f"exec {command} --json --no-control"], cwd=self.folder, env=self.environment, **options)
        node = Node(launch, name)
        self.addCleanup(node.process.wait)
        self.addCleanup(node.process.kill)
        node.wait(lambda e: e["event"] == "notice" and e["code"] == "bridge_connected", "the broker", 60)
        return node

    def test_two_nodes_hear_each_other_over_the_broker_alone(self):
        keys = self.block("earshot bridge new bridge.key").splitlines()[:2]
        self.run_lines(keys, "secret\n")
        self.run_lines(self.block("sudo apt-get install rabbitmq-server").splitlines())
        first, second = re.split(r"\n(?=earshot )", self.block("earshot --nick ann --discovery none --bridgeable on"))
        ann, ben = self.node("ann", first), self.node("ben", second)
        ann.say("over the broker")
        ben.hears("over the broker")
        ben.say("and back")
        ann.hears("and back")

    def run_lines(self, lines, input=""):
        for line in lines:
            done = subprocess.run(["bash", "-euc", line], input=input, cwd=self.folder, env=self.environment, capture_output=True,
                                  text=True, timeout=300)
            self.assertEqual(done.returncode, 0, f"{line}: {done.stdout}{done.stderr}")


if __name__ == "__main__":
    unittest.main()

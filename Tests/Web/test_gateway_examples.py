"""The Python examples of Docs/Web.md, sections 5 and 6, print what is said, as they are written but for the ports."""

import os
import re
import subprocess
import sys

from earshot_node import ROOT
from web import Served, WebTest


class Examples(WebTest):
    def example(self, section, served, stomp_port):
        text = (ROOT / "Docs" / "Web.md").read_text().split(f"## {section}. ")[1].split("\n## ")[0]
        source, = re.findall(r"```python\n(.*?)```", text, re.S)
        source = source.replace("61613", str(stomp_port)).replace(":4807", f":{served.port}")
        process = subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True,
                                   env=os.environ | {"XDG_RUNTIME_DIR": self.folder})
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_the_examples_of_both_gateways_print_what_is_said(self):
        os.mkdir(f"{self.folder}/earshot", 0o700)
        alice = Served("alice", "--stomp", "0", "--control", f"{self.folder}/earshot/control")
        self.addCleanup(lambda: alice.node.process.poll() is None and alice.node.kill())
        place = alice.node.wait(lambda event: event["event"] == "listening" and event["face"] == "stomp", "listening")
        name = f"alice#{alice.node.number}"
        for section in (5, 6):
            process = self.example(section, alice, int(place["address"].rsplit(":", 1)[1]))
            self.assertEqual(process.stdout.readline(), f"{name} hello\n")
            alice.node.say("and more: 안녕")
            self.assertEqual(process.stdout.readline(), f"{name} and more: 안녕\n")


if __name__ == "__main__":
    import unittest

    unittest.main()

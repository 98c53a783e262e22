"""The library is documented: each public symbol, without a warning of DocC, in pages that load nothing from elsewhere."""

import os
import re
import shutil
import subprocess
import unittest

from earshot_node import ROOT

PROGRAMS = os.environ.get("EARSHOT_EXAMPLES")


@unittest.skipUnless(PROGRAMS, "EARSHOT_EXAMPLES names no folder with built modules")
class Docs(unittest.TestCase):
    def run_script(self, *words):
        environment = os.environ | {"EARSHOT_MODULES": f"{PROGRAMS}/Modules"}
        return subprocess.run([ROOT / "Scripts/docs", *words], env=environment, text=True, capture_output=True)

    def test_each_public_symbol_is_documented(self):
        result = self.run_script("--interface")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        total, documented = map(int, re.fullmatch(r"(\d+) public symbols, (\d+) documented", result.stdout.splitlines()[-1]).groups())
        self.assertEqual(total, documented)
        self.assertGreater(total, 150)
        # A type of the inside in a signature would be of no use to a program outside.
        for name in ("MessageView", "NodeEvent", "PeerID", "PeerName", "Timestamp", "UserAction"):
            self.assertNotIn(name, result.stdout)

    @unittest.skipUnless(shutil.which("docc") or os.path.exists("/opt/swift/usr/bin/docc"), "the toolchain has no docc")
    def test_the_pages_have_no_warning_and_load_nothing_from_elsewhere(self):
        result = self.run_script()
        self.assertEqual(result.returncode, 0, result.stderr)
        pages = ROOT / ".build/docs"
        for page in ("earshot", "earshot/room", "earshot/joinaroom", "earshot/writeabot", "earshot/runabotasaservice", "earshot/joinagain", "earshot/testwithsimulatedpeers",
                     "earshot/howamessagetravels", "earshottesting", "earshotcontrol"):
            html = (pages / "documentation" / page / "index.html").read_text()
            self.assertEqual(re.findall(r'(?:src|href)="(?:https?:)?//[^"]*"', html), [])


if __name__ == "__main__":
    unittest.main()

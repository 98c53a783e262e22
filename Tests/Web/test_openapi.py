"""The description of the API, by schemathesis against the live node (Docs/Web.md, section 3)."""

import os
import subprocess
import sys
import unittest

from web import WebTest

# `/events` never ends, and a line of `/commands` may be `/quit`.
EXCLUDED = ("getEvents", "postCommand")
# The rules of a text (characters as users see them, bytes, code points of a character) are none that a JSON Schema can say.
UNCHECKED = "positive_data_acceptance"


class Description(WebTest):
    def test_schemathesis_finds_no_failure(self):
        alice = self.served()
        bob = self.person("bob", alice)
        bob.say("hello")
        alice.node.hears("hello")
        command = [os.path.join(os.path.dirname(sys.executable), "schemathesis"), "run",
                   f"http://127.0.0.1:{alice.port}/api/v1/openapi.json", "--url", f"http://127.0.0.1:{alice.port}",
                   "--header", f"Authorization: Bearer {alice.token}", "--max-examples", "15", "--seed", "1",
                   "--generation-database", "none", "--exclude-checks", UNCHECKED, "--no-color"]
        for operation in EXCLUDED:
            command += ["--exclude-operation-id", operation]
        ended = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, timeout=300)
        self.assertEqual(ended.returncode, 0, ended.stdout[-6000:] + ended.stderr[-2000:])
        self.assertIsNone(alice.node.process.poll())
        self.assertEqual(alice.quit(), 0)


if __name__ == "__main__":
    unittest.main()

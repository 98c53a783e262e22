"""`--open` gives the page to the user's browser alone (Docs/Web.md, section 1)."""

import json
import os
import pathlib
import selectors
import stat
import subprocess
import unittest

from earshot_node import BINARY
from web import WebTest

# Tells what it was started with, and with which rights.
BROWSER = """#!/bin/sh
# In front of the group, as the shell keeps the descriptors that a redirection replaces.
descriptors=$(ls -l /proc/$$/fd | sed -n "s/.* \\([0-9]* -> .*\\)/\\1;/p")
{
    echo "$*"
    stat -c %a "$1"
    cat "$1"
    tty
    echo $descriptors
    ps -o pid=,sid= -p $$
} > "$RECORD.new" 2>&1
mv "$RECORD.new" "$RECORD"
echo done > "$RECORDED"
"""


class Open(WebTest):
    def setUp(self):
        super().setUp()
        self.browser = os.path.join(self.folder, "browser")
        pathlib.Path(self.browser).write_text(BROWSER, encoding="ascii")
        os.chmod(self.browser, 0o700)
        self.record = os.path.join(self.folder, "record")
        # The browser says here that its record is whole.
        self.done = os.path.join(self.folder, "recorded")
        os.mkfifo(self.done)
        self.told = os.open(self.done, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, self.told)

    def launch(self, **variables):
        environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")}
        environment |= {"RECORD": self.record, "RECORDED": self.done, **variables}
        return lambda command, **options: subprocess.Popen(command, env=environment, **options)

    def recorded(self, served):
        with selectors.DefaultSelector() as waiting:
            waiting.register(self.told, selectors.EVENT_READ)
            self.assertTrue(waiting.select(60), "no browser was started")
        return pathlib.Path(self.record).read_text(encoding="utf-8").splitlines()

    def test_the_browser_gets_a_file_that_its_owner_alone_can_read(self):
        served = self.served("alice", "--open", *self.control(), launch=self.launch(BROWSER=f"no-such-browser:{self.browser}"))
        words, mode, text, terminal, descriptors, ids = self.recorded(served)
        path = os.path.join(self.folder, "control.web.html")
        self.assertEqual((words, mode), (path, "600"))
        self.assertIn(f'content="0;url={served.url}"', text)
        self.assertEqual(terminal, "not a tty")
        links = dict(link.strip().split(" -> ") for link in descriptors.split(";") if link.strip())
        self.assertEqual([links.pop(number) for number in "012"], ["/dev/null"] * 3)
        # Those of the shell itself: the script, and the pipe to `sed`.
        self.assertEqual({link.split(":")[0] for link in links.values()}, {self.browser, "pipe"})
        self.assertEqual(len(links), 2)
        process, session = ids.split()
        self.assertEqual(process, session)
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        # The link was used: nothing leads to it any more.
        code = served.url.rsplit("=", 1)[1]
        self.assertEqual(served.ask("POST", "/api/v1/session", {"code": code}, token="")[0], 200)
        self.assertFalse(os.path.exists(path))

    def test_a_browser_that_ends_later_was_no_failure(self):
        gate = os.path.join(self.folder, "gate")
        os.mkfifo(gate)
        pathlib.Path(self.browser).write_text(f'#!/bin/sh\nread line < "{gate}"\nkill -9 $$\n', encoding="ascii")
        other = os.path.join(self.folder, "other")
        pathlib.Path(other).write_text(f'#!/bin/sh\n: > "{self.record}"\n', encoding="ascii")
        os.chmod(other, 0o700)
        launch = self.launch(BROWSER=f"{self.browser}:{other}")
        served = self.served("alice", "--open", *self.control(), launch=launch)
        code = served.url.rsplit("=", 1)[1]
        self.assertEqual(served.ask("POST", "/api/v1/session", {"code": code}, token="")[0], 200)
        pathlib.Path(gate).write_text("go\n", encoding="ascii")
        served.quit()
        self.assertFalse(os.path.exists(self.record))

    def test_the_file_is_gone_with_the_node(self):
        served = self.served("alice", "--open", *self.control(), launch=self.launch(BROWSER=self.browser))
        self.recorded(served)
        served.quit()
        self.assertFalse(os.path.exists(os.path.join(self.folder, "control.web.html")))

    def complaint(self, *options, **variables):
        """The line about the browser on standard error."""
        launch = self.launch(**variables)
        process = launch([BINARY, "--discovery", "none", "--json", "--no-config", "--allow-root", "--web", "0", "--open", *options],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            said = process.stderr.readline()
        finally:
            process.communicate("/quit\n", timeout=60)
        return said

    def test_without_a_browser_it_says_so_and_goes_on(self):
        told = "earshot: no browser opens the page: {}; /web shows its link\n"
        self.assertEqual(self.complaint(*self.control()), told.format("there is no screen, and $BROWSER is not set"))
        false = "no-such-browser: No such file or directory, false ended with code 1"
        self.assertEqual(self.complaint(*self.control(), BROWSER="no-such-browser:false").lower(), told.format(false).lower())
        self.assertEqual(self.complaint("--no-control", BROWSER=self.browser), told.format("without a control socket no file can have the link"))
        for name in ("SUDO_UID", "PKEXEC_UID"):
            self.assertIn("another user", self.complaint(*self.control(), BROWSER=self.browser, **{name: "1000"}))
        self.assertFalse(os.path.exists(self.record))

    def test_a_program_that_starts_a_node_gets_no_browser_by_a_file(self):
        path = os.path.join(self.folder, "config")
        pathlib.Path(path).write_text("open = true\nweb = 0\n", encoding="ascii")
        launch = self.launch(BROWSER=self.browser)
        process = launch([BINARY, "--discovery", "none", "--json", "--config", path, "--allow-root", *self.control()],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for line in process.stdout:
            if json.loads(line)["event"] == "listening":
                break
        process.communicate("/quit\n", timeout=60)
        self.assertFalse(os.path.exists(self.record))


if __name__ == "__main__":
    unittest.main()

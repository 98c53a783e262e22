"""Scripts/run on a machine where everything is installed and built."""

import os
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUN = ROOT / "Scripts" / "run"


@unittest.skipUnless(
    os.environ.get("EARSHOT_BINARY", "").endswith("/program/earshot"), "only with the program that Scripts/run builds")
class Run(unittest.TestCase):
    def version(self, command, **options):
        return subprocess.run([command, "--version"], capture_output=True, text=True, timeout=30, **options)

    def test_nothing_but_the_program_is_heard(self):
        expected = subprocess.run([os.environ["EARSHOT_BINARY"], "--version"], capture_output=True, text=True)
        run = self.version(RUN)
        self.assertEqual((run.stdout, run.stderr, run.returncode), (expected.stdout, "", 0))

    def test_it_runs_from_any_folder_and_through_a_link(self):
        with tempfile.TemporaryDirectory() as folder:
            link = Path(folder, "chat")
            link.symlink_to(RUN)
            self.assertEqual(self.version(link, cwd=folder).returncode, 0)

    def test_it_needs_no_environment(self):
        self.assertEqual(self.version(RUN, env={"PATH": "/usr/bin:/bin"}).returncode, 0)

    def test_the_exit_code_is_the_programs(self):
        run = subprocess.run([RUN, "--no-such-option"], capture_output=True, timeout=30)
        self.assertEqual(run.returncode, 2)

    def test_it_adds_no_noticeable_delay(self):
        times = []
        for _ in range(5):
            start = time.monotonic()
            self.version(RUN)
            times.append(time.monotonic() - start)
        # It takes 15 ms on an idle machine; a busy one is slower once, not five times.
        self.assertLess(min(times), 0.2)


class Surroundings(unittest.TestCase):
    """The locale and the home that the program gets through the script."""

    def test_the_program_sees_the_locale_and_home_of_the_user(self):
        program = self.scripts_with_a_program('#!/bin/sh\nprintf "%s %s %s\\n" "${LC_ALL-unset}" "${LANG-unset}" "${HOME-unset}"\n')
        path = os.environ["PATH"]
        for own, seen in (({"LANG": "ko_KR.UTF-8"}, "unset ko_KR.UTF-8 unset"),
                          ({"LC_ALL": "ko_KR.UTF-8", "HOME": "/nowhere"}, "ko_KR.UTF-8 unset /nowhere")):
            run = subprocess.run([program], capture_output=True, text=True, timeout=30, env={"PATH": path} | own)
            self.assertEqual(run.stdout.strip(), seen, run.stderr)

    def scripts_with_a_program(self, text):
        """Scripts/run beside a program that needs no build; the path of that script."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = Path(folder.name)
        (root / "Scripts").mkdir()
        (root / "Sources").mkdir()
        (root / "Package.swift").touch()
        for name in ("run", "setup.bash"):
            (root / "Scripts" / name).write_bytes((ROOT / "Scripts" / name).read_bytes())
        (root / "Scripts" / "run").chmod(0o755)
        program = root / ".build" / "program" / "earshot"
        program.parent.mkdir(parents=True)
        program.write_text(text)
        program.chmod(0o755)
        os.utime(program, (time.time() + 60, time.time() + 60))
        return root / "Scripts" / "run"


if __name__ == "__main__":
    unittest.main()

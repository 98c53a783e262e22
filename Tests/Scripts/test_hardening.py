"""What the linker and the service manager are told to make attacks harder: read from the program and the unit themselves."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BINARY = os.environ.get("EARSHOT_BINARY", str(ROOT / ".build" / "debug" / "earshot"))
IS_RELEASE = BINARY.endswith("/program/earshot")
UNIT = ROOT / "Scripts" / "systemd" / "earshot.service"
# What systemd-analyze makes of the unit; 10 is the worst.
MOST_EXPOSURE = 2.0


def read(*options):
    return subprocess.run(["readelf", "-W", *options, BINARY], check=True, capture_output=True, text=True, timeout=60).stdout


class Program(unittest.TestCase):
    def test_it_is_position_independent_bound_at_the_start_and_its_tables_are_read_only(self):
        self.assertRegex(read("-h"), r"Type: +DYN")
        segments, tables = read("-l"), read("-d")
        self.assertIn("GNU_RELRO", segments)
        self.assertRegex(tables, r"BIND_NOW|FLAGS_1\).*\bNOW\b")
        self.assertNotIn("TEXTREL", tables)

    def test_no_memory_of_it_is_both_writable_and_executable(self):
        segments = [line.split() for line in read("-l").splitlines() if re.match(r" +(LOAD|GNU_STACK) ", line)]
        self.assertGreater(len(segments), 2)
        for segment in segments:
            rights = "".join(segment[6:-1])
            self.assertFalse("W" in rights and "E" in rights, segment)

    def test_stack_buffers_are_guarded(self):
        # Of what it takes from libraries alone: a program with its debugging symbols has ten times as many of its own.
        self.assertIn("__stack_chk_fail", read("--dyn-syms"))

    @unittest.skipUnless(IS_RELEASE, "only with the program that Scripts/run builds")
    def test_it_looks_for_libraries_only_where_the_system_keeps_them(self):
        self.assertNotRegex(read("-d"), r"R(UN)?PATH")


class Service(unittest.TestCase):
    def test_it_may_do_little(self):
        with tempfile.TemporaryDirectory() as folder:
            # A path that is there, so that nothing but the unit is judged.
            unit = Path(folder, "earshot.service")
            unit.write_text(UNIT.read_text().replace("/usr/bin/earshot", "/bin/true"))
            done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", str(unit)],
                                  capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        exposure = re.search(r"Overall exposure level for earshot.service: ([\d.]+)", done.stdout)
        self.assertIsNotNone(exposure, done.stdout + done.stderr)
        self.assertLessEqual(float(exposure[1]), MOST_EXPOSURE, done.stdout)

    def test_a_system_call_that_the_filter_refuses_does_not_kill_it(self):
        # The runtime asks for thread priorities, which @resources has.
        text = UNIT.read_text()
        self.assertIn("SystemCallFilter=~@privileged @resources", text)
        self.assertIn("SystemCallErrorNumber=EPERM", text)


if __name__ == "__main__":
    unittest.main()

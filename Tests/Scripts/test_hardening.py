"""The hardening options of the linker and of the service manager, read from the program and the unit."""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from earshot_node import BINARY, ROOT

IS_RELEASE = BINARY.endswith("/program/earshot")
UNIT = ROOT / "Scripts" / "systemd" / "earshot.service"
# The greatest exposure level that systemd-analyze may report; 10 is the worst.
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
        # The dynamic symbols suffice; with debugging symbols, the program has ten times as many.
        self.assertIn("__stack_chk_fail", read("--dyn-syms"))

    @unittest.skipUnless(IS_RELEASE, "only with the program that Scripts/run builds")
    def test_it_looks_for_libraries_only_where_the_system_keeps_them(self):
        self.assertNotRegex(read("-d"), r"R(UN)?PATH")


class Service(unittest.TestCase):
    def test_it_may_do_little(self):
        with tempfile.TemporaryDirectory() as folder:
            # An existing path, so that systemd-analyze judges the unit alone.
            unit = Path(folder, "earshot.service")
            unit.write_text(UNIT.read_text().replace("/usr/bin/earshot", "/bin/true"))
            done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", str(unit)],
                                  capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        exposure = re.search(r"Overall exposure level for earshot.service: ([\d.]+)", done.stdout)
        self.assertIsNotNone(exposure, done.stdout + done.stderr)
        self.assertLessEqual(float(exposure[1]), MOST_EXPOSURE, done.stdout)

    def test_a_system_call_that_the_filter_refuses_does_not_kill_it(self):
        # Swift's runtime requests thread priorities, which @resources includes.
        text = UNIT.read_text()
        self.assertIn("SystemCallFilter=~@privileged @resources", text)
        self.assertIn("SystemCallErrorNumber=EPERM", text)


if __name__ == "__main__":
    unittest.main()

"""Extreme values of every numeric option: the program runs with them or refuses them, and never ends by a signal."""

import os
import re
import subprocess
import unittest

from earshot_node import BINARY

VALUES = (
    "0", "-0", "-1", "0.0000000001", "1e-320", "1e-9", "1e9", "1e308", "1e400", "nan", "inf", "65535", "65536",
    "2147483648", "4294967296", "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616",
    "00000000000000000000000000000001", "1-18446744073709551615", "0-0", "", " 1",
)
# Large accepted values of these options make a long run, which shows nothing more.
LONG_RUNS = {"--nodes", "--messages", "--partition"}


class Extremes(unittest.TestCase):
    def run_program(self, *words):
        done = subprocess.run([BINARY, *words], input="one\ntwo\n/quit\n", capture_output=True, text=True, timeout=60)
        self.assertIn(done.returncode, (0, 1, 2), f"{words}: {done.stderr}")
        if done.returncode:
            self.assertRegex(done.stderr, r"^earshot: .+\n", words)

    def numeric_options(self, command):
        text = subprocess.run([BINARY, "help", command], capture_output=True, text=True, check=True).stdout
        options = re.findall(r"^  (--[a-z-]+) (?:N|MS|PERCENT|SECONDS) ", text, re.MULTILINE)
        self.assertTrue(options, command)
        return options

    def test_chat_takes_or_refuses_every_extreme_value(self):
        for option in self.numeric_options("chat"):
            for value in VALUES:
                with self.subTest(option=option, value=value):
                    self.run_program("--plain", "--discovery", "none", "--no-control", f"{option}={value}")

    def test_a_simulation_takes_or_refuses_every_extreme_value(self):
        for option in self.numeric_options("simulate"):
            for value in VALUES:
                if option in LONG_RUNS and value.isdigit() and 100 < int(value) < 10**6:
                    continue
                with self.subTest(option=option, value=value):
                    self.run_program("simulate", "--nodes=3", "--messages=3", f"{option}={value}")

    def test_the_smallest_rate_is_a_thousandth(self):
        for value, code in (("0", 0), ("0.001", 0), ("0.0009", 2), ("0.0000000001", 2)):
            done = subprocess.run([BINARY, "--plain", "--discovery", "none", "--no-control", "--rate", value],
                                  input="one\n", capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, code, done.stderr)


if __name__ == "__main__":
    unittest.main()

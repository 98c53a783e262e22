"""A row of the table that Scripts/crowd_curve makes, small enough for each run of the tests: its messages and reactions all come, and
live."""

import importlib.machinery
import importlib.util
import unittest

from earshot_node import BINARY, ROOT

LOADER = importlib.machinery.SourceFileLoader("crowd_curve", str(ROOT / "Scripts" / "crowd_curve"))
crowd_curve = importlib.util.module_from_spec(importlib.util.spec_from_loader("crowd_curve", LOADER))
LOADER.exec_module(crowd_curve)


class Crowd(unittest.TestCase):
    def test_a_crowd_over_slow_links_hears_each_message_live(self):
        report = crowd_curve.measure(BINARY, "40:10-50:120:50", 1)
        self.assertEqual(report["messages"], 240)
        self.assertEqual((report["delivered"], report["expected"]), (240 * 39, 240 * 39))
        self.assertGreaterEqual(report["live"], 0.99 * report["expected"])
        self.assertEqual((report["duplicates"], report["crowd"]["cutOff"]), (0, 0))
        reactions = report["reactions"]
        self.assertGreaterEqual(reactions["sent"], 90)
        self.assertEqual((reactions["delivered"], reactions["expected"]), (39 * reactions["sent"],) * 2)
        self.assertGreaterEqual(reactions["live"], 0.99 * reactions["expected"])


if __name__ == "__main__":
    unittest.main()

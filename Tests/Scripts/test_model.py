"""The models of Tests/Model, searched exhaustively by Debian's spin: each holds its invariants, and each wrong rule breaks one."""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "Tests" / "Model"
# The memory of a search in MB, and its depth: far above the searches of now.
MEMORY, DEPTH = 1000, 1_000_000


def run(folder, *command):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=True).stdout


def search(model, *flags):
    """The report of one search, breadth first, so that a breach is shown with the fewest steps."""
    with tempfile.TemporaryDirectory() as folder:
        source = (MODELS / f"{model}.pml").read_text()
        (Path(folder) / "model.pml").write_text(source)
        run(folder, "spin", "-a", *(f"-D{flag}" for flag in flags), "model.pml")
        run(folder, "gcc", "-w", "-O1" if not flags else "-O0", "-DSAFETY", "-DBFS", "-DCOLLAPSE", f"-DMEMLIM={MEMORY}", "-o", "pan", "pan.c")
        report = run(folder, "./pan", f"-m{DEPTH}")
    return {
        "is_whole": "Search not completed" not in report and "max search depth too small" not in report,
        "errors": int(re.search(r"errors: (\d+)", report)[1]),
        "breach": (re.search(r"^pan:1: (.*) \(at depth", report, re.MULTILINE) or [None, ""])[1],
        "states": int(re.search(r"(\d+) states, stored", report)[1]),
        "transitions": int(re.search(r"(\d+) transitions", report)[1]),
        "depth": int(re.search(r"depth reached (\d+)", report)[1]),
    }


def mutants(model):
    return sorted(set(re.findall(r"MUTANT_[A-Z_]*[A-Z]\b", (MODELS / f"{model}.pml").read_text())))


class Models(unittest.TestCase):
    def hold(self, model):
        found = search(model)
        print(f"-- {model}: {found['states']} states, {found['transitions']} transitions, depth {found['depth']}", flush=True)
        self.assertEqual((found["errors"], found["is_whole"]), (0, True), found)
        # The figures of Docs/Verification.md are those of this search.
        row = f"| `{model}` | {found['states']:,} | {found['transitions']:,} | {found['depth']:,} |"
        self.assertIn(row, (ROOT / "Docs/Verification.md").read_text())

    def refute(self, model):
        self.assertGreaterEqual(len(mutants(model)), 3)
        breaches = {}
        for mutant in mutants(model):
            with self.subTest(mutant):
                found = search(model, mutant)
                print(f"-- {model} {mutant}: {found['breach']} after {found['states']} states", flush=True)
                self.assertEqual(found["errors"], 1)
                self.assertIn("assertion violated", found["breach"])
                breaches[mutant] = found["breach"]
        return breaches

    def test_of_two_connections_of_two_nodes_one_stays_and_both_agree(self):
        self.hold("links")

    def test_each_wrong_rule_for_two_connections_is_found(self):
        self.refute("links")

    def test_of_two_runs_of_one_identity_one_goes_on(self):
        self.hold("place")

    def test_each_wrong_rule_for_two_runs_is_found(self):
        breaches = self.refute("place")
        # The peer knows an older certificate than the run that goes on has: the invariant "known", and no other.
        self.assertIn("best_epoch==epoch[on]", breaches["MUTANT_REISSUE_IS_NO_NEWS"])

    def test_nothing_is_shown_without_consent_and_each_message_has_an_outcome(self):
        self.hold("direct")

    def test_each_wrong_rule_of_a_direct_conversation_is_found(self):
        self.refute("direct")


if __name__ == "__main__":
    unittest.main()

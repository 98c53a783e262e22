"""Scripts/reference: the generated tables in Docs list what the program has."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from earshot_node import BINARY

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments, binary=BINARY):
    environment = {name: value for name, value in os.environ.items() if name != "EARSHOT_BINARY"}
    if binary:
        environment["EARSHOT_BINARY"] = binary
    return subprocess.run(
        [ROOT / "Scripts" / "reference", *map(str, arguments)], capture_output=True, text=True, timeout=60, env=environment)


class Reference(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        shutil.copytree(ROOT / "Docs", self.root / "Docs")
        for source in (ROOT / "Tests/Support/contract.py", next((ROOT / "Sources").rglob("Finding.swift"))):
            copy = self.root / source.relative_to(ROOT)
            copy.parent.mkdir(parents=True)
            shutil.copy(source, copy)

    def change(self, name, before, after):
        path = self.root / name
        text = path.read_text()
        self.assertIn(before, text)
        path.write_text(text.replace(before, after, 1))

    def assert_refused(self, expected):
        done = run("--check", self.root)
        self.assertIn(expected, done.stdout + done.stderr)
        self.assertEqual(done.returncode, 1)

    def test_the_tables_of_this_project_are_current(self):
        done = run("--check")
        self.assertEqual((done.stdout + done.stderr, done.returncode), ("", 0))

    def test_a_changed_row_is_refused_and_written_anew(self):
        original = (self.root / "Docs/Options.md").read_text()
        self.change("Docs/Options.md", "`--quiet` | ", "`--quiet` | not ")
        self.assert_refused("Docs/Options.md: the table `options chat` is not what the code has")
        self.assertEqual(run(self.root).returncode, 0)
        self.assertEqual((self.root / "Docs/Options.md").read_text(), original)

    def test_a_missing_command_is_refused(self):
        row = next(line for line in (self.root / "Docs/Commands.md").read_text().splitlines() if line.startswith("| `/me "))
        self.change("Docs/Commands.md", row + "\n", "")
        self.assert_refused("Docs/Commands.md: the table `commands` is not")

    def test_an_event_that_the_page_lacks_is_refused_until_people_describe_it(self):
        self.change("Tests/Support/contract.py", '    "request": event(', '    "waved": event("waved", {"who": WHO}),\n    "request": event(')
        self.assert_refused("Docs/JSON.md: the table `events` is not")
        run(self.root)
        self.assertIn("| `waved` | `room`, `who` |  |", (self.root / "Docs/JSON.md").read_text())
        self.assert_refused("Docs/JSON.md: a row of the table `events` has an empty cell")

    def test_texts_that_people_wrote_are_kept(self):
        self.change("Docs/JSON.md", "not UTF-8", "malformed")
        self.assertEqual(run("--check", self.root).returncode, 0)
        run(self.root)
        self.assertIn("| `invalid_utf8` | malformed |", (self.root / "Docs/JSON.md").read_text())

    def test_a_code_of_the_doctor_that_the_page_lacks_is_refused(self):
        finding = next((self.root / "Sources").rglob("Finding.swift")).relative_to(self.root)
        self.change(finding, "        case peers\n", "        case peers\n        case loudNetwork = \"loud_network\"\n")
        self.assert_refused("Docs/JSON.md: the table `findings` is not")

    def test_without_a_program_only_its_tables_are_left_out(self):
        self.change("Docs/JSON.md", "| `too_dense` |", "| `dense` |")
        done = run("--check", self.root, binary=None)
        self.assertIn("tables not compared", done.stdout)
        self.assertIn("Docs/JSON.md: the table `errors` is not", done.stdout)

    def test_an_unknown_table_is_refused(self):
        self.change("Docs/Options.md", "reference: options chat", "reference: colours")
        self.assert_refused("no table is called colours")


if __name__ == "__main__":
    unittest.main()

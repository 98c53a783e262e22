"""The corpus of the fuzzer as text, and the arguments of its script."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts"))
import fuzz_corpus  # noqa: E402
import fuzz_coverage  # noqa: E402


class Corpus(unittest.TestCase):
    def test_every_input_comes_back_from_its_line(self):
        for content in (b"", b"text", b'a "quote"\n', bytes(range(256)), b"\x00\x00", "안녕".encode()):
            line = fuzz_corpus.encoded(content)
            self.assertNotIn("\n", line)
            self.assertTrue(line.isascii())
            self.assertEqual(fuzz_corpus.decoded(line), content)

    def test_the_shortest_are_kept_and_no_more_than_fit(self):
        with tempfile.TemporaryDirectory() as folder:
            for content in (b"aaaa", b"bb", b"", b"c" * 100):
                (Path(folder) / str(len(content))).write_bytes(content)
            self.assertEqual(fuzz_corpus.pack(folder, 20), '"bb"\n"aaaa"\n')

    def test_inputs_that_are_unpacked_and_packed_again_are_the_same(self):
        for kept in sorted((ROOT / "Tests/Fuzz/Corpus").glob("*.txt")):
            with tempfile.TemporaryDirectory() as folder, open(kept) as lines:
                fuzz_corpus.unpack(lines, folder)
                self.assertEqual(fuzz_corpus.pack(folder, 1 << 20), kept.read_text(), kept.name)

    def test_the_corpus_is_small(self):
        total = sum(kept.stat().st_size for kept in (ROOT / "Tests/Fuzz/Corpus").glob("*"))
        self.assertLess(total, 200_000)


class Targets(unittest.TestCase):
    def test_every_target_is_described_and_every_corpus_is_of_a_target(self):
        listed = re.search(r"static let all = \[(.*?)\]", (ROOT / "Tests/Fuzz/Fuzz.swift").read_text(), re.DOTALL)
        targets = re.findall(r"\w+", listed[1])
        document = (ROOT / "Docs/Fuzzing.md").read_text().split(fuzz_coverage.BEGIN)[0]
        described = re.findall(r"^\| `(\w+)` \|", document, re.MULTILINE)
        self.assertEqual(described, targets)
        kept = {path.stem for path in (ROOT / "Tests/Fuzz/Corpus").glob("*.txt")}
        self.assertLessEqual(kept, set(targets))


class Coverage(unittest.TestCase):
    def test_every_target_has_parsers_and_each_is_a_file(self):
        listed = re.search(r"static let all = \[(.*?)\]", (ROOT / "Tests/Fuzz/Fuzz.swift").read_text(), re.DOTALL)
        self.assertEqual(list(fuzz_coverage.PARSERS), re.findall(r"\w+", listed[1]))
        for target in fuzz_coverage.PARSERS:
            for name in fuzz_coverage.files(target):
                self.assertTrue((ROOT / name).is_file(), name)
                # A file of constants alone has no lines that are counted.
                self.assertRegex((ROOT / name).read_text(), r"\b(func|init)\b", name)

    def test_a_row_adds_the_lines_of_its_files_and_misses_none(self):
        def exported(*names):
            lines = {"count": 40, "covered": 37}
            return {"data": [{"files": [{"filename": f"/sources/{name}", "summary": {"lines": lines}} for name in names]}]}

        self.assertEqual(
            fuzz_coverage.row("history", exported("IHave.swift", "IWant.swift")),
            "| `history` | 74 of 80 | 92 % | IHave 92 %, IWant 92 % |")
        with self.assertRaises(SystemExit):
            fuzz_coverage.row("history", exported("IHave.swift"))

    def test_the_table_is_replaced_and_nothing_else(self):
        document = f"before\n{fuzz_coverage.BEGIN}\nold\n{fuzz_coverage.END}\nbehind\n"
        once = fuzz_coverage.with_table(document, ["| `json` | 1 of 1 | 100 % | |"])
        self.assertIn("| `json` |", once)
        self.assertNotIn("old", once)
        self.assertTrue(once.startswith("before\n") and once.endswith("\nbehind\n"))
        self.assertEqual(fuzz_coverage.with_table(once, ["| `json` | 1 of 1 | 100 % | |"]), once)
        fuzz_coverage.with_table((ROOT / fuzz_coverage.DOCUMENT).read_text(), [])


class Words(unittest.TestCase):
    def test_wrong_arguments_are_reported_before_the_build(self):
        for words, told in ((["--fast"], "unknown option --fast"), (["coverage", "json", "20"], "unexpected 20"), (["all", "soon"], '"soon" is no number of seconds')):
            ran = subprocess.run([ROOT / "Scripts/fuzz", *words], capture_output=True, text=True, check=False, env=os.environ)
            self.assertEqual(ran.returncode, 2)
            self.assertIn(told, ran.stderr)


if __name__ == "__main__":
    unittest.main()

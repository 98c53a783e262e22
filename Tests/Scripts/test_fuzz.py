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
        described = re.findall(r"^\| `(\w+)` \|", (ROOT / "Docs/Fuzzing.md").read_text(), re.MULTILINE)
        self.assertEqual(described, targets)
        kept = {path.stem for path in (ROOT / "Tests/Fuzz/Corpus").glob("*.txt")}
        self.assertLessEqual(kept, set(targets))


class Words(unittest.TestCase):
    def test_wrong_arguments_are_reported_before_the_build(self):
        for words, told in ((["--fast"], "unknown option --fast"), (["all", "soon"], '"soon" is no number of seconds')):
            ran = subprocess.run([ROOT / "Scripts/fuzz", *words], capture_output=True, text=True, check=False, env=os.environ)
            self.assertEqual(ran.returncode, 2)
            self.assertIn(told, ran.stderr)


if __name__ == "__main__":
    unittest.main()

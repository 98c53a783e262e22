"""The lint for the words of comments, documents, messages and test names, in a small project of its own."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Scripts"))

import prose  # noqa: E402


def found(name, text):
    return prose.findings(Path(name), text)


class Findings(unittest.TestCase):
    def test_the_first_word_of_a_sentence_in_a_swift_comment_is_read(self):
        self.assertEqual(found("Sources/A.swift", "/// A peer. Whatever it sends\nlet a = 1  // What is left.\n"),
                         [(1, "Whatever"), (2, "What")])
        self.assertEqual(found("Sources/A.swift", "/* A block:\n * Who it is. */\n"), [(2, "Who")])
        self.assertEqual(found("Sources/C/a.h", "// Somebody\n"), [(1, "Somebody")])

    def test_a_word_that_begins_no_sentence_is_left_alone(self):
        self.assertEqual(found("Sources/A.swift", "/// A peer\n/// Who leaves. Says what is new, such as the same name.\n"), [])

    def test_a_clause_behind_a_colon_or_a_semicolon_is_read(self):
        text = "/// One line: what happened; who\n/// sent it. A name: somewhat: which of them is it; what else?\n"
        self.assertEqual(found("Sources/A.swift", text), [(1, "what"), (1, "who")])

    def test_some_words_are_found_anywhere_and_across_lines(self):
        text = "/// The node is\n/// told by somebody.\n///\n/// A record stands there; it stands for another.\n"
        self.assertEqual(found("Sources/A.swift", text), [(1, "is told"), (2, "somebody"), (4, "stands")])

    def test_code_and_questions_are_left_alone(self):
        self.assertEqual(found("Docs/A.md", "`Who` is a type. `nobody` is a user.\n\n## What is it?\n\n```\nnobody\n```\n"), [])

    def test_a_test_name_is_read_as_a_sentence(self):
        self.assertEqual(found("Tests/A.swift", "@Test func `what is sent arrives`() {}\n"), [(1, "What")])
        self.assertEqual(found("Tests/a.py", "def test_who_is_there(self):\n    pass\n"), [(1, "Who")])

    def test_a_message_is_read_in_the_sources_and_not_in_the_tests(self):
        text = 'say("nobody is here, \\(name)")\nsay("nobody")\n'
        self.assertEqual(found("Sources/A.swift", text), [(1, "nobody")])
        self.assertEqual(found("Tests/A.swift", text), [])
        self.assertEqual(found("Tests/a.py", '"""A file."""\nexpect("nobody is here")\n'), [])

    def test_comments_docstrings_and_messages_of_python_are_read(self):
        text = '#!/usr/bin/python3\n"""Whose it is."""\nx = 1  # What it is.\nfail(f"{x} is somebody else")\n'
        self.assertEqual(found("Scripts/a", text), found("Scripts/a.py", text))
        self.assertEqual(found("Scripts/a.py", text), [(2, "Whose"), (3, "What"), (4, "somebody")])

    def test_comments_and_messages_of_scripts_are_read(self):
        text = "#!/bin/sh\n# Nobody reads.\ndie 'could reach nobody here'\na=${#b}\n"
        self.assertEqual(found("Scripts/a", text), [(2, "Nobody"), (3, "nobody")])
        self.assertEqual(found("Scripts/a.json", text), [])

    def test_items_rows_and_cells_of_a_document_begin_sentences(self):
        text = "- Who\n- **What** it is\n\n| Such | nobody |\n| a | The same |\n"
        self.assertEqual([word for _, word in found("Docs/A.md", text)], ["Who", "What", "Such", "nobody", "The same"])


class Project(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def breaches(self):
        return list(prose.breaches(self.root))

    def test_a_file_above_its_count_fails_and_its_findings_are_listed(self):
        self.write("Sources/A.swift", "// Who.\n// Nobody.\n")
        self.write(prose.ALLOWED, "1 Sources/A.swift\n")
        self.assertEqual(self.breaches(), [
            'Sources/A.swift:1: "Who"', 'Sources/A.swift:2: "Nobody"',
            "Sources/A.swift: 2 words of the lint; Scripts/prose-allowed allows 1"])

    def test_a_file_below_its_count_fails_and_lowering_helps(self):
        self.write("Docs/A.md", "Who.\n")
        self.write(prose.ALLOWED, "2 Docs/A.md\n1 Docs/Removed.md\n")
        self.assertEqual([breach.split(":")[0] for breach in self.breaches()], ["Docs/A.md", "Docs/Removed.md"])
        self.assertEqual(prose.main(self.root, "--lower"), 0)
        self.assertEqual(self.breaches(), [])
        self.assertEqual((self.root / prose.ALLOWED).read_text(), "1 Docs/A.md\n")

    def test_lowering_never_raises_a_count(self):
        self.write("README.md", "Who. What.\n")
        self.write(prose.ALLOWED, "1 README.md\n")
        prose.lower(self.root)
        self.assertEqual((self.root / prose.ALLOWED).read_text(), "1 README.md\n")

    def test_without_a_list_lowering_allows_the_findings_of_now(self):
        self.write("Tests/a.py", "# Who.\n")
        self.write("Scripts/a.py", "")
        self.write("Sources/.build/B.swift", "// Who.\n")
        prose.lower(self.root)
        self.assertEqual((self.root / prose.ALLOWED).read_text(), "1 Tests/a.py\n")


if __name__ == "__main__":
    unittest.main()

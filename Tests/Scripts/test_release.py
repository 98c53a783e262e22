"""The release that Scripts/release makes of a clone, and its signatures."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts"))
import changelog  # noqa: E402


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=600, **options).stdout


def version():
    """The version and the date of Version.swift."""
    text = (ROOT / "Sources/Commands/Version.swift").read_text()
    return re.search(r'current = "(.*)"', text)[1], re.search(r'date = "(.*)"', text)[1]


class Changes(unittest.TestCase):
    def test_the_newest_section_is_of_the_version_of_the_sources(self):
        number, date = version()
        self.assertRegex((ROOT / "CHANGELOG.md").read_text(), rf"\A# Changes\n\n[^#]*\n## {re.escape(number)} \({date}\)\n")

    def test_sections_become_notes_and_a_changelog_of_debian(self):
        text = "# Changes\n\n## 2.0 (March 1, 2027)\n\nA second [one](x.md).\n\n- `--more` is new\n\n## 1.0 (January 2, 2027)\n\n- the first\n"
        self.assertEqual(changelog.notes(text, "1.0"), "- the first\n")
        with self.assertRaises(SystemExit):
            changelog.notes(text, "3.0")
        self.assertEqual(changelog.debian(text), (
            "earshot (2.0) stable; urgency=medium\n\n  A second one.\n  * --more is new\n\n"
            " -- The Earshot authors <authors@earshot.invalid>  Mon, 01 Mar 2027 00:00:00 +0000\n\n"
            "earshot (1.0) stable; urgency=medium\n\n  * the first\n\n"
            " -- The Earshot authors <authors@earshot.invalid>  Sat, 02 Jan 2027 00:00:00 +0000\n"))


@unittest.skipUnless(
    os.environ.get("EARSHOT_BINARY", "").endswith("/program/earshot"), "only with the program that Scripts/run builds")
class Release(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.clone = cls.folder / "clone"
        hidden = shutil.ignore_patterns(".git", ".build", ".scratch", "__pycache__")
        shutil.copytree(ROOT, cls.clone, ignore=hidden)
        git = ["git", "-C", cls.clone, "-c", "user.name=test", "-c", "user.email=test@earshot.invalid"]
        run(*git, "init", "--quiet")
        run(*git, "add", "--all")
        run(*git, "commit", "--quiet", "--message", "all")
        (cls.clone / ".build/program").mkdir(parents=True)
        shutil.copy(os.environ["EARSHOT_BINARY"], cls.clone / ".build/program/earshot")

    def test_it_has_all_files_with_hashes_and_signatures_that_hold(self):
        key, public = self.folder / "key", self.folder / "earshot.pub"
        run("minisign", "-G", "-W", "-p", public, "-s", key)
        out = self.folder / "release"
        run(self.clone / "Scripts/release", "--key", key, out)
        number, _ = version()
        made = {path.name for path in out.iterdir()}
        package = next(name for name in made if name.endswith(".deb"))
        files = {
            package, "SHA256SUMS",
            *(f"earshot-{number}{end}" for end in (".spdx.json", ".sources.sha256", ".notes.md", "-image.tar")),
        }
        self.assertEqual(made, files | {f"{name}.minisig" for name in files})
        run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=out)
        run("sha256sum", "--check", "--strict", out / f"earshot-{number}.sources.sha256", cwd=self.clone)
        listed = {line.split("  ", 1)[1] for line in (out / f"earshot-{number}.sources.sha256").read_text().splitlines()}
        self.assertEqual(listed, set(run("git", "-C", self.clone, "ls-files", "-z").split("\0")) - {""})
        self.assertIn(changelog.notes((ROOT / "CHANGELOG.md").read_text(), number), (out / f"earshot-{number}.notes.md").read_text())
        for name in files:
            run("minisign", "-V", "-p", public, "-m", out / name)
        with open(out / package, "ab") as file:
            file.write(b"x")
        with self.assertRaises(subprocess.CalledProcessError):
            run("minisign", "-V", "-p", public, "-m", out / package)

    def test_a_changed_work_tree_is_not_released(self):
        stray = self.clone / "stray"
        stray.touch()
        self.addCleanup(stray.unlink)
        done = subprocess.run([self.clone / "Scripts/release", self.folder / "none"], capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the work tree has changes", done.stderr)
        self.assertFalse((self.folder / "none").exists())

    def test_wrong_arguments_are_refused(self):
        for words in (["--key"], ["--key", "/nonexistent"], ["--fast"], ["one", "two"]):
            done = subprocess.run([self.clone / "Scripts/release", *words], capture_output=True, text=True, check=False, timeout=60)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn("usage: Scripts/release", done.stderr)


if __name__ == "__main__":
    unittest.main()

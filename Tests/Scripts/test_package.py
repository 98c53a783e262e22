"""The Debian package that Scripts/package makes."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

EXPECTED = {
    "usr/bin/earshot", "usr/lib/systemd/user/earshot.service", "usr/lib/systemd/user/earshot.socket",
    "usr/share/bash-completion/completions/earshot", "usr/share/doc/earshot/changelog.gz",
    "usr/share/doc/earshot/copyright", "usr/share/fish/vendor_completions.d/earshot.fish",
    "usr/share/man/man1/earshot.1.gz", "usr/share/zsh/vendor-completions/_earshot",
}


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120, **options).stdout


def files(folder):
    return {path.relative_to(folder).as_posix() for path in Path(folder).rglob("*") if not path.is_dir()}


@unittest.skipUnless(
    os.environ.get("EARSHOT_BINARY", "").endswith("/program/earshot"), "only with the program that Scripts/run builds")
class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.package = run(ROOT / "Scripts" / "package", folder.name).strip()

    def test_it_holds_what_it_should_and_is_made_alike_each_time(self):
        self.assertEqual(self.listed(), EXPECTED)
        again = run(ROOT / "Scripts" / "package", self.folder / "again").strip()
        self.assertEqual(Path(self.package).read_bytes(), Path(again).read_bytes())

    def listed(self):
        lines = run("dpkg-deb", "--contents", self.package).splitlines()
        return {line.split()[5].removeprefix("./") for line in lines if line.startswith("-")}

    def test_it_names_the_libraries_that_the_program_loads_and_needs_no_toolchain(self):
        self.assertEqual(run("dpkg-deb", "--field", self.package, "Recommends"), "libwebsockets17\n")
        depends = run("dpkg-deb", "--field", self.package, "Depends")
        for library in ("libc6 (>=", "libsodium23", "libavahi-common3", "libavahi-client3", "libavahi-core7"):
            self.assertIn(library, depends)
        # The page needs it, and the message of a missing library comes late.
        self.assertEqual(run("dpkg-deb", "--field", self.package, "Recommends").strip(), "libwebsockets17")
        self.assertNotIn("swift", run("ldd", os.environ["EARSHOT_BINARY"]))

    def test_it_is_installed_runs_and_leaves_nothing_behind(self):
        root = self.folder / "root"
        for folder in ("var/lib/dpkg/info", "var/lib/dpkg/updates"):
            (root / folder).mkdir(parents=True)
        for name in ("status", "available"):
            (root / "var/lib/dpkg" / name).touch()
        dpkg = ["dpkg", f"--root={root}", "--force-not-root", "--force-depends", "--force-script-chrootless", "--log=/dev/null"]
        before = files(root)
        run(*dpkg, "--install", self.package)
        self.assertLessEqual(EXPECTED, files(root))
        self.assertIn("earshot ", run(root / "usr/bin/earshot", "--version"))
        run(*dpkg, "--purge", "earshot")
        self.assertEqual({name for name in files(root) - before if not name.startswith("var/lib/dpkg/")}, set())
        self.assertFalse((root / "usr").exists())

    def test_its_units_are_sound(self):
        units = [str(ROOT / "Scripts" / "systemd" / name) for name in ("earshot.service", "earshot.socket")]
        for unit in units:
            text = Path(unit).read_text()
            self.assertEqual(text.count("[Unit]"), 1)
        self.assertIn("NoNewPrivileges=yes", Path(units[0]).read_text())
        # The journal would write messages to a disk.
        self.assertNotIn("StandardOutput=journal", Path(units[0]).read_text())
        self.assertIn("StandardOutput=truncate:%t/", Path(units[0]).read_text())


if __name__ == "__main__":
    unittest.main()

"""The Debian package that Scripts/package makes."""

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

EXPECTED = {
    "usr/bin/earshot", "usr/lib/systemd/user/earshot.service", "usr/lib/systemd/user/earshot.socket",
    "usr/share/bash-completion/completions/earshot", "usr/share/doc/earshot/changelog.gz",
    "usr/share/doc/earshot/copyright", "usr/share/doc/earshot/earshot.spdx.json", "usr/share/fish/vendor_completions.d/earshot.fish",
    "usr/share/applications/earshot.desktop", "usr/share/icons/hicolor/scalable/apps/earshot.svg",
    "usr/share/metainfo/invalid.earshot.earshot.metainfo.xml", "usr/share/man/man1/earshot.1.gz", "usr/share/zsh/vendor-completions/_earshot",
}


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=300, **options).stdout


def spdx_faults(path):
    """The messages of an independent reader of SPDX."""
    from spdx_tools.spdx.parser.json.json_parser import parse_from_file
    from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
    return [message.validation_message for message in validate_full_spdx_document(parse_from_file(str(path)))]


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
        environment = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
        cls.package = run(ROOT / "Scripts" / "package", folder.name, env=environment).strip()
        run("dpkg-deb", "--extract", cls.package, cls.folder / "extracted")

    def test_it_holds_what_it_should(self):
        self.assertEqual(self.listed(), EXPECTED)

    def test_it_is_the_same_from_two_folders_users_umasks_locales_and_time_zones(self):
        other = self.copy_of_the_sources()
        time = int((self.folder / "extracted/usr").stat().st_mtime)
        surroundings = {
            **os.environ, "SOURCE_DATE_EPOCH": str(time), "TZ": "Asia/Seoul", "LC_ALL": "ko_KR.UTF-8", "LANGUAGE": "ko", "HOME": "/nonexistent",
            "TMPDIR": str(other / "temporary"), "COLUMNS": "40", "EARSHOT_ROOM": "kitchen", "DPKG_DEB_COMPRESSOR_LEVEL": "1",
        }
        # Another user has its own umask and folders, and a group that its folders hand down.
        user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        theirs = run(*user, "sh", "-c", 'umask 077 && exec "$@"', "sh", other / "Scripts/package", other / "out", env=surroundings, cwd="/").strip()
        self.assert_equal_packages(self.package, theirs)

    def copy_of_the_sources(self):
        """A copy without a history, whose files have other times, and which a package can be made in by any user."""
        self.folder.chmod(0o755)
        copy = self.folder / "elsewhere" / "in a folder"
        copy.mkdir(parents=True)
        for name in os.listdir(ROOT):
            if (ROOT / name).is_dir() and not name.startswith("."):
                shutil.copytree(ROOT / name, copy / name, copy_function=shutil.copy, ignore=shutil.ignore_patterns(".scratch", "__pycache__"))
            elif (ROOT / name).is_file():
                shutil.copy(ROOT / name, copy / name)
        (copy / "temporary").mkdir()
        (copy / "out").mkdir()
        for path in [copy, *copy.rglob("*")]:
            path.chmod(0o2777 if path.is_dir() else path.stat().st_mode | 0o444)
        (copy / ".build/program").mkdir(parents=True)
        shutil.copy(os.environ["EARSHOT_BINARY"], copy / ".build/program/earshot")
        return copy

    def assert_equal_packages(self, first, second):
        if Path(first).read_bytes() == Path(second).read_bytes():
            return
        explained = "install diffoscope to see what differs"
        if shutil.which("diffoscope"):
            explained = subprocess.run(["diffoscope", first, second], capture_output=True, text=True, timeout=120, check=False).stdout
        self.fail(f"two packages of one program differ:\n{explained}")

    def test_its_time_is_that_of_the_last_commit(self):
        if not (ROOT / ".git").exists():
            self.skipTest("no history here")
        committed = run("git", "-c", f"safe.directory={ROOT}", "-C", ROOT, "log", "-1", "--format=%ct")
        times = {int(path.stat().st_mtime) for path in (self.folder / "extracted").rglob("*")}
        self.assertEqual(times, {int(committed)})

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

    def test_its_desktop_entry_starts_the_page_and_both_descriptions_are_valid(self):
        share = self.folder / "extracted/usr/share"
        entry = share / "applications/earshot.desktop"
        run("desktop-file-validate", entry)
        run("appstreamcli", "validate", "--no-net", "--pedantic", share / "metainfo/invalid.earshot.earshot.metainfo.xml")
        self.assertIn("\nExec=earshot --web --open\n", entry.read_text())
        self.assertTrue((share / "icons/hicolor/scalable/apps/earshot.svg").exists())
        # Both names of the version are of one place.
        described = (share / "metainfo/invalid.earshot.earshot.metainfo.xml").read_text()
        self.assertIn(f'version="{run("dpkg-deb", "--field", self.package, "Version").strip()}"', described)

    def test_its_list_of_materials_is_valid_and_complete(self):
        path = self.folder / "extracted/usr/share/doc/earshot/earshot.spdx.json"
        listed = json.loads(path.read_text())
        self.assertEqual(spdx_faults(path), [])
        self.assertEqual({entry["fileName"].removeprefix("./") for entry in listed["files"]}, EXPECTED - {"usr/share/doc/earshot/earshot.spdx.json"})
        for entry in listed["files"]:
            content = (self.folder / "extracted" / entry["fileName"]).read_bytes()
            for hashed in entry["checksums"]:
                self.assertEqual(hashlib.new(hashed["algorithm"].lower(), content).hexdigest(), hashed["checksumValue"])
        names = {package["name"] for package in listed["packages"]}
        needed = ("libc6", "libstdc++6", "libsodium23", "libavahi-client3", "libavahi-core7", "libwebsockets17", "librabbitmq4", "libqrencode4")
        self.assertLessEqual({"earshot", "swift-runtime", *needed}, names)
        for package in listed["packages"][2:]:
            self.assertEqual(run("dpkg-query", "-W", "-f", "${Version}", package["name"]), package["versionInfo"])

    def test_a_wrong_list_of_materials_is_refused(self):
        listed = json.loads((self.folder / "extracted/usr/share/doc/earshot/earshot.spdx.json").read_text())
        listed["packages"][0]["SPDXID"] = "SPDXRef-another"
        wrong = self.folder / "wrong.spdx.json"
        wrong.write_text(json.dumps(listed))
        self.assertNotEqual(spdx_faults(wrong), [])

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

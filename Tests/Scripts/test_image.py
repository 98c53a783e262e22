"""The container image that Scripts/image makes: its layout, its hashes, and the program that starts in its layer alone."""

import gzip
import hashlib
import json
import os
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@unittest.skipUnless(
    os.environ.get("EARSHOT_BINARY", "").endswith("/program/earshot"), "only with the program that Scripts/run builds")
class Image(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.image = Path(cls.make(cls.folder / "image"))
        with tarfile.open(cls.image) as tar:
            cls.files = {member.name: tar.extractfile(member).read() for member in tar if member.isfile()}

    @staticmethod
    def make(folder):
        command = [ROOT / "Scripts/image", folder]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout.strip()

    def blob(self, described):
        """The content that a descriptor names, by its hash and its length."""
        kind, digest = described["digest"].split(":")
        content = self.files[f"blobs/{kind}/{digest}"]
        self.assertEqual((hashlib.new(kind, content).hexdigest(), len(content)), (digest, described["size"]))
        return content

    def parts(self):
        """The configuration and the layers of the one manifest."""
        [described] = json.loads(self.files["index.json"])["manifests"]
        manifest = json.loads(self.blob(described))
        return json.loads(self.blob(manifest["config"])), [self.blob(layer) for layer in manifest["layers"]]

    def test_each_blob_has_its_hash_and_each_is_named(self):
        self.assertEqual(json.loads(self.files["oci-layout"]), {"imageLayoutVersion": "1.0.0"})
        config, layers = self.parts()
        self.assertEqual(config["rootfs"]["diff_ids"], [f"sha256:{hashlib.sha256(gzip.decompress(layer)).hexdigest()}" for layer in layers])
        self.assertEqual(sum(name.startswith("blobs/") for name in self.files), len(layers) + 2)
        [older] = json.loads(self.files["manifest.json"])
        self.assertEqual(json.loads(self.files[older["Config"]]), config)
        self.assertEqual([self.files[name] for name in older["Layers"]], layers)

    def test_it_runs_as_another_user_than_root_and_has_no_shell(self):
        config, _ = self.parts()
        user = config["config"]["User"].split(":")[0]
        self.assertNotEqual(user, "0")
        with self.extracted() as root:
            self.assertIn(f"earshot:x:{user}:", (root / "etc/passwd").read_text())
            self.assertEqual([path.name for path in (root / "usr/bin").iterdir()], ["earshot"])

    def extracted(self):
        folder = tempfile.TemporaryDirectory(dir=self.folder)
        _, [layer] = self.parts()
        subprocess.run(["tar", "-xzC", folder.name, "--no-same-owner"], input=layer, check=True, timeout=60)

        class Root:
            def __enter__(_):
                return Path(folder.name)

            def __exit__(_, *error):
                folder.cleanup()

        return Root()

    def test_the_program_starts_and_finds_its_libraries_in_the_layer_alone(self):
        config, _ = self.parts()
        with self.extracted() as root:
            command = ["unshare", "--map-root-user", "--net", "chroot", root, *config["config"]["Entrypoint"]]
            environment = dict(pair.split("=", 1) for pair in config["config"]["Env"])

            def answer(*words):
                return subprocess.run([*command, *words], capture_output=True, text=True, timeout=60, check=False, env={**environment, "PATH": os.environ["PATH"]})

            done = answer("--version")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(done.stdout.strip(), f"earshot {config['config']['Labels']['org.opencontainers.image.version']}")
            # A layer without one of them does not start.
            next((root / "usr/lib").rglob("libsodium.so.*")).unlink()
            self.assertNotEqual(answer("--version").returncode, 0)

    def test_two_images_of_one_program_are_equal(self):
        self.assertEqual(self.image.read_bytes(), Path(self.make(self.folder / "again")).read_bytes())


if __name__ == "__main__":
    unittest.main()

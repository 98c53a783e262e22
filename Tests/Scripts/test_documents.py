"""The program's manual page and completions, read by mandoc and by the shells."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from earshot_node import BINARY


def written(*options):
    return subprocess.run([BINARY, "help", *options], check=True, capture_output=True, text=True, timeout=30).stdout


class Documents(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def save(self, name, *options):
        path = self.folder / name
        path.write_text(written(*options))
        return str(path)

    def output(self, command, **options):
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, cwd=self.folder, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout.split()

    def bash(self, line):
        """The completions that bash offers for the last word of a line."""
        path = self.save("earshot.bash", "--completion", "bash")
        script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _earshot; printf "%s\\n" "${COMPREPLY[@]}"'
        return self.output(["bash", "-uc", script, "bash", path, *line.split(" ")])

    def test_bash_completes_options_commands_and_values(self):
        self.assertEqual(self.bash("earshot --no"), ["--no-history", "--no-input", "--notify", "--no-control", "--no-config"])
        self.assertEqual(self.bash("earshot do"), ["doctor"])
        self.assertEqual(self.bash("earshot chat --discovery e"), ["embedded"])
        self.assertEqual(self.bash("earshot --log-level "), ["error", "warning", "info", "debug"])
        self.assertEqual(self.bash("earshot doctor --j"), ["--json"])
        self.assertEqual(self.bash("earshot doctor --ni"), [])
        self.assertEqual(self.bash("earshot help d"), ["doctor"])
        self.assertEqual(self.bash("earshot --nick "), [])
        (self.folder / "settings here").touch()
        self.assertEqual(self.bash("earshot --config sett"), ["settings", "here"])

    def test_fish_completes_options_commands_and_values(self):
        path = self.save("earshot.fish", "--completion", "fish")

        def offered(line):
            home = dict(os.environ, HOME=str(self.folder), XDG_CONFIG_HOME=str(self.folder))
            script = 'source $argv[1]; complete -C $argv[2] | string split -f1 \\t; true'
            return set(self.output(["fish", "--no-config", "-c", script, path, line], env=home))

        self.assertEqual(offered("earshot --no-"), {"--no-history", "--no-input", "--no-control", "--no-config"})
        self.assertEqual(offered("earshot do"), {"doctor"})
        self.assertEqual(offered("earshot --discovery e"), {"embedded"})
        self.assertEqual(offered("earshot doctor --j"), {"--json"})
        self.assertEqual(offered("earshot doctor --ni"), set())

    def test_zsh_loads_its_completion(self):
        path = Path(self.save("_earshot", "--completion", "zsh"))
        self.assertTrue(path.read_text().startswith("#compdef earshot\n"))
        self.output(["zsh", "-fn", str(path)])
        script = 'fpath=("$1" $fpath); autoload -Uz compinit; compinit -u -D; [ "${_comps[earshot]}" = _earshot ]'
        self.output(["zsh", "-fc", script, "zsh", str(self.folder)])

    def test_the_manual_page_is_sound(self):
        self.output(["mandoc", "-T", "lint", "-W", "warning", self.save("earshot.1", "--man")])

    def test_every_document_knows_every_option(self):
        for name in ("chat", "send", "tail", "who", "stats", "doctor", "identity", "help"):
            options = [word for word in written(name).split() if word.startswith("--")]
            self.assertIn("--help", options)
            for option in options:
                self.assertIn(f"Fl Fl {option[2:]}".replace("-", "\\-"), written("--man"), option)
                for shell, text in (("bash", option), ("zsh", f"{option}["), ("fish", f"-l {option[2:]} ")):
                    self.assertIn(text, written("--completion", shell), (option, shell))


if __name__ == "__main__":
    unittest.main()

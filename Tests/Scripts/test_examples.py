"""The examples in the documents work as they are written: each block of commands is taken from its page and run.

`earshot`, and `Scripts/run`, are the program under test. A block that this file does not know fails a test, so that a new example
is run too, or is named here with the reason why it is not. Tests/Bridge runs those that need a broker.
"""

import os
import pathlib
import pty
import re
import signal
import subprocess
import tempfile
import unittest

from earshot_node import BINARY, ROOT, Node

PAGES = ("README.md", "Docs/Options.md", "Docs/Control.md", "Docs/Bridge.md", "Docs/Simulation.md", "Docs/Troubleshooting.md")
# The first words of blocks that are no example to run here, with the reason.
ELSEWHERE = {
    "earshot [chat] [options]": "a usage line",
    "Scripts/test ": "names of scripts, which a test looks for",
    "Scripts/package": "test_package.py makes the package and looks into it",
    "sudo apt-get install rabbitmq-server": "Tests/Bridge runs it with its own broker",
    "earshot --nick ann --discovery none --bridgeable on": "Tests/Bridge runs it with its own broker",
    "sudo openssl req -x509": "it changes the machine's broker; Tests/Bridge has certificates of its own",
    "for n in 1 2; do": "it makes network namespaces on the machine; Tests/Bridge has networks of its own",
    "routing key = ": "a format",
    "earshot send [--in ROOM]": "usage lines",
    '{"event":"line"': "a format",
}


def blocks(page):
    """The indented blocks of a page, without their indentation; Tests/Examples runs those between fences."""
    found, current = [], []
    for line in re.sub(r"^```.*?^```$", "", (ROOT / page).read_text(), flags=re.DOTALL | re.MULTILINE).splitlines() + ["the end"]:
        if line.startswith("    ") or current and not line:
            current.append(line[4:])
        elif current:
            found.append("\n".join(current).rstrip())
            current = []
    return found


class Examples(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="earshot-examples.")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for part in ("Scripts", "bin", "home", "run"):
            (self.folder / part).mkdir(mode=0o700)
        for name in ("Scripts/run", "bin/earshot"):
            os.symlink(BINARY, self.folder / name)
        self.environment = os.environ | {
            "HOME": str(self.folder / "home"), "XDG_RUNTIME_DIR": str(self.folder / "run"),
            "PATH": f"{self.folder}/bin:{os.environ['PATH']}"}
        self.environment.pop("XDG_CONFIG_HOME", None)

    def block(self, page, start):
        found = [block for block in blocks(page) if block.startswith(start)]
        self.assertEqual(len(found), 1, f"{page}: {start}")
        return found[0]

    def run_block(self, text, input="", timeout=90, **more):
        """Runs a block as a person would enter it, line by line, all of which must succeed."""
        return subprocess.run(["bash", "-euo", "pipefail", "-c", text], input=input, capture_output=True, text=True, timeout=timeout,
                              cwd=self.folder, env=self.environment | more)

    def succeeds(self, text, **more):
        done = self.run_block(text, **more)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def node(self, name, *options):
        node = Node(lambda command, **more: subprocess.Popen(command, cwd=self.folder, env=self.environment, **more), name, *options)
        self.addCleanup(node.process.wait)
        self.addCleanup(node.process.kill)
        node.ready()
        return node

    def test_every_block_is_known(self):
        source = pathlib.Path(__file__).read_text()

        def starts(page):
            return [double or single for double, single in
                    re.findall(r'self\.block\("' + re.escape(page) + r"""", (?:"([^"]+)"|'([^']+)')\)""", source)]

        for page in PAGES:
            for block in blocks(page):
                first = block.splitlines()[0]
                is_run = any(first.startswith(words) for words in starts(page))
                is_elsewhere = any(first.startswith(words) for words in ELSEWHERE)
                self.assertTrue(is_run or is_elsewhere, f"{page}: no test runs this example:\n{block}")

    def test_the_start(self):
        block = self.block("README.md", "Scripts/run            # chat")
        done = self.run_block(block.replace("\n", "\n set +e; "), input="hello\n")
        self.assertIn("hello", done.stdout)
        # On a network without other machines the doctor finds a problem, and says so by its code.
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertRegex(done.stdout, r"(no|\d+) problems?, (no|\d+) notes?\n\Z")

    def test_the_doctor(self):
        done = self.run_block(self.block("Docs/Troubleshooting.md", "earshot doctor"))
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertRegex(done.stdout, r"(no|\d+) problems?, (no|\d+) notes?\n\Z")

    def test_a_private_room(self):
        done = self.succeeds(self.block("Docs/Options.md", "(umask 077; earshot room new kitchen"), input="for the kitchen\n")
        self.assertIn("in kitchen", done.stdout)
        self.assertIn("for the kitchen", done.stdout)
        self.assertEqual((self.folder / "kitchen.key").stat().st_mode & 0o777, 0o600)

    def test_a_kept_identity(self):
        block = "earshot --identity ~/.local/share/earshot/me"
        self.assertIn("`--identity FILE`", (ROOT / "README.md").read_text())
        names = [re.search(r"you are (\S+) in", self.succeeds(block, input="hello\n").stdout)[1] for _ in range(2)]
        self.assertEqual(names[0].split("#")[1], names[1].split("#")[1])

    def test_an_identity_with_a_pass_phrase(self):
        new, show = self.block("Docs/Options.md", "earshot identity new").splitlines()
        self.type(new, "a long pass phrase", "a long pass phrase")
        self.assertRegex(self.type(show, "a long pass phrase"), r"#\d{4}")

    def type(self, command, *answers):
        """The output of a command at a terminal, which asks for each answer; it must succeed."""
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.folder)
            os.execvpe("bash", ["bash", "-c", command], self.environment)
        seen, asked, waiting = b"", 0, [answer.encode() + b"\n" for answer in answers]
        try:
            while data := os.read(terminal, 1024):
                seen += data
                lines = seen.split(b"\n")
                # A question has a line of its own, which ends after its answer: an answer before the question would be dropped.
                if waiting and len(lines) > asked and lines[-1].rstrip().endswith(b":"):
                    os.write(terminal, waiting.pop(0))
                    asked = len(lines)
        except OSError:
            pass  # Linux says so at the end of a terminal.
        os.close(terminal)
        self.assertEqual((os.waitpid(process, 0)[1], waiting), (0, []), seen)
        return seen.decode()

    def test_the_configuration_file(self):
        path = self.folder / "home/.config/earshot"
        path.mkdir(parents=True)
        (path / "config").write_text(self.block("Docs/Options.md", "# the secrets are in files of their own") + "\n")
        self.assertRegex(self.succeeds("earshot --plain", input="hello\n").stdout, r"you are quiet-otter#\d{4} in kitchen")

    def test_other_programs_and_the_running_node(self):
        _, other = self.pair()
        (self.folder / "Makefile").write_text("all:\n\t@echo it is built\n")
        lines = self.block("Docs/Options.md", "earshot send the build is done").replace("4821", str(other.number)).splitlines()
        tail = subprocess.Popen(["bash", "-c", f"exec {lines.pop()}"], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, text=True)
        self.addCleanup(tail.stdout.close)
        self.addCleanup(tail.wait)
        self.addCleanup(tail.kill)
        self.assertIn("in lobby", tail.stdout.readline())
        for line in lines:
            self.succeeds(line)
        other.hears("the build is done")
        other.hears("it is built")
        other.wait(lambda e: e["event"] == "request" and e["text"] == "hello", "request")
        self.assertIn("the build is done", tail.stdout.readline())
        tail.send_signal(signal.SIGTERM)

    def pair(self):
        """Ann, whose node has a control socket, and ben, who has a link with her."""
        ann = self.node("ann", "--discovery", "none")
        ben = Node(subprocess.Popen, "ben", "--discovery", "none", "--no-control", "--peer", f"127.0.0.1:{ann.ready()['port']}")
        self.addCleanup(ben.process.wait)
        self.addCleanup(ben.process.kill)
        ann.sees(ben)
        return ann, ben

    def test_a_shell_asks_the_control_socket(self):
        _, ben = self.pair()
        block = self.block("Docs/Control.md", "echo 'command /who'")
        self.assertEqual(self.succeeds(block).stdout, f"ben#{ben.number}\n")
        lines = self.succeeds(block.split(" | jq")[0]).stdout.splitlines()
        self.assertEqual(lines[0], self.block("Docs/Control.md", '{"event":"control"'))
        self.assertEqual(lines[-1], self.block("Docs/Control.md", '{"event":"end"'))

    def test_a_node_without_input_has_its_socket_in_a_file(self):
        start, send = self.block("Docs/Control.md", "earshot --no-input").splitlines()
        waiting = "until [ -S ~/earshot.socket ]; do sleep 0.05; done"
        tail = "earshot tail --history --json --control ~/earshot.socket | sed -n '/\"history\"/{p;q}'"
        done = self.succeeds("\n".join((start, waiting, send, tail, "kill %1")), XDG_RUNTIME_DIR="")
        self.assertIn('"text":"hello"', done.stdout)

    def test_a_collector_gets_the_counters(self):
        self.pair()
        self.succeeds(self.block("Docs/Control.md", "earshot stats --prometheus"), collector=str(self.folder))
        self.assertIn("\nearshot_peers 1\n", (self.folder / "earshot.prom").read_text())
        self.assertFalse((self.folder / "metrics.tmp").exists())

    def test_scripts_that_are_named_are_there(self):
        for line in self.block("CONTRIBUTING.md", "Scripts/test ").splitlines():
            self.assertTrue(os.access(ROOT / line.split()[0], os.X_OK), line)

    def test_a_bridge_keeps_trying_while_its_brokers_have_no_address(self):
        (self.folder / "kitchen.key").write_text(self.succeeds("earshot room new kitchen").stdout)
        (self.folder / "kitchen.key").chmod(0o600)
        done = self.succeeds(self.block("Docs/Bridge.md", "earshot bridge new bridge.key"), input="secret\n")
        self.assertIn("made a bridge key in bridge.key", done.stdout)
        self.assertIn("in kitchen", done.stdout)
        self.assertEqual((self.folder / "broker.password").read_text(), "secret\n")

    def test_the_simulation_prints_what_the_page_shows(self):
        command, *shown = self.block("Docs/Simulation.md", "$ earshot simulate --nodes 50 --loss 2").splitlines()
        printed = self.succeeds(command.removeprefix("$ ")).stdout

        def lines(text):
            # Times change with every change of the protocol; what is delivered does not.
            return [re.sub(r" +[\d.]+ ms ?", " TIME ", line).strip() for line in text if line.strip() not in ("", "…")]
        self.assertEqual([line for line in lines(shown) if line not in lines(printed.splitlines())], [], printed)


if __name__ == "__main__":
    unittest.main()

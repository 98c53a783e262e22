"""Every block of code in README and the documents: its syntax is right, its commands and options exist, and what can run on one
machine without changing it is run as it is written, but for ports."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import time
import unittest

import documents
from earshot_node import BINARY, ROOT, Lines, Node
from web import Served, WebTest, started

BLOCKS = list(documents.blocks(ROOT))
# Words that a shell's line of these documents begins with.
SHELL = re.compile(r"(?:\$ )?(?:earshot|Scripts/\w+|sudo|curl|make|echo|for|done|xdg-open|source|export|\(umask|rabbitmq\S*|python3|swift|minisign|docker|podman)(?=\s)|\(umask|token=")
# Documents whose indented blocks may be formulas, rows of bytes, settings or pictures of a screen.
DATA = ("Docs/Protocol.md", "Docs/Bridge.md", "Docs/Options.md", "Docs/Commands.md", "Docs/Simulation.md", "Docs/Benchmarks.md")


def is_shell(block):
    return block.language in ("sh", "bash", "shell") or block.language == "indented" and bool(SHELL.match(block.text))


class Syntax(unittest.TestCase):
    def test_each_block_is_of_a_kind_that_is_checked(self):
        for block in BLOCKS:
            with self.subTest(file=block.file, line=block.line):
                is_json = block.text.startswith("{")
                known = block.language in ("python", "javascript", "swift") or is_shell(block) or is_json
                self.assertTrue(known or block.language == "" or block.file in DATA, block.text)

    def test_python(self):
        for block in BLOCKS:
            if block.language == "python":
                ast.parse(block.text, f"{block.file}:{block.line}")

    @unittest.skipUnless(shutil.which("node"), "there is no Node.js")
    def test_javascript(self):
        for block in BLOCKS:
            if block.language == "javascript":
                checked = subprocess.run(["node", "--input-type=module", "--check"], input=block.text, text=True, capture_output=True)
                self.assertEqual(checked.returncode, 0, f"{block.file}:{block.line}: {checked.stderr}")

    def test_json_lines(self):
        for block in BLOCKS:
            for line in block.text.splitlines() if block.text.startswith("{") else ():
                json.loads(re.sub(r"\{…\}", "{}", line))

    def test_shell_and_its_scripts(self):
        for block in BLOCKS:
            if not is_shell(block):
                continue
            checked = subprocess.run(["bash", "-n"], input=block.text.replace("$ earshot", "earshot"), text=True, capture_output=True)
            self.assertEqual(checked.returncode, 0, f"{block.file}:{block.line}: {checked.stderr}")
            for script in re.findall(r"\bScripts/\w+", block.text):
                self.assertTrue(os.access(ROOT / script, os.X_OK), f"{block.file}:{block.line}: {script}")

    def test_options_of_the_program_exist(self):
        manual = "".join(subprocess.run([BINARY, *words, "--help"], text=True, capture_output=True).stdout for words in (
            [], ["doctor"], ["simulate"], ["send"], ["tail"], ["who"], ["stats"], ["identity"], ["room"], ["bridge"]))
        for block in BLOCKS:
            for line in block.text.splitlines() if is_shell(block) else ():
                for command in re.findall(r"(?:^|[|;&(] *|\$ )(?:earshot|Scripts/run) ([^|;&>]*)", line.split("  #")[0]):
                    for option in re.findall(r"(?<!\S)\[?(--[a-z-]+)", command):
                        self.assertIn(option, manual, f"{block.file}:{block.line}: {line}")

    @unittest.skipUnless(os.environ.get("EARSHOT_EXAMPLES"), "EARSHOT_EXAMPLES names no folder with built modules")
    def test_swift(self):
        modules = os.path.join(os.environ["EARSHOT_EXAMPLES"], "Modules")
        for block in BLOCKS:
            if block.language != "swift":
                continue
            with self.subTest(file=block.file, line=block.line):
                self.check_swift(block, modules)

    def check_swift(self, block, modules):
        lines = block.text.splitlines()
        imports = [line for line in lines if line.startswith(("import ", "@testable "))]
        body = [line for line in lines if line not in imports]
        if block.text.startswith("// swift-tools-version"):
            # A manifest is compiled with the module of SwiftPM.
            library = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("swiftc")))), "lib/swift/pm/ManifestAPI")
            command, text = ["-I", library, "-swift-version", "5", "-package-description-version", "6.0"], block.text
        elif any(re.match(r"@main|@Test|@Suite|(?:public |final )*(?:struct|enum|func|class|extension)\b", line) for line in body):
            command, text = ["-I", modules], block.text
        else:
            needed = imports or ["import Earshot"]
            text = "\n".join([*needed, "func example(_ room: Room) async throws {" if "Room.join" not in block.text else "func example() async throws {",
                              *body, "}"])
            command = ["-I", modules]
        maps = [f"-fmodule-map-file={path}" for path in sorted((ROOT / "Sources").glob("C*/module.modulemap"))]
        maps.append(f"-fmodule-map-file={ROOT}/Sources/CLinux/include/module.modulemap")
        flags = [word for each in maps if os.path.exists(each.split("=")[1]) for word in ("-Xcc", each)]
        checked = subprocess.run(["swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", *command, *flags, "-"],
                                 input=text, text=True, capture_output=True)
        self.assertEqual(checked.returncode, 0, f"{block.file}:{block.line}: {checked.stderr}\n{text}")


class Runs(WebTest):
    """Blocks that are run with a node that has the usual place of its socket."""

    def setUp(self):
        super().setUp()
        os.mkdir(f"{self.folder}/earshot", 0o700)
        os.mkdir(f"{self.folder}/bin")
        os.mkdir(f"{self.folder}/Scripts")
        os.symlink(BINARY, f"{self.folder}/bin/earshot")
        os.symlink(BINARY, f"{self.folder}/Scripts/run")
        self.environment = os.environ | {"XDG_RUNTIME_DIR": self.folder, "HOME": self.folder,
                                         "PATH": f"{self.folder}/bin:{os.environ['PATH']}"}
        self.control = f"{self.folder}/earshot/control"

    def node(self, *options):
        node = Node(started, "alice", "--discovery", "none", "--rate", "1000", "--control", self.control, *options)
        self.addCleanup(lambda: node.process.poll() is None and node.kill())
        node.ready()
        return node

    def block(self, file, start):
        return documents.block(ROOT, file, start).text

    def shell(self, text, **options):
        return subprocess.run(["bash", "-euc", text], cwd=self.folder, env=self.environment, text=True, capture_output=True, timeout=60, **options)

    def begin(self, command, **options):
        process = subprocess.Popen(command, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **options)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process, Lines(process.stdout)

    def expect(self, lines, text, seconds=30):
        deadline = time.monotonic() + seconds
        while item := lines.next(deadline):
            if text in item[1]:
                return item[1]
        self.fail(f"no line with {text!r}; it said {lines.seen}")

    def hears(self, node, text):
        return node.wait(lambda event: event["event"] == "message" and event["text"] == text, f"message {text!r}")

    def test_the_commands_for_other_programs(self):
        node = self.node()
        other = self.person("bob", type("Of", (), {"node": node}))
        lines = self.block("Docs/Options.md", "earshot send the build").splitlines()
        _, tail = self.begin(["bash", "-c", lines[3]])
        for line in lines[:3]:
            line = line.replace("make 2>&1", "echo all is built").replace("4821", str(other.number))
            result = self.shell(line)
            self.assertEqual(result.returncode, 0, result.stderr)
        self.hears(node, "the build is done")
        self.hears(node, "all is built")
        request = other.wait(lambda event: event["event"] == "request", "request")
        self.assertEqual(request["text"], "hello")
        self.expect(tail, "lobby, an open room")
        node.say("last")
        self.expect(tail, "> last")

    def test_a_key_of_a_private_room_is_made_and_used(self):
        make, use = self.block("Docs/Options.md", "(umask 077; earshot room").splitlines()
        self.assertEqual(self.shell(make).returncode, 0)
        result = self.shell(use + " --discovery none --json --no-control", stdin=subprocess.DEVNULL)
        ready = json.loads(result.stdout.splitlines()[0])
        self.assertEqual((ready["event"], ready["room"]), ("ready", "kitchen"), result.stderr)

    @unittest.skipUnless(shutil.which("socat") and shutil.which("jq"), "there is no socat or jq")
    def test_a_shell_asks_the_control_socket(self):
        node = self.node()
        other = self.person("bob", type("Of", (), {"node": node}))
        result = self.shell(self.block("Docs/Control.md", "echo 'command /who'"))
        self.assertEqual(result.stdout, f"bob#{other.number}\n", result.stderr)

    def test_a_node_and_a_command_meet_at_a_named_file(self):
        block = self.block("Docs/Control.md", "earshot --no-input --control")
        start, send = block.splitlines()
        text = f"{start.replace('--no-input', '--no-input --discovery none')}\nnode=$!\n" \
               f"until {send} 2>/dev/null; do kill -0 $node; sleep 0.1; done\nkill -TERM $node; wait $node || true\n"
        result = self.shell(text)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_metrics_are_written_to_a_file(self):
        self.node()
        result = self.shell("collector=.\n" + self.block("Docs/Control.md", "earshot stats --prometheus"))
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(f"{self.folder}/earshot.prom") as file:
            self.assertIn("earshot_peers 0", file.read())

    def test_the_simulation_prints_what_the_document_shows(self):
        command, *_ = self.block("Docs/Simulation.md", "$ earshot simulate").splitlines()
        result = self.shell(command.removeprefix("$ "))
        self.assertEqual(result.returncode, 0, result.stderr)
        shown = [block.text for block in BLOCKS if block.file == "Docs/Simulation.md" and block.language == "indented"]
        # The figures are of one version; the rows are not.
        rows = [re.sub(r"[\d., ]+", " ", line) for line in result.stdout.splitlines()]
        for line in "".join(shown).splitlines()[1:]:
            if line.strip() != "…":
                self.assertIn(re.sub(r"[\d., ]+", " ", line), rows)

    def test_the_bot_of_the_json_document(self):
        source = self.block("Docs/JSON.md", "import json, subprocess")
        node = self.node()
        options = f'"--discovery", "none", "--no-control", "--peer", "127.0.0.1:{node.ready()["port"]}"'
        self.begin([sys.executable, "-c", source.replace('"--nick", "echo"', f'"--nick", "echo", {options}')])
        bot = node.wait(lambda event: event["event"] == "peer" and event["state"] == "online", "bot")["who"]
        node.say("ping")
        answer = self.hears(node, f"pong, alice#{node.number}")
        self.assertEqual((answer["from"]["key"], answer["conversation"]), (bot["key"], "public"))
        node.say(f"/msg {bot['key']} hi")
        node.wait(lambda event: event["event"] == "direct" and event["state"] == "accepted", "acceptance")
        node.say(f"/msg {bot['key']} ping")
        node.wait(lambda event: event["event"] == "message" and event["conversation"] == "direct"
                  and event["text"].startswith("pong"), "private answer")

    def test_the_requests_of_the_web_document(self):
        served = Served("alice", "--control", self.control)
        self.addCleanup(served.node.kill)
        token = self.block("Docs/Web.md", "token=$(tail").strip()
        on = lambda text: text.replace("4807", str(served.port))
        result = self.shell(f"{token}\n{on(self.block('Docs/Web.md', 'curl -s -H'))}")
        self.assertEqual(json.loads(result.stdout)["text"], "hello from curl")
        _, stream = self.begin(["bash", "-c", f"{token}\n{on(self.block('Docs/Web.md', 'curl -sN'))}"])
        self.expect(stream, "hello from curl")
        source = f"token = {served.token!r}\n" + on(self.block("Docs/Web.md", "import json, urllib.request"))
        result = self.shell(f"exec {sys.executable} -", input=source)
        self.assertEqual(result.stdout, f"alice#{served.node.number} hello from curl\n", result.stderr)

    @unittest.skipUnless(shutil.which("node"), "there is no Node.js")
    def test_the_websocket_of_the_web_document(self):
        served = Served("alice", "--control", self.control)
        self.addCleanup(served.node.kill)
        source = f"const token = {json.dumps(served.token)};\n" + self.block("Docs/Web.md", "const socket = new WebSocket")
        major = int(subprocess.run(["node", "--version"], text=True, capture_output=True).stdout[1:].split(".")[0])
        # Node.js has it without an option from version 22 on.
        options = [] if major >= 22 else ["--experimental-websocket"]
        self.begin(["node", *options, "--input-type=module", "-e", source.replace("4807", str(served.port))])
        self.hears(served.node, "hello from a script")


if __name__ == "__main__":
    unittest.main()

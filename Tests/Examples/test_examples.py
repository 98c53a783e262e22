"""The examples do what they say, each as it is written, with a node that runs.

EARSHOT_EXAMPLES is the folder of their programs, which Scripts/test builds; without it, only the scripts are run.
"""

import importlib.util
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

import documents
from earshot_node import BINARY, ROOT, Lines, Node
from web import Served, WebTest, started

EXAMPLES = ROOT / "Examples"
PROGRAMS = os.environ.get("EARSHOT_EXAMPLES")


class ExampleTest(WebTest):
    def setUp(self):
        super().setUp()
        os.mkdir(f"{self.folder}/earshot", 0o700)
        self.socket = f"{self.folder}/earshot/control"

    def node(self, name="alice", *options):
        node = Node(started, name, "--discovery", "none", "--rate", "1000", "--control", self.socket, *options)
        self.addCleanup(lambda: node.process.poll() is None and node.kill())
        node.ready()
        return node

    def run_example(self, command, **options):
        environment = os.environ | {"XDG_RUNTIME_DIR": self.folder} | options.pop("environment", {})
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, **options)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        lines, errors = Lines(process.stdout), Lines(process.stderr)
        return process, lines, errors

    def expect(self, example, text):
        """A line of the example with this text."""
        _, lines, errors = example
        deadline = time.monotonic() + 30
        while item := lines.next(deadline):
            if text in item[1]:
                return item[1]
        self.fail(f"no line with {text!r}; it said {lines.seen} and {errors.seen}")

    def first_shown(self, node, example):
        """The line of an example once it is connected: until then its node says one message after the other."""
        for number in range(100):
            node.say(f"message {number}")
            if item := example[1].next(time.monotonic() + 0.3):
                return item[1] if "message " in item[1] else example[1].next(time.monotonic() + 30)[1]
        self.fail(f"nothing was shown; it said {example[2].seen}")

    def hears(self, node, text):
        return node.wait(lambda event: event["event"] == "message" and event["text"] == text, f"message {text!r}")


@unittest.skipUnless(PROGRAMS, "EARSHOT_EXAMPLES names no folder")
class Programs(ExampleTest):
    def test_the_echo_bot_answers_in_the_conversation_that_it_was_asked_in(self):
        node = self.node()
        self.run_example([f"{PROGRAMS}/EchoBot", f"127.0.0.1:{node.ready()['port']}"])
        bot = node.wait(lambda event: event["event"] == "peer" and event["state"] == "online", "bot")["who"]
        self.assertEqual(bot["nickname"], "echo")
        node.say("hello")
        self.assertEqual(self.hears(node, "re: hello")["from"]["key"], bot["key"])
        node.say(f"/msg {bot['key']} private")
        self.assertEqual(self.hears(node, "hi")["conversation"], "direct")
        node.say(f"/msg {bot['key']} more")
        self.assertEqual(self.hears(node, "re: more")["conversation"], "direct")

    def test_the_first_lines_of_the_readme_run_as_they_are_written(self):
        self.assertEqual(documents.block(ROOT, "README.md", "import Earshot").text, (EXAMPLES / "FirstLines/main.swift").read_text())
        node = Node(started, "alice", "--discovery", "embedded", "--no-control")
        self.addCleanup(lambda: node.process.poll() is None and node.kill())
        node.ready()
        self.run_example([f"{PROGRAMS}/FirstLines"])
        bot = self.hears(node, "hello")["from"]
        node.say("hi there")
        self.assertEqual(self.hears(node, "re: hi there")["from"]["key"], bot["key"])
        node.say(f"/msg {bot['key']} may I?")
        self.assertEqual(self.hears(node, "hi")["conversation"], "direct")

    def test_the_announcer_says_each_line_and_leaves_at_the_end(self):
        node = self.node()
        process, *_ = self.run_example([f"{PROGRAMS}/Announcer", "lobby", f"127.0.0.1:{node.ready()['port']}"],
                                       stdin=subprocess.PIPE)
        process.stdin.write("one\n두 번째\n".encode())
        process.stdin.close()
        self.hears(node, "one")
        self.hears(node, "두 번째")
        node.wait(lambda event: event["event"] == "peer" and event["state"] == "offline", "departure")
        self.assertEqual(process.wait(20), 0)

    def test_the_service_leaves_politely_at_a_signal(self):
        node = self.node()
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number.name):
                process, _, errors = self.run_example([f"{PROGRAMS}/Service", f"127.0.0.1:{node.ready()['port']}"])
                bot = node.wait(lambda event: event["event"] == "peer" and event["state"] == "online", "bot", from_start=False)["who"]
                node.say(f"hello at {number.name}")
                self.hears(node, f"re: hello at {number.name}")
                process.send_signal(number)
                node.wait(lambda event: event["event"] == "peer" and event["state"] == "offline" and event["who"]["key"] == bot["key"], "departure")
                # The default action of a signal would end it with that signal.
                self.assertEqual(process.wait(20), 0, errors.seen)

    def test_the_service_is_as_its_pages_show(self):
        source = (EXAMPLES / "Service/Service.swift").read_text()
        for page in ("RunABotAsAService", "JoinAgain"):
            blocks = [block.text for block in documents.blocks(ROOT) if block.file == f"Sources/Library/Earshot/Earshot.docc/{page}.md"]
            self.assertTrue(blocks)
            for text in blocks:
                self.assertIn(re.sub(r"\A(import \w+\n)+\n", "", text), source)

    def test_the_watcher_prints_what_is_said(self):
        node = self.node()
        example = self.run_example(["stdbuf", "-oL", f"{PROGRAMS}/Watcher"])
        self.hears(node, "hello from a watcher")
        self.expect(example, "hello from a watcher")
        node.say("and more")
        self.expect(example, "and more")
        node.quit()
        self.assertEqual(example[0].wait(20), 0)


class Package(unittest.TestCase):
    @unittest.skipUnless(shutil.which("swift"), "there is no Swift")
    def test_the_package_of_the_examples_has_the_targets_that_are_tested(self):
        def targets(folder, environment):
            described = subprocess.run(["swift", "package", "--package-path", folder, "--scratch-path", f"{scratch}/{folder.name}",
                                        "dump-package"], env=environment, text=True, capture_output=True)
            self.assertEqual(described.returncode, 0, described.stderr)
            return {target["name"]: (target["type"], sorted(map(named, target["dependencies"])))
                    for target in json.loads(described.stdout)["targets"]}

        def named(dependency):
            return (dependency.get("product") or dependency.get("byName"))[0]

        scratch = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, scratch)
        plain = {name: value for name, value in os.environ.items() if name != "EARSHOT_EXAMPLES"}
        outside, usual = targets(EXAMPLES, plain), targets(ROOT, plain)
        tested = targets(ROOT, plain | {"EARSHOT_EXAMPLES": "1"})
        self.assertTrue(outside)
        self.assertEqual({name: target for name, target in tested.items() if name not in usual}, outside)


class Scripts(ExampleTest):
    def test_control_py_prints_and_says(self):
        node = self.node()
        example = self.run_example([sys.executable, "-u", EXAMPLES / "control.py"])
        said = self.run_example([sys.executable, EXAMPLES / "control.py", "say", "from", "Python"])
        event = self.hears(node, "from Python")
        self.expect(said, event["id"])
        self.assertIn("message ", self.first_shown(node, example))

    def test_control_py_is_a_module(self):
        node = self.node()
        specification = importlib.util.spec_from_file_location("control_example", EXAMPLES / "control.py")
        control = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(control)
        with control.Node(self.socket) as client:
            self.assertEqual(client.command("/who")[-1]["command"], "who")
            self.assertIn("earshot_peers 0", client.metrics())
            with self.assertRaises(control.Refused) as refused:
                client.say("x" * 241)
            self.assertEqual(refused.exception.code, "too_long")
            with self.assertRaises(control.Refused) as refused:
                client.say("hi", to='no "such" one', room="lobby")
            self.assertEqual(refused.exception.code, "unknown_peer")
            with self.assertRaises(ValueError):
                client.say("two\nlines")
            self.assertEqual(client.say("after all of that")["text"], "after all of that")
        self.hears(node, "after all of that")

    def test_stomp_py(self):
        node = self.node("alice", "--stomp", "0")
        place = node.wait(lambda event: event["event"] == "listening", "listening")["address"]
        example = self.run_example([sys.executable, EXAMPLES / "stomp.py", place.rsplit(":", 1)[1]])
        self.expect(example, "hello")
        node.say("and more")
        self.expect(example, "and more")

    def test_socketio_py(self):
        served = Served("alice", "--control", self.socket)
        self.addCleanup(served.node.kill)
        example = self.run_example([sys.executable, EXAMPLES / "socketio.py", str(served.port)])
        self.expect(example, "hello")
        served.node.say("and more")
        self.expect(example, "and more")

    @unittest.skipUnless(shutil.which("node"), "there is no Node.js")
    def test_page_js(self):
        served = Served("alice", "--control", self.socket)
        self.addCleanup(served.node.kill)
        example = self.run_example(["node", EXAMPLES / "page.js", str(served.port)], environment={"TOKEN": served.token})
        self.expect(example, "hello")
        served.node.say("and more")
        self.expect(example, "and more")

    def test_mqtt_sh_publishes_public_messages_alone(self):
        node = self.node()
        broker = f"{self.folder}/mosquitto_pub"
        with open(broker, "w") as file:
            file.write(f'#!/bin/sh\necho "$@" >{self.folder}/arguments\nexec cat\n')
        os.chmod(broker, stat.S_IRWXU)
        example = self.run_example([EXAMPLES / "mqtt.sh", "-h", "broker"],
                                   environment={"EARSHOT": BINARY, "MOSQUITTO_PUB": broker}, stdin=subprocess.DEVNULL)
        line = json.loads(self.first_shown(node, example))
        self.assertRegex(line["text"], r"message \d+")
        self.assertRegex(line["from"], r"alice#\d{4}")
        with open(f"{self.folder}/arguments") as file:
            self.assertEqual(file.read(), "-h broker -t earshot/message -l\n")


class Monitoring(ExampleTest):
    def test_the_node_has_what_prometheus_is_asked_to_read(self):
        text = (EXAMPLES / "prometheus.yml").read_text()
        served = Served("alice", "--control", self.socket)
        self.addCleanup(served.node.kill)
        path, = re.findall(r"metrics_path: (\S+)", text)
        self.assertEqual(re.findall(r"type: (\S+)", text), ["Bearer"])
        status, _, metrics = served.ask("GET", path)
        self.assertEqual(status, 200)
        with open(self.socket + ".web") as file:
            self.assertEqual(file.read().split()[-1], served.token)
        names = set(re.findall(r"^# TYPE (\S+)", metrics.decode(), re.M))
        dashboard = json.loads((EXAMPLES / "grafana-dashboard.json").read_text())
        shown = {name for panel in dashboard["panels"] for target in panel["targets"]
                 for name in re.findall(r"earshot_\w+", target["expr"])}
        self.assertEqual(shown - names, set())
        self.assertGreater(len(shown), 8)


if __name__ == "__main__":
    unittest.main()

"""The start where the system gives little: descriptors 0 to 2 that are closed, and limits that are too low."""

import os
import re
import resource
import subprocess
import tempfile
import unittest
from pathlib import Path

from earshot_node import BINARY, Node

# No other process of a test has this user id, so that a limit of processes counts those of the test alone.
USER = 61_234
ALONE = ("--discovery", "none", "--no-control")
REFUSED_BY_SYSTEM = 71
# As the kernel shows it.
BINARY_NAME = Path(BINARY).name[:15]


def closing(*numbers):
    """Launches with these descriptors closed."""
    def launch(command, **options):
        redirections = " ".join(f"{number}>&-" for number in numbers)
        return subprocess.Popen(["bash", "-c", f'exec "$@" {redirections}', "closed", *command], **options)
    return launch


def limited(kind, limit, as_user=False):
    """Options of subprocess for a program with a limit."""
    def prepare():
        if as_user:
            os.setgroups([])
            os.setresgid(USER, USER, USER)
            os.setresuid(USER, USER, USER)
        resource.setrlimit(kind, (limit, limit))
    return {"preexec_fn": prepare}


class Threads(unittest.TestCase):
    def test_the_program_runs_on_its_own_threads_alone(self):
        # One of the runtime's would wake for each message, and another once a second for as long as the process lives.
        nodes = [Node(subprocess.Popen, "first", *ALONE)]
        nodes.append(Node(subprocess.Popen, "second", *ALONE, "--peer", f"127.0.0.1:{nodes[0].ready()['port']}"))
        for node in nodes:
            self.addCleanup(node.process.wait)
            self.addCleanup(node.process.kill)
        nodes[0].sees(nodes[1])
        nodes[1].say("hello")
        nodes[0].hears("hello")
        threads = {task.joinpath("comm").read_text().strip() for task in Path(f"/proc/{nodes[0].process.pid}/task").iterdir()}
        self.assertEqual(threads, {BINARY_NAME, "display", "input", "signals"})


class ClosedDescriptors(unittest.TestCase):
    def opened(self, node):
        folder = f"/proc/{node.process.pid}/fd"
        return {number: os.readlink(f"{folder}/{number}") for number in ("0", "1", "2")}

    def node(self, name, *options, closed=()):
        node = Node(closing(*closed) if closed else subprocess.Popen, name, *ALONE, *options)
        self.addCleanup(node.process.wait)
        self.addCleanup(node.process.kill)
        return node

    def test_standard_error_that_is_closed_is_the_null_device(self):
        node = self.node("no-errors", closed=(2,))
        node.ready()
        self.assertEqual(self.opened(node)["2"], "/dev/null")
        self.assertEqual(node.quit(), 0)

    def test_nodes_without_standard_output_and_error_meet_and_hear(self):
        # With `--log-level debug` much is written to the substitute of standard error.
        other = self.node("other")
        port = other.ready()["port"]
        for number in range(8):
            quiet = self.node(f"quiet{number}", "--peer", f"127.0.0.1:{port}", "--log-level", "debug", closed=(1, 2))
            other.wait(lambda e: e["event"] == "peer" and e["who"]["nickname"] == f"quiet{number}", "the quiet one")
            self.assertEqual([self.opened(quiet)[number] for number in ("1", "2")], ["/dev/null"] * 2)
            quiet.say(f"from {number}")
            other.hears(f"from {number}")
            quiet.process.kill()

    def test_standard_input_that_is_closed_is_at_its_end(self):
        node = self.node("no-input", closed=(0,))
        node.ready()
        self.assertEqual(node.process.wait(20), 0)
        self.assertEqual(list(node.errors.seen), [])


class Rooms(unittest.TestCase):
    def start(self, *options):
        """The output for people of a start in these rooms."""
        done = subprocess.run([BINARY, "--plain", *ALONE, *options], input=b"/whoami\n", capture_output=True, timeout=20, check=True)
        return done.stdout.decode()

    def test_each_room_says_whether_it_is_private_and_that_others_follow(self):
        with tempfile.NamedTemporaryFile() as key:
            made = subprocess.run([BINARY, "room", "new", "attic"], capture_output=True, check=True)
            key.write(made.stdout.splitlines()[-1].strip() + b"\n")
            key.flush()
            output = self.start("--room", "kitchen", "--room", "attic", "--key-file", key.name, "--room", "cellar")
        for place in ("kitchen, an open room", "attic, a private room", "cellar, an open room"):
            self.assertRegex(output, rf"\* you are \S+ in {place}, port \d+, ")
        self.assertIn("* 2 other rooms follow within 10 s, or when you open them\n", output)

    def test_one_room_says_that_no_other_follows(self):
        output = self.start("--room", "kitchen")
        self.assertRegex(output, r"\* you are \S+ in kitchen, an open room, port \d+, ")
        self.assertNotIn("follow", output)


class Limits(unittest.TestCase):
    """Each ends at once with a line that names the limit; before, they ended by a signal, or not at all."""

    def start(self, *options, **more):
        return subprocess.run([BINARY, *options], input=b"hello\n", capture_output=True, timeout=20, **more)

    def refused(self, remedy, *options, **more):
        done = self.start(*options, **more)
        line = done.stderr.decode()
        self.assertEqual(done.returncode, REFUSED_BY_SYSTEM, line)
        self.assertRegex(line, rf"\Aearshot: [a-z_0-9]+: [^\n]+; \d+ [^\n]*{re.escape(remedy)}\)\n\Z")
        self.assertEqual(done.stdout, b"")

    def test_too_few_descriptors(self):
        for limit in (8, 12, 13, 14, 16, 20):
            with self.subTest(limit=limit):
                self.refused("ulimit -n", "--plain", "--no-control", **limited(resource.RLIMIT_NOFILE, limit))

    def test_a_soft_limit_of_descriptors_is_raised(self):
        def prepare():
            resource.setrlimit(resource.RLIMIT_NOFILE, (12, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        self.assertEqual(self.start("--plain", *ALONE, preexec_fn=prepare).returncode, 0)
        self.assertEqual(self.start("simulate", "--nodes", "2", preexec_fn=prepare).returncode, 0)

    def test_too_few_threads(self):
        if os.geteuid():
            self.skipTest("only root can become a user of its own")
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            program = os.path.join(folder, "earshot")
            subprocess.run(["cp", BINARY, program], check=True)
            for limit in (1, 2, 5, 6, 7, 8, 12):
                with self.subTest(limit=limit):
                    done = subprocess.run([program, "--plain", "--no-control"], input=b"hello\n", capture_output=True, timeout=20,
                                          cwd="/", **limited(resource.RLIMIT_NPROC, limit, as_user=True))
                    self.assertEqual(done.returncode, REFUSED_BY_SYSTEM, done.stderr)
                    self.assertRegex(done.stderr.decode(), r"\Aearshot: pthread_create: [^\n]+; \d+ more threads are needed; [^\n]+ulimit -u\)\n\Z")

    def test_too_little_memory(self):
        for kilobytes in (64_000, 100_000):
            with self.subTest(kilobytes=kilobytes):
                self.refused("ulimit -v", "--plain", "--no-control", **limited(resource.RLIMIT_AS, kilobytes << 10))

    def test_every_command_that_needs_threads_says_so(self):
        for words in (["doctor"], ["send", "hello"], ["tail"], ["simulate", "--nodes", "2"]):
            with self.subTest(words=words):
                self.refused("ulimit -n", *words, **limited(resource.RLIMIT_NOFILE, 13))

    def test_commands_without_a_node_work_with_little(self):
        for words in (["--version"], ["--help"], ["help", "--man"]):
            with self.subTest(words=words):
                self.assertEqual(self.start(*words, **limited(resource.RLIMIT_NOFILE, 6)).returncode, 0)

    def test_all_faces_start_with_64_descriptors(self):
        def prepare():
            resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        with tempfile.TemporaryDirectory() as folder:
            node = Node(lambda command, **options: subprocess.Popen(command, preexec_fn=prepare, **options), "all",
                        "--web", "0", "--stomp", "0", "--control", f"{folder}/control", "--identity", f"{folder}/me")
            node.ready()
            self.assertLess(len(os.listdir(f"/proc/{node.process.pid}/fd")), 56)
            self.assertEqual(node.quit(), 0)


if __name__ == "__main__":
    unittest.main()

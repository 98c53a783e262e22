"""The driver protocol of measured groups of nodes (Docs/Benchmarks.md)."""

import json
import os
import socket
import struct
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from earshot_node import ROOT, Lines

BENCHMARKS = os.environ.get("EARSHOT_BENCHMARKS", str(ROOT / ".build" / "debug" / "Benchmarks"))
TIMEOUT = 30


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Driven:
    """One node of a group, driven and read line by line."""

    def __init__(self, number, port, peers):
        dials = [word for peer in peers for word in ("--peer", f"127.0.0.1:{peer}")]
        self.process = subprocess.Popen(
            [BENCHMARKS, "node", str(number), "--discovery", "none", "--room", "bench", "--port", str(port), *dials],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lines = Lines(self.process.stdout)

    def send(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def next(self, word):
        """The rest of the next line that begins with the word."""
        deadline = time.monotonic() + TIMEOUT
        while (item := self.lines.next(deadline)) is not None:
            found, _, rest = item[1].partition(" ")
            if found == word:
                return rest
        raise AssertionError(f"no line {word!r}; it said:\n" + "\n".join(self.lines.seen))

    def ask(self, line, word="ok"):
        self.send(line)
        return self.next(word)

    def statistics(self):
        return json.loads(self.ask("stat", "stat"))

    def wait_for_peers(self, count):
        while int(self.next("peers").split()[0]) < count:
            pass

    def end(self):
        """Closes the node's input, which ends it; its exit code."""
        self.process.stdin.close()
        try:
            return self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise


class GroupOfThree(unittest.TestCase):
    def setUp(self):
        ports = [free_port() for _ in range(3)]
        self.nodes = []
        for number in range(3):
            node = Driven(number, ports[number], ports[:number])
            self.nodes.append(node)
            self.addCleanup(node.end)
            node.next("ready")
        for node in self.nodes:
            node.wait_for_peers(2)

    def test_no_text_sent_flat_out_is_lost_or_received_twice(self):
        speaker, *others = self.nodes
        for node in self.nodes:
            node.ask("reset 1")
        for node in others:
            node.ask("expect 3000")
        began, ended, sent, refused = map(int, speaker.ask("pub 3000 0", "pubdone").split())
        self.assertEqual((sent, refused), (3000, 0))
        self.assertLessEqual(began, ended)
        for node in others:
            done = int(node.next("done"))
            counts = node.statistics()
            self.assertEqual((counts["recv"], counts["dup"], counts["bad"], counts["senders"]), (3000, 0, 0, 1))
            self.assertLessEqual(began, counts["first"])
            self.assertEqual(counts["last"], done)
        self.assertEqual(speaker.statistics()["recv"], 0)

    def test_all_speak_at_once_and_each_hears_all_others(self):
        for node in self.nodes:
            node.ask("reset 2")
            node.ask("expect 400")
        for node in self.nodes:
            node.send("pub 200 0")
        for node in self.nodes:
            node.next("done")
            counts = node.statistics()
            self.assertEqual((counts["recv"], counts["senders"]), (400, 2))

    def test_each_text_heard_has_a_latency(self):
        speaker, listener, _ = self.nodes
        for node in self.nodes:
            node.ask("reset 3")
        listener.ask("expect 20")
        speaker.send("pub 20 1000")
        listener.next("done")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "latencies")
            for _ in range(2):
                listener.ask(f"lat {file}")
            latencies = struct.unpack("=40Q", file.read_bytes())
        self.assertEqual(latencies[:20], latencies[20:])
        self.assertTrue(all(0 < latency < TIMEOUT * 10**9 for latency in latencies))

    def test_a_speaker_stops_on_command_and_a_reset_clears_its_counts(self):
        speaker, listener, _ = self.nodes
        for node in self.nodes:
            node.ask("reset 4")
        listener.ask("expect 5")
        speaker.send("pub 1000000 1000")
        listener.next("done")
        speaker.send("stop")
        self.assertLess(int(speaker.next("pubdone").split()[2]), 1000000)
        listener.ask("reset 5")
        self.assertEqual(listener.statistics()["recv"], 0)

    def test_nodes_that_received_the_same_messages_keep_the_same(self):
        for node in self.nodes:
            node.ask("reset 6")
            node.ask("expect 40")
        for node in self.nodes:
            node.send("pub 20 0")
        for node in self.nodes:
            node.next("done")
        rings = {node.ask("ring", "ring") for node in self.nodes}
        self.assertEqual([ring.split()[0] for ring in rings], ["60"])

    def test_the_first_text_of_a_process_is_reported_once(self):
        speaker, listener, _ = self.nodes
        speaker.send("pub 2 0")
        first = int(listener.next("first"))
        self.assertLessEqual(first, time.clock_gettime_ns(time.CLOCK_BOOTTIME))
        listener.ask("stat", "stat")
        self.assertEqual(sum(line.startswith("first ") for line in listener.lines.seen), 1)

    def test_a_node_leaves_on_command_and_at_the_end_of_its_input(self):
        leaver, left, other = self.nodes
        leaver.send("quit")
        self.assertEqual(leaver.process.wait(TIMEOUT), 0)
        # The report of the third node may still be in front of it.
        while left.next("peers").split()[0] != "1":
            pass
        self.assertEqual(left.end(), 0)
        self.assertEqual(other.end(), 0)


class Words(unittest.TestCase):
    def run_with(self, *words):
        return subprocess.run([BENCHMARKS, *words], capture_output=True, text=True, timeout=120)

    def test_unknown_arguments_end_with_the_usage(self):
        for words in ([], ["nothing"], ["node"], ["node", "1", "--rate", "2"], ["codec", "0"]):
            run = self.run_with(*words)
            self.assertEqual((run.returncode, run.stdout), (1, ""), words)
            self.assertIn("usage:", run.stderr)

    def test_each_mode_prints_a_table_and_its_rows_as_json(self):
        for mode in ("codec", "session", "handshake", "ring", "router", "loop"):
            run = self.run_with(mode, "1")
            self.assertEqual((run.returncode, run.stderr), (0, ""), mode)
            lines = run.stdout.splitlines()
            rows = [json.loads(line) for line in lines if line.startswith("{")]
            self.assertGreater(len(rows), 1)
            self.assertEqual(len(lines), 1 + 2 * len(rows))
            for row in rows:
                self.assertEqual((row["mode"], row["samples"]), (mode, 1))
                self.assertGreater(row["ns"], 0)


if __name__ == "__main__":
    unittest.main()

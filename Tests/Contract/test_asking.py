"""`earshot send`, `tail`, `who` and `stats`: the commands that ask a running node."""

import json
import math
import re
import signal
import subprocess
import time
import unittest

from earshot_node import BINARY
from control import Controlled, check

NAME = re.compile(r"earshot_[a-z][a-z0-9_]*")
ALONE = r"^nobody else is here\n\S+#\d{4} \(you\) online for \d+ s\n$"


def families(text):
    """Reads a text in the format of Prometheus: name -> (type, {labels: value}). Raises ValueError if it is malformed."""
    told, samples, current = {}, {}, None
    if not text.endswith("\n"):
        raise ValueError("the last line does not end")
    for line in text[:-1].split("\n"):
        if match := re.fullmatch(r"# HELP (\S+) ([^\\]+)", line):
            current = match[1]
            if current in told or not NAME.fullmatch(current):
                raise ValueError(line)
            told[current] = None
        elif match := re.fullmatch(r"# TYPE (\S+) (counter|gauge)", line):
            if match[1] != current or told[current]:
                raise ValueError(line)
            told[current] = match[2]
        elif match := re.fullmatch(r'([a-z_0-9]+)(?:\{([a-z]+="[^"\\]*")\})? (\S+)', line):
            name, labels, value = match[1], match[2], float(match[3])
            if name != current or not told[name] or (name, labels) in samples or not math.isfinite(value):
                raise ValueError(line)
            samples[name, labels] = value
        else:
            raise ValueError(line)
    return {name: (kind, {labels: value for (of, labels), value in samples.items() if of == name})
            for name, kind in told.items()}


class Asking(Controlled):
    def test_send_says_it_and_shows_nothing_unless_asked(self):
        alice = self.controlled()
        self.assertEqual(self.earshot("send", "hello", "world"), ("", ""))
        self.next(alice, "message", text="hello world")
        said = json.loads(self.earshot("send", "--json", "--", "--to", "whom")[0])
        check(said)
        self.assertEqual(said["text"], "--to whom")

    def test_send_takes_several_lines_and_standard_input(self):
        alice = self.controlled("alice", "--rate", "1000000")
        self.earshot("send", "one\n\n two\r\n")
        self.earshot("send", "-", text="three\n\n//four\nfive")
        for text in ("one", "two", "three", "/four", "five"):
            self.assertEqual(self.next(alice, "message")["text"], text)

    def test_send_says_it_to_one(self):
        alice = self.controlled()
        bob = self.person("bob the builder", meets=alice)
        self.earshot("send", "--to", "bob the builder", "may I?")
        self.assertEqual(self.next(bob, "request")["text"], "may I?")
        errors = self.earshot("send", "--to", str(bob.number), "hello?", code=1)[1]
        self.assertRegex(errors, r"^earshot: .+ \(not_accepted\)\n$")

    def test_refused_lines_are_reported_and_the_others_are_sent(self):
        alice = self.controlled()
        errors = self.earshot("send", "-", text="x" * 241 + "\nstill said\n", code=1)[1]
        self.assertEqual(errors, "earshot: message is 241 characters; 240 is the most (too_long)\n")
        self.next(alice, "message", text="still said")
        self.assertIn("(is_command)", self.earshot("send", "-", text="/who\nsaid too\n", code=1)[1])
        self.next(alice, "message", text="said too")
        self.assertIn("(empty)", self.earshot("send", "", code=1)[1])
        output, errors = self.earshot("send", "--json", "--to", "nobody", "x", code=1)
        self.assertEqual((json.loads(output)["code"], "(unknown_peer)" in errors), ("unknown_peer", True))

    def test_send_is_held_to_the_pace_of_the_node(self):
        alice = self.controlled("alice", "--rate", "20")
        began = time.monotonic()
        self.earshot("send", "-", text="".join(f"line {number}\n" for number in range(150)))
        # The limit is 100 at once, then 20 a second.
        self.assertGreater(time.monotonic() - began, 2)
        for number in range(150):
            self.assertEqual(self.next(alice, "message")["text"], f"line {number}")

    def test_tail_shows_what_happens_until_the_node_leaves(self):
        alice = self.controlled()
        alice.say("before")
        self.next(alice, "message")
        plain, lines = self.tailing("--history")
        tail, events = self.tailing("--json")
        deadline = time.monotonic() + 20
        self.assertIn("you are alice#", lines.next(deadline)[1])
        self.assertIn("history of lobby: 1 message", lines.next(deadline)[1])
        self.assertRegex(lines.next(deadline)[1], r"^\d\d:\d\d:\d\d <alice#\d{4}> before$")
        self.assertEqual(json.loads(events.next(deadline)[1])["event"], "ready")
        bob = self.person("bob", meets=alice)
        bob.say("hi")
        self.assertRegex(lines.next(deadline)[1], r"^\d\d:\d\d:\d\d \* bob#\d{4} is here$")
        self.assertRegex(lines.next(deadline)[1], r"^\d\d:\d\d:\d\d <bob#\d{4}> hi$")
        told = [json.loads(events.next(deadline)[1]) for _ in range(2)]
        for one in told:
            check(one)
        self.assertEqual([one["event"] for one in told], ["peer", "message"])
        alice.quit()
        self.assertEqual((plain.wait(20), tail.wait(20)), (0, 0))

    def test_tail_is_ended_by_a_signal_and_by_its_reader(self):
        alice = self.controlled()
        tail, lines = self.tailing()
        lines.next(time.monotonic() + 20)
        tail.send_signal(signal.SIGINT)
        self.assertEqual(tail.wait(20), 128 + signal.SIGINT)
        done = subprocess.run(f"{BINARY} tail | head -n 1; echo ${{PIPESTATUS[0]}}", shell=True, executable="/bin/bash",
                              env=self.environment, stdout=subprocess.PIPE, text=True, timeout=30)
        self.assertEqual(done.stdout.splitlines()[-1], "0")
        self.assertIsNone(alice.process.poll())

    def test_a_tail_whose_node_is_killed_says_so(self):
        alice = self.controlled()
        tail, lines = self.tailing()
        lines.next(time.monotonic() + 20)
        alice.kill()
        self.assertEqual(tail.wait(20), 1)
        self.assertRegex(tail.stderr.read().decode(), r"^earshot: the node has ended, or closed the connection.*\n$")

    def test_the_command_who_lists_the_peers(self):
        alice = self.controlled()
        self.assertRegex(self.earshot("who")[0], ALONE)
        bob = self.person("bob", meets=alice)
        self.assertRegex(self.earshot("who")[0], r"^alice#\d{4} \(you\) online for \d+ s\nbob#\d{4} online (for \d+ s|since I came).*\n$")
        told = json.loads(self.earshot("who", "--json")[0])
        check(told)
        self.assertEqual(told["peers"][0]["who"]["key"], bob.key)

    def test_69_where_no_node_runs(self):
        for command in (["send", "x"], ["tail"], ["who"], ["stats"]):
            errors = self.earshot(*command, code=69)[1]
            self.assertEqual(errors, f"earshot: no node runs at {self.path}; start earshot, or name its socket with --control\n")
        self.controlled().kill()
        self.assertIn("no node runs at", self.earshot("who", code=69)[1])
        self.assertIn("/nowhere", self.earshot("who", "--control", "/nowhere", code=69)[1])
        self.assertIn("can be asked", self.earshot("who", "--control", "/" + "x" * 200, code=69)[1])
        del self.environment["XDG_RUNTIME_DIR"]
        self.assertIn("XDG_RUNTIME_DIR is not set", self.earshot("who", code=69)[1])

    def test_a_busy_node_refuses(self):
        self.controlled()
        clients = [self.client() for _ in range(16)]
        self.assertEqual(self.earshot("who", code=1)[1], "earshot: 16 clients are the most; try again\n")
        clients[0].close()

    def test_the_socket_may_be_named_by_option_variable_and_file(self):
        named = str(self.runtime / "here")
        self.controlled("alice", "--control", named)
        self.assertRegex(self.earshot("who", "--control", named)[0], ALONE)
        file = self.runtime / "settings"
        file.write_text(f"nick = x\ncontrol = {named}\n")
        self.assertRegex(self.earshot("who", "--config", str(file))[0], ALONE)
        self.environment["EARSHOT_CONTROL"] = named
        self.assertRegex(self.earshot("who")[0], ALONE)

    def test_wrong_usage_is_reported(self):
        for words in (["send"], ["who", "x"], ["tail", "x"], ["stats", "x"], ["send", "--to", "", "x"], ["who", "--jsn"]):
            self.assertRegex(self.earshot(*words, code=2)[1], r"^earshot: .+; .+\n$")


class Metrics(Controlled):
    def scrape(self):
        return families(self.earshot("stats", "--prometheus")[0])

    def test_the_text_is_what_prometheus_reads(self):
        self.controlled()
        text = self.earshot("stats", "--prometheus")[0]
        from prometheus_client.parser import text_string_to_metric_families
        parsed = {family.name: family for family in text_string_to_metric_families(text)}
        told = families(text)
        for name, (kind, samples) in told.items():
            self.assertEqual(name.endswith("_total"), kind == "counter", name)
            family = parsed[name.removesuffix("_total")]
            self.assertEqual((family.type, len(family.samples)), (kind, len(samples)), name)
            self.assertTrue(family.documentation.endswith("."))
        self.assertEqual(len(parsed), len(told))
        self.assertNotRegex(text, r"\d+\.\d+\.\d+\.\d+|[0-9a-f]{32}")

    def test_events_are_counted(self):
        alice = self.controlled()
        before = self.scrape()
        bob = self.person("bob", meets=alice)
        alice.result(f"open {bob.number}")
        for number in range(3):
            bob.say(f"line {number}")
            self.next(alice, "message")
        alice.say(f"/msg {bob.number} may I?")
        self.next(bob, "request")
        after = self.scrape()

        def grown(name, labels=None):
            return after[name][1][labels] - before[name][1][labels]

        self.assertEqual(after["earshot_peers"][1][None], 1)
        self.assertEqual(grown("earshot_payloads_admitted_total", 'kind="public_message"'), 3)
        self.assertGreaterEqual(grown("earshot_payloads_admitted_total", 'kind="presence"'), 1)
        self.assertEqual(grown("earshot_payloads_sent_total", 'kind="dm_request"'), 1)
        self.assertEqual(grown("earshot_handshakes_total"), 1)
        self.assertEqual(after["earshot_unread_messages"][1]['conversation="public"'], 3)
        for name in ("received_bytes", "sent_bytes", "loop_turns"):
            self.assertGreater(grown(f"earshot_{name}_total"), 0)
        self.assertGreater(after["earshot_loop_longest_turn_seconds"][1][None], 0)
        self.assertLessEqual(set(before), set(after))

    def test_kinds_sum_up_to_all_that_was_admitted(self):
        alice = self.controlled()
        bob = self.person("bob", meets=alice)
        bob.say("hello")
        self.next(alice, "message")
        counters = json.loads(self.earshot("stats", "--json")[0])
        kinds = sum(value for name, value in counters.items() if name.startswith("admitted_"))
        self.assertEqual(kinds, counters["payloads_admitted"])

    def test_failed_handshakes_and_reconnects_are_counted(self):
        alice = self.controlled("alice")
        # The side that is called counts the failure: it closes without an answer.
        self.person("dave", "--room", "cellar", "--peer", f"127.0.0.1:{alice.ready()['port']}")
        self.eventually(lambda: any(self.scrape()["earshot_handshake_failures_total"][1].values()))
        identity = str(self.runtime / "me")
        bob = self.person("bob", "--identity", identity, meets=alice)
        bob.quit()
        self.assertEqual(self.scrape()["earshot_reconnects_total"][1][None], 0)
        self.next(alice, "peer", state="offline")
        again = self.person("bob", "--identity", identity, "--peer", f"127.0.0.1:{alice.ready()['port']}")
        again.sees(alice)
        self.eventually(lambda: self.scrape()["earshot_reconnects_total"][1][None] == 1)

    def test_stats_for_people_leave_out_what_did_not_happen(self):
        self.controlled()
        output = self.earshot("stats")[0]
        self.assertRegex(output, r"(?m)^resident_bytes \d+$")
        self.assertNotIn(" 0\n", output)


if __name__ == "__main__":
    unittest.main()

"""The figures, tables and pictures of measurements, which Scripts/bench and Scripts/crowd_curve make."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import socket
import subprocess
import sys
import tempfile
import types
import unittest
import xml.etree.ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / "Scripts" / "benchmarks" / "bench.py"
sys.path[:0] = [str(ROOT / "Scripts" / "benchmarks"), str(ROOT / "Scripts" / "scoreboard")]

import candidate  # noqa: E402  (they are found by the line above)
import crowd  # noqa: E402
import document  # noqa: E402
import measurements  # noqa: E402
import plot  # noqa: E402
from candidates import Candidate  # noqa: E402
from results import Results, ratios, shown  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader("crowd_curve", str(ROOT / "Scripts" / "crowd_curve"))
crowd_curve = importlib.util.module_from_spec(importlib.util.spec_from_loader("crowd_curve", LOADER))
LOADER.exec_module(crowd_curve)


def results(*rows):
    made = Results(Path("/nonexistent"))
    made.rows = list(rows)
    return made


class Crowds(unittest.TestCase):
    def report(self, nodes, p99=41.0, **more):
        return {"settings": {"nodes": nodes, "latencyMs": [10, 50], "rate": 20}, "messages": 2, "expected": 200, "delivered": 200,
                "live": 199, "sendsPerDelivery": 1.01, "latencyMs": {"p50": p99 - 10, "p99": p99, "max": p99 + 3.9},
                "processorSeconds": 12.3, "megabytes": 812.4,
                "crowd": {"linksMean": 12.1, "linksMost": 16, "hopsMean": 4.2, "hopsMost": 8, "controlRecordsPerDelivery": 0.25,
                          "controlBytesPerDelivery": 662.0, "cutOff": 0} | more}

    def test_a_row_has_the_sums_and_the_worst_figures_of_its_seeds(self):
        row = crowd_curve.facts("100:10-50:20", "now", [self.report(100), self.report(100, 398.1), self.report(100, 50.0)])
        self.assertEqual(
            crowd_curve.crowd_table.rate_row(row),
            ["100", "10-50", "20", "now", "100.00 %", "99.50 %", "1.010", "40 / 398 / 402", "398", "0.25, 662", "12.1 / 16", "4.2 / 8",
             "p99"])
        row |= {"p99": 397.9, "live": 593, "delivered": 599, "sends": 1.101, "control": 0.501, "cutOff": 1}
        self.assertEqual(crowd_curve.crowd_table.missed(row), ["delivered", "live", "control records", "cut off", "sends"])

    def test_reactions_have_a_row_of_their_own_and_the_bounds_of_messages(self):
        talk = {"sent": 3, "expected": 300, "delivered": 300, "live": 299, "sendsPerDelivery": 1.05,
                "latencyMs": {"p50": 40, "p99": 90, "max": 99.4}}
        reports = [self.report(100) | {"reactions": talk} for _ in range(2)]
        reports[0]["settings"]["reactions"] = 50
        row = crowd_curve.facts("100:10-50:20:50", "now", reports)
        self.assertEqual(
            crowd_curve.crowd_table.reaction_rows(row)[1],
            ["100", "10-50", "20, 50", "reactions", "100.00 %", "99.66 %", "1.050", "40 / 90 / 99", "398", "nothing"])
        row["reactions"] |= {"delivered": 599, "live": 593, "sends": 1.101, "p99": 399}
        self.assertEqual(crowd_curve.crowd_table.missed(row),
                         ["reactions delivered", "live reactions", "sends of reactions", "p99 of reactions"])

    def test_of_a_room_that_was_cut_the_messages_count_that_came_after(self):
        shock = {"expected": 100, "delivered": 100, "live": 98}
        row = crowd_curve.facts("partition", "now", [self.report(100, shock=shock)])
        self.assertEqual(crowd_curve.crowd_table.missed(row), ["live"])
        self.assertEqual(crowd_curve.crowd_table.fault_row(row)[3], "99.50 %; 98.00 % from 5 s after it healed on")
        self.assertEqual(crowd_curve.crowd_table.missed(row | {"healed": shock | {"live": 99}}), [])

    def test_the_rows_are_in_the_order_of_the_tables_and_each_program_has_its_own(self):
        old = [{"row": row, "kind": kind, "label": "before", "sends": 1} for row, kind in
               (("slow", "fault"), ("32", "size"), ("100:5:20", "rate"))]
        new = [{**row, "label": "after", "sends": 2} for row in old]
        self.assertEqual([(row["row"], row["label"]) for row in crowd_curve.merged(old, new)],
                         [("32", "after"), ("100:5:20", "before"), ("100:5:20", "after"), ("slow", "before"), ("slow", "after")])
        self.assertEqual(crowd_curve.merged(old, [{**old[0], "sends": 3}])[-1]["sends"], 3)

    def test_a_run_that_is_kept_is_not_measured_again_and_one_that_fails_ends_no_other(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "program")
            report = Path(folder, "report")
            report.write_text(json.dumps(self.report(100)))
            program.write_text(f"#!/bin/sh\necho run >>{folder}/runs\ncase \"$*\" in *'--seed 2'*) exit 1;; esac\ncat {report}\n")
            program.chmod(0o755)
            words = ["--program", str(program), "--kept", f"{folder}/kept.json", "--no-table", "--jobs", "2", "100:5:20"]
            for codes, runs in ((1, 3), (1, 4)):
                with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as errors:
                    self.assertEqual(crowd_curve.main(words), codes)
                self.assertIn("--seed 2 --json ended with", errors.getvalue())
                self.assertEqual(len(Path(folder, "runs").read_text().split()), runs)
            kept = json.loads(Path(folder, "kept.json").read_text())
            self.assertEqual(sorted(kept), ["now 100:5:20 1", "now 100:5:20 3"])
            self.assertEqual(crowd_curve.whole_rows("now", ["100:5:20"], kept), [])

    def test_the_picture_has_a_plot_for_each_figure(self):
        rows = [crowd_curve.facts(str(nodes), "now", [self.report(nodes)]) for nodes in (32, 1000)]
        root = xml.etree.ElementTree.fromstring(crowd_curve.picture(rows))
        self.assertEqual(len([child for child in root if child.tag.endswith("svg")]), 3)
        self.assertEqual(len(list(root.iter("{http://www.w3.org/2000/svg}polyline"))), 5)

    def test_a_link_is_an_established_connection(self):
        row = {"nodes": 300, "discovery": "peers", "delivered": 9, "expected": 10, "live": 8, "p50_ms": 1.0, "p99_ms": 2.0,
               "max_ms": 3.0, "links_mean": 12.0, "links_least": 6, "links_most": 16, "cpu_us": 50.0, "idle_ms_per_s": 0.5,
               "private_mb": 3.1, "private_most_mb": 4.0, "met_s": 20.0, "others": 0.1}
        self.assertIn("300 nodes (peers): 9 of 10 delivered, 8 live", crowd.line(row))
        with socket.create_server(("127.0.0.1", 0)) as server:
            before = crowd.links(types.SimpleNamespace(pid=os.getpid()))
            with socket.create_connection(server.getsockname()), server.accept()[0]:
                self.assertEqual(crowd.links(types.SimpleNamespace(pid=os.getpid())), before + 2)


class Figures(unittest.TestCase):
    def test_three_digits_of_a_number_count(self):
        self.assertEqual([shown(value) for value in (None, 1234567, 0.0123456, 1.7049, 99.94, 895432.7, "x")],
                         ["–", "1,234,567", "0.0123", "1.7", "99.9", "895,433", "x"])

    def test_a_share_of_sorted_values(self):
        values = list(range(100))
        self.assertEqual([measurements.share(values, part) for part in (0.5, 0.99, 1)], [50, 99, 99])

    def test_medians_are_of_the_rows_that_are_asked_for(self):
        rows = results({"a": 1, "of": "x"}, {"a": 9, "of": "y"}, {"a": 3, "of": "x"}, {"b": 7, "of": "x"})
        self.assertEqual(rows.median("a", of="x"), 2)
        self.assertIsNone(rows.median("a", of="z"))
        self.assertEqual(rows.names("of"), ["x", "y"])

    def test_ratios_are_of_pairs_of_one_round(self):
        rows = results(
            {"round": 0, "candidate": "old", "test": "B1", "cpu": 10.0}, {"round": 0, "candidate": "new", "test": "B1", "cpu": 5.0},
            {"round": 1, "candidate": "new", "test": "B1", "cpu": 30.0}, {"round": 1, "candidate": "old", "test": "B1", "cpu": 20.0},
            {"round": 2, "candidate": "new", "test": "B1", "cpu": 1.0}, {"round": 0, "candidate": "new", "test": "B2", "cpu": 1.0})
        self.assertEqual(ratios(rows, "cpu", "new", "old", test="B1"), [0.5, 1.5])

    def test_rows_are_kept_and_read_again(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "kept", "rows.jsonl")
            subprocess.run(
                [sys.executable, "-c", "import sys; sys.path.insert(0, sys.argv[1]); from results import Results; "
                 "from pathlib import Path; rows = Results(Path(sys.argv[2])).begin(); rows.add({'a': 1}); rows.add({'a': 2})",
                 str(BENCH.parent), str(path)], check=True, capture_output=True)
            self.assertEqual(Results(path).read().rows, [{"a": 1}, {"a": 2}])


class Plot(unittest.TestCase):
    def test_every_line_is_drawn_over_every_size(self):
        text = plot.curve({"earshot": [(2, 8.0), (32, 2.0), (200, 2.5)], "floor": [(2, 1.0), (200, 1.7)]}, "title", "unit")
        drawn = xml.etree.ElementTree.fromstring(text)
        tag = "{http://www.w3.org/2000/svg}"
        self.assertEqual(len(drawn.findall(f"{tag}polyline")), 2)
        self.assertEqual(len(drawn.findall(f"{tag}circle")), 5)
        words = [node.text for node in drawn.findall(f"{tag}text")]
        for word in ("title", "nodes; unit", "2", "32", "200", "earshot", "floor"):
            self.assertIn(word, words)
        for circle in drawn.findall(f"{tag}circle"):
            self.assertTrue(plot.LEFT <= float(circle.get("cx")) <= plot.WIDTH - plot.RIGHT)
            self.assertTrue(plot.TOP <= float(circle.get("cy")) <= plot.HEIGHT - plot.BOTTOM)

    def test_the_axis_ends_above_the_highest_value(self):
        self.assertEqual([plot.nice(value) for value in (0.7, 1, 1.1, 37, 81, 450)], [0.8, 1, 2, 40, 100, 800])


class Document(unittest.TestCase):
    def write(self, parts=(), group=(), curve=(), scoreboard=(), rest=(), star=(), rooms=(), standing="old"):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "Docs").mkdir()
            page = root / "Docs" / "Benchmarks.md"
            page.write_text(f"before\n{document.BEGIN}\n{standing}\n{document.END}\nafter\n")
            rows = root / "rows.jsonl"
            rows.write_text("".join(json.dumps(row) + "\n" for row in scoreboard))
            document.write(root, results(*parts), results(*group), results(*curve), rows if scoreboard else None,
                           rest=results(*rest), star=results(*star), rooms=results(*rooms))
            picture = root / "Docs" / "benchmarks-curve.svg"
            return page.read_text(), picture.read_text() if picture.exists() else None

    def test_only_what_is_between_the_marks_is_written(self):
        text, picture = self.write()
        self.assertTrue(text.startswith("before\n") and text.endswith("after\n"))
        self.assertNotIn("old", text)
        self.assertEqual(text.count("Not measured yet."), 6)
        self.assertIsNone(picture)

    def test_figures_that_are_not_measured_stay_as_before(self):
        row = {"round": 0, "candidate": "earshot", "nodes": 33, "network": "flat"}
        text, _ = self.write(
            group=[{**row, "test": "B4", "pss_mb": 2.0}], standing=(
                "\n## Goals\n\n| what | goal | measured |  | on |\n| --- | --- | --- | --- | --- |\n"
                "| B1 lost | at most 0 | 7 | **missed** | another |\n| B2 p50, in that of the loop in C | at most 9 | 8 | met | another |\n"
                "| B4 PSS with 32 links, MB | at most 4 | 3 | met | another |\n\n## Groups\n\nthese groups\n\n## Parts\n\nthese parts"))
        for line in ("| B1 lost | at most 0 | 7 | **missed** | another |",
                     "| B2 p50, in that of the loop in C | at most 1.3 | – | not measured |  |",
                     f"| B4 PSS with 32 links, MB | at most 4 | 2 | met | {document.datetime.date.today()}, {document.processor()} |",
                     "## Parts\n\nthese parts\n"):
            self.assertIn(line, text)
        self.assertNotIn("these groups", text)
        self.assertEqual(text.count("GiB, Linux"), 1)

    def test_groups_are_described_by_their_medians_and_failures(self):
        common = {"candidate": "earshot", "nodes": 33, "network": "flat"}
        text, _ = self.write(group=[
            {"round": number, "test": "B1", "cpu_us": cost, "lost": 0, **common} for number, cost in enumerate((2.0, 9.0, 3.0))
        ] + [{"round": 2, "test": "failed", "error": "node 3 ended", **common}])
        self.assertIn("Medians of 3, groups of 33 nodes.", text)
        self.assertIn("| B1 CPU µs per delivery | 3 |", text)
        self.assertIn("| B1 lost | 0 |", text)
        self.assertIn("earshot failed once, with 33 nodes: node 3 ended.", text)

    def test_rooms_are_a_table_by_discovery_and_number(self):
        text, _ = self.write(rooms=[
            {"round": number, "discovery": "embedded", "rooms": count, "pss_mb": count * 1.5, "threads": 7, "sent_bytes": rate}
            for number, rate in enumerate((10.0, 30.0, 20.0)) for count in (1, 8)])
        self.assertIn("| embedded | 1 | 1.5 | – | – | 7 | – | 20 | – | – |", text)
        self.assertIn("| embedded | 8 | 12 | – | – | 7 | – | 20 | – | – |", text)

    def test_the_curve_is_a_table_and_a_picture(self):
        text, picture = self.write(curve=[
            {"round": 0, "candidate": "earshot", "nodes": nodes, "test": "B1", "cpu_us": cost, "lost": 0}
            for nodes, cost in ((2, 8.0), (32, 2.0))])
        self.assertIn("| earshot | 32 | 2 | – | 0 |", text)
        self.assertIn("benchmarks-curve.svg", text)
        self.assertIn("<polyline", picture)

    def test_the_scoreboards_rows_are_shown_in_our_units_ours_first(self):
        text, _ = self.write(scoreboard=[
            {"cand": "nats", "test": "B2", "p50": 550.0}, {"cand": "earshot", "test": "B2", "p50": 300.0},
            {"cand": "nats", "test": "B1", "cpu_us": None}])
        self.assertIn("| earshot | nats |", text)
        self.assertIn("| B2 p50 ms | 0.3 | 0.55 |", text)

    def test_goals_are_shown_with_their_measurements(self):
        def group(candidate, test, **figures):
            return {"round": 0, "candidate": candidate, "nodes": 33, "network": "flat", "test": test} | figures

        text, _ = self.write(
            group=[group("earshot", "B1", cpu_us=3.0, lost=0), group("floor", "B1", cpu_us=2.0),
                   group("earshot", "B6", per_second=80.0, rings=2), group("floor", "B6", per_second=100.0)],
            rest=[group("earshot", "B5", received_bytes=700.0)],
            star=[{"round": 0, "nodes": 200, "silent_mb": 1.5, "silent_kib": 1400.0, "pss_mb": 4.5}],
            curve=[group("earshot", "B4", silent_kib=memory) | {"nodes": nodes}
                   for nodes, memory in ((2, 1.0), (32, 900.0), (100, 999.0), (132, 1412.0))],
            scoreboard=[{"cand": name, "test": "B1", "cpu_us": cost}
                        for name, cost in (("earshot", 2.0), ("zenoh", 9.0), ("cyclonedds", 5.0), ("nats", 0.5))])
        for line in ("| B1 CPU per delivery, in that of a loop in C that seals | at most 1.25 | 1.5 | **missed** |",
                     "| B1 the same, in that of the cheapest system without a server | at most 0.5 | 0.4 | met |",
                     "| B1 the same, in that of NATS over TLS | at most 1 | – | not measured |",
                     "| B1 lost | at most 0 | 0 | met |",
                     "| B4 PSS with 199 links, MB | at most 6 | 4.5 | met |",
                     "| 199 | 1.5 | 1,400 | 4.5 |",
                     "| B4 each further idle link, KiB | at most 8 | 5.12 | met |",
                     "| B5 received 10 to 30 s after all have met, B/s | at most 800 | – | not measured |",
                     "| B5 received from the sixth minute to the fifteenth, B/s | at most 800 | 700 | met |",
                     "| B6 deliveries/s, in those of the loop in C | at least 0.7 | 0.8 | met |",
                     "| B6 different rings | at most 1 | 2 | **missed** |"):
            self.assertIn(line, text)

    def test_the_page_of_this_tree_has_the_marks(self):
        text = (ROOT / "Docs" / "Benchmarks.md").read_text()
        self.assertEqual((text.count(document.BEGIN), text.count(document.END)), (1, 1))


class Words(unittest.TestCase):
    def bench(self, *words):
        return subprocess.run([sys.executable, str(BENCH), *words], capture_output=True, text=True, timeout=30)

    def test_unknown_tests_and_lonely_groups_are_refused(self):
        for words in (["group", "--tests", "B9"], ["group", "--nodes", "1"], ["nothing"]):
            run = self.bench(*words)
            self.assertEqual((run.returncode, run.stdout), (2, ""), words)

    def test_a_candidate_has_a_name_a_command_and_maybe_a_variant(self):
        self.assertEqual(Candidate.named("floor:seal tree3=/bin/x {id}"), Candidate("floor", ["/bin/x", "{id}"], "seal tree3"))
        self.assertEqual(Candidate.named("x=/bin/x"), Candidate("x", ["/bin/x"], ""))
        for text in ("x", "=x", "x="):
            with self.assertRaises(ValueError):
                Candidate.named(text)

    def test_the_scoreboard_receives_our_candidates(self):
        told = {}
        candidate.add(lambda name, command, note, **options: told.update({name: (command, options)}))
        command, _ = told["earshot"]
        self.assertEqual(command[1:], ["node", "{id}"])
        self.assertIn("--rate 1000000", told["earshot-program"][1]["env"]["PB_CMD"])


class Groups(unittest.TestCase):
    def test_a_group_of_a_stranger_is_measured(self):
        """A node of a dozen lines implements the driver protocol, which is all that the runner knows of a node."""
        with tempfile.TemporaryDirectory() as folder:
            node = Path(folder, "node.py")
            node.write_text(STRANGER)
            script = ("import sys; sys.path.insert(0, sys.argv[1])\n"
                      "import candidates, measurements, networks\n"
                      "measurements.PATIENCE = 0.2\n"
                      "networks.NETWORKS['flat'].__init__ = lambda net, size: None\n"
                      "networks.NETWORKS['flat'].end = lambda net: None\n"
                      "stranger = candidates.Candidate('stranger', [sys.executable, sys.argv[2], '{id}', '{n}', '{dir}'])\n"
                      "candidates.run(stranger, 3, 'flat', ['B1'], lambda test, result: print(test, result['lost'] if test == 'B1' else ''),"
                      " B1={'count': 50})\n")
            run = subprocess.run([sys.executable, "-c", script, str(BENCH.parent), str(node)],
                                 capture_output=True, text=True, timeout=60)
            self.assertEqual((run.stdout, run.stderr), ("B0 \nB1 0\n", ""))


# Counts the texts of others by the names of the files that they leave in the folder of the group.
STRANGER = '''
import json, pathlib, sys, time
me, size, folder = sys.argv[1], int(sys.argv[2]), pathlib.Path(sys.argv[3])
say = lambda line: print(line, flush=True)
now = lambda: time.clock_gettime_ns(time.CLOCK_BOOTTIME)
epoch, said = "0", 0
say(f"ready {now()}")
for line in sys.stdin:
    word, *rest = line.split()
    if word == "pub":
        began = now()
        for _ in range(int(rest[0])):
            (folder / f"said-{epoch}-{me}-{said}").touch()
            said += 1
        say(f"pubdone {began} {now()} {rest[0]} 0")
    elif word == "reset":
        epoch, said = rest[0], 0
        say("ok")
    elif word == "stat":
        heard = [path.name.split("-")[2] for path in folder.glob(f"said-{epoch}-*")]
        heard = [author for author in heard if author != me]
        counts = {"recv": len(heard), "dup": 0, "bad": 0, "senders": len(set(heard)), "first": 0, "last": now()}
        say("stat " + json.dumps(counts))
    elif word in ("expect", "lat"):
        say("ok")
    elif word == "quit":
        break
'''


if __name__ == "__main__":
    unittest.main()

"""The measurements of Scripts/bench, which builds the programs and starts this in a network of its own."""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import crowd
import document
import measurements
import rooms
from candidates import Candidate, grouped, run_rounds
from results import Results, ratios, shown

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".build" / "benchmarks"
MODES = ["codec", "session", "handshake", "ring", "router", "loop"]
CURVE = [2, 8, 32, 100, 200]
# Larger groups are measured once, because they take a minute or more to meet.
OFTEN = 32
# Rounds with a host for each node, for B3 and B5; each has 20 joins and an idle minute.
ROUNDS_OF_HOSTS = 3
# The sizes of stars, centre included.
STARS = [33, 200]
# Deliveries in each burst of the curve, equal for all sizes so that large groups take no longer.
CURVE_DELIVERIES = 640_000
# Fields that a comparison of two revisions shows.
COMPARED = [("B1", "cpu_us"), ("B2", "p50_ms"), ("B2", "p99_ms"), ("B4", "pss_mb"), ("B6", "cpu_us")]


def kept(name):
    return Results(KEPT / f"{name}.jsonl")


def measure_parts(binaries, rounds, results):
    """Each mode of each binary, in pairs."""
    for number in range(rounds):
        for mode in MODES:
            for name, binary in binaries.items():
                output = subprocess.run([str(binary), mode], check=True, capture_output=True, text=True).stdout
                for line in output.splitlines():
                    if line.startswith("{"):
                        results.add({"round": number, "candidate": name, **json.loads(line)})


def parts(options):
    measure_parts({"earshot": options.binary}, options.rounds or 1, kept("parts").begin())


def group(options):
    results = kept("group").begin()
    candidates = [Candidate.ours(options.binary), *map(Candidate.named, options.candidate)]
    tests, rounds = options.tests.split(","), options.rounds or 5
    hosts = [test for test in tests if test in measurements.NETWORK]
    add = adder(results, options.nodes)
    run_rounds(candidates, options.nodes, [test for test in tests if test not in hosts], rounds, add)
    run_rounds(candidates[:1] if options.what == "all" else candidates, options.nodes, hosts, min(rounds, ROUNDS_OF_HOSTS), add)


def curve(options):
    results = kept("curve").begin()
    candidates = [Candidate.ours(options.binary), *map(Candidate.named, options.candidate)]
    tests = [test for test in ("B4", "B1") if test in options.tests.split(",")]
    for nodes in map(int, options.sizes.split(",")):
        count = min(measurements.BURST, CURVE_DELIVERIES // (nodes - 1))
        rounds = options.rounds or (3 if nodes <= OFTEN else 1)
        run_rounds(candidates, nodes, tests, rounds, adder(results, nodes), B1={"count": count})


def rest(options):
    """B5 of a group some time after it met, when discovery sends queries rarely."""
    run_rounds([Candidate.ours(options.binary)], options.nodes, ["B5"], options.rounds or 1,
               adder(kept("rest").begin(), options.nodes), B5={"rest": 300, "seconds": 600})


def star(options):
    """The memory of many links, in a star: a full group would have twenty thousand links."""
    results = kept("star").begin()
    for number in range(options.rounds or 1):
        for nodes in STARS:
            with grouped(Candidate.star(options.binary), nodes, "flat") as group:
                results.add({"round": number, "nodes": nodes} | measurements.memory_of_a_centre(group))


def several_rooms(options):
    """One program in several rooms."""
    results = kept("rooms").begin()
    for row in rooms.rows(rooms.program(ROOT), options.rounds or 3):
        results.add(row)


def crowds(options):
    """Crowds of hosts, with given peers or by mDNS: `crowd --sizes 100,300 --find mdns`."""
    results = kept("crowd").begin()
    for nodes in map(int, options.sizes.split(",")):
        for way in options.find.split(","):
            row = crowd.measure(Candidate.ours(options.binary), nodes, way)
            results.add(row)
            print(crowd.line(row), flush=True)


def adder(results, nodes):
    def add(number, candidate, network, test, result):
        results.add({"round": number, "candidate": candidate, "nodes": nodes, "network": network, "test": test} | result)
    return add


def against(options):
    """Two revisions in pairs: the medians of both, and the median of the ratios of the pairs."""
    rounds = options.rounds or 5
    new, old = "this", options.revision
    parts_kept, group_kept = kept("against-parts").begin(), kept("against-group").begin()
    binaries = {new: options.binary, old: options.old}
    tests = [test for test in measurements.TESTS if test in options.tests.split(",")]
    measure_parts(binaries, rounds, parts_kept)
    run_rounds([Candidate.ours(binary, name) for name, binary in binaries.items()], options.nodes, tests, rounds,
               adder(group_kept, options.nodes))
    rows = [(f"{row['mode']}: {row['operation']}", "least_ns", parts_kept,
             {"mode": row["mode"], "operation": row["operation"]})
            for row in parts_kept.rows if row["candidate"] == new and row["round"] == 0]
    rows += [(f"{test} {field}", field, group_kept, {"test": test}) for test, field in COMPARED if test in tests]
    print(f"\n{'':48}{old:>14}{new:>14}{'ratio':>9}   pairs")
    for name, field, results, wanted in rows:
        pairs = ratios(results, field, new, old, **wanted)
        ratio = pairs[len(pairs) // 2] if pairs else None
        medians = [shown(results.median(field, candidate=candidate, **wanted)) for candidate in (old, new)]
        print(f"{name:48}{medians[0]:>14}{medians[1]:>14}{shown(ratio):>9}   {len(pairs)}")


def write_document(options):
    program = rooms.program(ROOT)
    document.write(ROOT, kept("parts").read(), kept("group").read(), kept("curve").read(), options.scoreboard,
                   program.stat().st_size if program.exists() else None, kept("rest").read(), kept("star").read(),
                   kept("rooms").read())


def everything(options):
    parts(options)
    group(options)
    curve(options)
    star(options)
    several_rooms(options)
    rest(options)
    write_document(options)


def main():
    parser = argparse.ArgumentParser(prog="Scripts/bench", description="measures, and writes Docs/Benchmarks.md")
    parser.add_argument("what", nargs="?", default="all", choices=["all", "parts", "group", "curve", "star", "rooms", "rest", "crowd", "document"])
    parser.add_argument("--against", dest="revision", metavar="REV", help="compare with an earlier commit instead")
    parser.add_argument("--rounds", type=int, help="how often each is measured (5; B3, B5 and the curve 3; parts 1)")
    parser.add_argument("--nodes", type=int, default=33, help="nodes of a group (33: one speaks to 32)")
    parser.add_argument("--tests", default="B1,B2,B3,B4,B5,B6", help="which tests of groups; of the curve B4 and B1")
    parser.add_argument("--sizes", default=",".join(map(str, CURVE)), help="group sizes of the curve")
    parser.add_argument("--find", default="peers,mdns", help="how the nodes of a crowd find each other (peers,mdns)")
    parser.add_argument("--candidate", action="append", default=[], metavar="NAME[:VARIANT]=COMMAND",
                        help="measure this too, side by side; its processes obey the driver protocol")
    parser.add_argument("--scoreboard", type=Path, metavar="FILE", help="rows of the scoreboard for the document")
    parser.add_argument("--binary", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--old", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if unknown := set(options.tests.split(",")) - set(measurements.TESTS):
        parser.error(f"no test {', '.join(sorted(unknown))}; there are {', '.join(sorted(measurements.TESTS))}")
    if options.nodes < 2:
        parser.error("a group has at least two nodes")
    actions = {"all": everything, "parts": parts, "group": group, "curve": curve, "star": star, "rooms": several_rooms, "rest": rest,
               "crowd": crowds, "document": write_document}
    (against if options.revision else actions[options.what])(options)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)

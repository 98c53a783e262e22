"""observer.py [--nodes N,...] [--room quiet|busy|both] [--whispers N] [--conversations N] [--cover] [--program FILE]
               [--label TEXT] [--seed N] [--spacing SECONDS] [--keep FILE] [--traces FOLDER] [--json]
observer.py --cost [--nodes N,...]      the cost of whispers, and of nodes at rest
observer.py --replay FOLDER             guesses from traces that were kept by --traces
observer.py --self-test                 guesses from traces with and without a planted leak

An observer of all links of a room guesses from times, directions and sizes of records and packets the receiver of each whisper (a direct
message between two that accepted each other). The nodes are processes of the program on hosts of their own, with a capture of all packets. A
busy room has public messages of all nodes at random times as well.

Of each whisper the observer knows the time and the sender. It learns the other whispers with their receivers, and guesses by

  nearest    the record that is nearest in time
  count      the number of records, or of packets without data, in the window that tells most
  size       the bytes, or the size of a record, in the window that tells most
  boosting   gradient boosting over all features of each candidate (scikit-learn)

A guess is right by chance in 1 of n - 1 cases. It is *found* if it is better than that by more than three standard errors.
Two further guesses: whether a node whispered at all at a time, and which two nodes whisper with each other at length.
The delays of the answers of receivers and of other nodes are compared by the test of Kolmogorov and Smirnov.

The exit code is 1 if a receiver was found, or if the self-test fails.
"""

import argparse
import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Other work of the machine has precedence.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy  # noqa: E402

import guesses  # noqa: E402
import planted  # noqa: E402
import traces  # noqa: E402

# Seconds from the last act of a phase until the next phase, and of a room from the first link until it is at rest.
SETTLED = 6
# A busy room has so many public messages a second.
PUBLIC_RATE = 2
# Of three moments two have a whisper.
MOMENTS_PER_BLANK = 2
TURNS_OF_A_TALK = 6
# So many whispers are weighed, so many seconds after all have met.
COST_WHISPERS, COST_REST = 40, 60
KINDS = ("receiver", "cost")


# Acts

def plan(draw, nodes, options, is_busy):
    """The acts of a phase, at random times: whispers, blank moments and, in a busy room, public messages."""
    kinds = ["whisper"] * options.whispers + ["blank"] * (options.whispers // MOMENTS_PER_BLANK)
    draw.shuffle(kinds)
    at, acts = 1.0, []
    for kind in kinds:
        sender, other = draw.sample(range(nodes), 2)
        acts.append({"at": at, "kind": kind, "from": sender} | ({"to": other} if kind == "whisper" else {}))
        at += options.spacing * draw.uniform(0.8, 1.2)
    if is_busy:
        spoken = 0.0
        while (spoken := spoken + draw.expovariate(PUBLIC_RATE)) < at:
            acts.append({"at": spoken, "kind": "public", "from": draw.randrange(nodes)})
    return acts


def talks(draw, nodes, count):
    """Conversations one after the other, of two nodes each that whisper by turns."""
    at, acts = 1.0, []
    for talk in range(count):
        pair = draw.sample(range(nodes), 2)
        for turn in range(TURNS_OF_A_TALK):
            acts.append({"at": at, "kind": "conversation", "from": pair[turn % 2], "to": pair[1 - turn % 2], "talk": talk})
            at += draw.uniform(1.5, 3)
        at += guesses.LATEST_ANSWER
    return acts


def run(room_module, nodes, options, folder):
    """Performs the phases of a room; the kept description of them, whose capture is in `folder`."""
    draw = random.Random(f"{options.seed} {nodes} acts")
    rooms = ("quiet", "busy") if options.room == "both" else (options.room,)
    phases = {name: plan(draw, nodes, options, name == "busy") for name in rooms}
    if options.conversations:
        phases["talks"] = talks(draw, nodes, options.conversations)
    acts = [act for phase in phases.values() for act in phase if "to" in act]
    with open_room(room_module, nodes, options, folder) as room:
        room.accept((act["from"], act["to"]) for act in acts)
        room.pause(SETTLED)
        kept = {"nodes": nodes, "cover": options.cover, "program": options.label, "addresses": room.addresses, "phases": {}}
        for name, acts in phases.items():
            kept["phases"][name] = room.perform(acts)
            room.pause(SETTLED)
        room.capture.end()
        kept["refused"] = room.refused()
        kept["undelivered"] = sum(len(node.written) for node in room.nodes)
        kept["marks"] = sorted(delay for node in room.nodes for delay in node.delays)
    (folder / "acts.json").write_text(json.dumps(kept))
    return kept


def open_room(room_module, nodes, options, folder):
    words = ["--cover"] if options.cover else []
    return room_module.Room(nodes, options.program, str(folder / "packets"), words, options.seed)


# Results

def judge(kept, folder):
    """The result of each phase of a room."""
    seen = traces.read(str(folder / "packets"), kept["addresses"])
    common = {"kind": "receiver", "program": kept["program"], "nodes": kept["nodes"], "cover": kept["cover"]}
    rhythm = guesses.rhythm(seen, kept["phases"]["talks"]) if "talks" in kept["phases"] else None
    for name, acts in kept["phases"].items():
        if name != "talks":
            yield common | {"room": name} | guesses.receivers(seen, acts) | {
                "happened": guesses.happened(seen, acts), "rhythm": rhythm, "refused": len(kept["refused"]),
                "undelivered": kept["undelivered"], "mark_ms": quantiles(kept["marks"])}
            rhythm = None


def quantiles(delays):
    """The median and the 99th percentile of ascending delays, in milliseconds; None without any."""
    if not delays:
        return None
    return [round(1000 * delays[min(len(delays) - 1, int(len(delays) * share))], 1) for share in (0.5, 0.99)]


def cost(room_module, nodes, options, folder):
    """The cost of whispers for the whole room, and of a node that rests: slots with a whisper, by turns with as many without."""
    draw = random.Random(f"{options.seed} {nodes} cost")
    pairs = [draw.sample(range(nodes), 2) for _ in range(COST_WHISPERS)]
    slots = pairs + [None] * COST_WHISPERS
    draw.shuffle(slots)
    with open_room(room_module, nodes, options, folder) as room:
        room.accept(pairs)
        room.pause(COST_REST)
        readings = [reading(room)]
        for pair in slots:
            if pair:
                room.perform([{"at": 0, "kind": "whisper", "from": pair[0], "to": pair[1]}])
            room.pause(readings[0][0] + options.spacing * len(readings) - time.time())
            readings.append(reading(room))
        room.capture.end()
        marks = sorted(delay for node in room.nodes for delay in node.delays)
        addresses = room.addresses
    packets = str(folder / "packets")
    taken = spans(readings, traces.totals(packets), traces.read(packets, addresses))
    return summed(taken, [bool(pair) for pair in slots], nodes, marks, options)


def summed(taken, is_whisper, nodes, marks, options):
    """The result of slots with the figures `taken`: seconds, processor seconds, bytes, records."""
    taken, is_whisper = numpy.array(taken), numpy.array(is_whisper)
    busy, rest = taken[is_whisper], taken[~is_whisper]
    _, processor, size, records = busy.mean(axis=0) - rest.mean(axis=0)
    errors = numpy.sqrt(busy.var(axis=0) / len(busy) + rest.var(axis=0) / len(rest))
    minute = rest.sum(axis=0) * 60 / rest[:, 0].sum() / nodes
    return {"kind": "cost", "program": options.label, "nodes": nodes, "cover": options.cover,
            "records": [round(records, 1), round(errors[3], 1)], "bytes": [round(size), round(errors[2])],
            "processor_ms": [round(1000 * processor, 2), round(1000 * errors[1], 2)],
            "rest_records_per_minute": round(minute[3], 1), "rest_bytes_per_minute": round(minute[2]),
            "rest_processor_ms_per_minute": round(1000 * minute[1], 2), "mark_ms": quantiles(marks),
            "undelivered": COST_WHISPERS - len(marks)}


def reading(room):
    return time.time(), sum(node.processor_seconds() for node in room.nodes)


def spans(readings, frames, seen):
    """For each two successive readings: seconds, processor seconds, bytes of frames with all headers, and records."""
    edges = [now for now, _ in readings]
    sizes = traces.Series(*zip(*frames)).windows(edges)[1]
    records = sum(series.windows(edges)[0] for series in seen.sent)
    return [(end - begin, after - before, size, number)
            for (begin, before), (end, after), size, number in zip(readings, readings[1:], sizes, records)]


# Output

def shown(row):
    """The lines of a result for people."""
    if row["kind"] == "cost":
        mark = "{} / {} ms".format(*row["mark_ms"]) if row["mark_ms"] else "none"
        records, size, processor = ("{:,} ± {:,}".format(*row[name]) for name in ("records", "bytes", "processor_ms"))
        return [f"{row['program']}, {row['nodes']} nodes: a whisper costs the room {records} records, {size} bytes and "
                f"{processor} ms of processor time; delivery mark (p50 / p99) {mark}",
                f"  a node at rest: {row['rest_records_per_minute']} records, {row['rest_bytes_per_minute']:,} bytes and "
                f"{row['rest_processor_ms_per_minute']} ms of processor time a minute"]
    lines = [f"{row['program']}, {row['nodes']} nodes, {row['room']}{', cover' if row['cover'] else ''}:"]
    lines += [f"  receiver by {name:9} {told(guess)}" for name, guess in row["guesses"].items()]
    lines.append(f"  whether at all        {told(row['happened'])}")
    lines += [f"  the two of a talk by {name:9} {told(guess)}" for name, guess in (row["rhythm"] or {}).items()]
    found = row["answers"]
    lines.append(f"  answers: {found['shares'][0]:.0%} of receivers and {found['shares'][1]:.0%} of others, medians {found['medians']} s, "
                 f"Kolmogorov-Smirnov distance {found['distance']}, p = {found['p']}")
    lines.append(f"  most telling: {row['telling']['feature']}, p = {row['telling']['p']:.2g} of {row['guesses']['size']['of']} whispers")
    if row.get("refused") or row.get("undelivered"):
        lines.append(f"  {row['refused']} errors, {row['undelivered']} whispers without a delivery mark")
    return lines


def told(guess):
    verdict = "FOUND" if guess["found"] else "hidden"
    return (f"{guess['share']:7.1%}  chance {guess['chance']:.1%} ± {guess['error']:.1%}  {verdict}  "
            f"({guess['right']} of {guess['of']})")


def keep(path, row):
    """Replaces the result of the same program, size and room in a file of results."""
    def place(row):
        return KINDS.index(row["kind"]), row["program"], row["cover"], row["nodes"], row.get("room", "") == "busy"

    known = json.loads(path.read_text()) if path.exists() else []
    rows = sorted([other for other in known if place(other) != place(row)] + [row], key=place)
    path.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n")


def self_test(report):
    """Whether planted leaks are found, and nothing is found without one."""
    held = True
    for leak in (None, *planted.LEAKS):
        # A faint one, and none, needs more cases.
        found = guesses.receivers(*planted.traffic(leak, whispers=200 if leak in (None, *planted.FAINT) else 100))
        best = max(found["guesses"].values(), key=lambda guess: guess["share"])
        share, is_found = best["share"], any(guess["found"] for guess in found["guesses"].values())
        right = is_found and (share > 0.95 or leak in planted.FAINT) if leak else not is_found
        held = held and right
        report(f"{leak or 'no leak'}: {share:.1%} of receivers, {'found' if is_found else 'hidden'}{'' if right else ': WRONG'}")
    for is_covered in (False, True):
        seen, acts = planted.talks(is_covered)
        found = [guesses.happened(seen, acts), *guesses.rhythm(seen, acts).values()]
        right = not any(guess["found"] for guess in found) if is_covered else all(guess["found"] for guess in found)
        held = held and right
        shares = ", ".join(f"{guess['share']:.1%}" for guess in found)
        report(f"talks {'under' if is_covered else 'without'} cover: {shares}{'' if right else ': WRONG'}")
    return held


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("--help", "-h", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--cost", action="store_true")
    parser.add_argument("--replay", type=Path)
    parser.add_argument("--nodes", type=lambda text: [int(word) for word in text.split(",")])
    parser.add_argument("--room", choices=("quiet", "busy", "both"), default="both")
    parser.add_argument("--whispers", type=int, default=200)
    parser.add_argument("--conversations", type=int, default=0)
    parser.add_argument("--spacing", type=float, default=3)
    parser.add_argument("--cover", action="store_true")
    parser.add_argument("--program", default=os.environ.get("EARSHOT_BINARY", str(HERE.parents[1] / ".build/program/earshot")))
    parser.add_argument("--label", default="this program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--traces", type=Path)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def results(options):
    """The results that the options ask for, one after the other."""
    if options.replay:
        for folder in sorted(options.replay.iterdir()):
            yield from judge(json.loads((folder / "acts.json").read_text()), folder)
        return
    import room
    for nodes in options.nodes or ([2, 8, 32] if options.cost else [5, 12, 32]):
        with tempfile.TemporaryDirectory() as temporary:
            folder = options.traces / f"{nodes}" if options.traces else Path(temporary)
            folder.mkdir(parents=True, exist_ok=True)
            if options.cost:
                yield cost(room, nodes, options, folder)
            else:
                yield from judge(run(room, nodes, options, folder), folder)


def main():
    options = arguments()
    if options.help:
        print(__doc__.strip())
        return 0
    if options.self_test:
        return 0 if self_test(lambda line: print(line, flush=True)) else 1
    is_found = False
    for row in results(options):
        print(json.dumps(row) if options.json else "\n".join(shown(row)), flush=True)
        is_found = is_found or any(guess["found"] for guess in row.get("guesses", {}).values())
        if options.keep:
            keep(options.keep, row)
    return 1 if is_found else 0


if __name__ == "__main__":
    sys.exit(main())

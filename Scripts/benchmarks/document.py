"""Writes the figures between the marks of Docs/Benchmarks.md; the text around them is manual. Figures that were not
measured this time stay: each section has the time and the machine of its figures."""

import datetime
import os
import platform
import re
import statistics
from pathlib import Path

import goals
import plot
from results import Results, shown

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"

# (heading, test, field) of each row.
COLUMNS = [
    ("B0 all met, s", "B0", "met_s"),
    ("B1 CPU µs per delivery", "B1", "cpu_us"), ("B1 deliveries/s", "B1", "per_second"), ("B1 lost", "B1", "lost"),
    ("B2 p50 ms", "B2", "p50_ms"), ("B2 p99 ms", "B2", "p99_ms"),
    ("B3 median ms", "B3", "median_ms"), ("B3 worst ms", "B3", "worst_ms"), ("to `ready` ms", "B3", "ready_ms"),
    ("B4 PSS MB", "B4", "pss_mb"),
    ("B5 B/s", "B5", "received_bytes"), ("B5 packets/s", "B5", "received_packets"),
    ("B6 deliveries/s", "B6", "per_second"), ("B6 CPU µs", "B6", "cpu_us"), ("B6 lost", "B6", "lost"),
    ("B6 different rings", "B6", "rings"),
    ("others' cores", "B1", "others"),
]
# (heading, test, the scoreboard's field, factor to our unit) of each row.
SCOREBOARD = [
    ("B1 CPU µs per delivery", "B1", "cpu_us", 1), ("B1 deliveries/s", "B1", "rate", 1), ("B1 lost", "B1", "loss", 1),
    ("B2 p50 ms", "B2", "p50", 1e-3), ("B2 p99 ms", "B2", "p99", 1e-3), ("B3 median ms", "B3", "join_ms", 1),
    ("B4 PSS MB", "B4", "pss", 1), ("B5 B/s", "B5", "rx_B", 1), ("B6 deliveries/s", "B6", "rate", 1),
    ("B6 CPU µs", "B6", "cpu_us", 1), ("others' cores", "B1", "other", 1),
]


def table(headings, rows):
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in lines)


def processor():
    model = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return model[1] if model else platform.machine()


def machine():
    """The machine, with the date and the load."""
    memory = int(re.search(r"MemTotal:\s*(\d+)", Path("/proc/meminfo").read_text())[1]) / 2**20
    return (f"{datetime.date.today()}, {processor()}, {os.cpu_count()} processors, {memory:.0f} GiB, "
            f"Linux {platform.release()}. Load in the minute before this was written: {os.getloadavg()[0]:.1f}.")


def group_section(results):
    if not results.rows:
        return None
    candidates = results.names("candidate")
    rows = [[heading] + [shown(results.median(field, candidate=name, test=test)) for name in candidates]
            for heading, test, field in COLUMNS]
    rounds = max(results.values("round")) + 1
    text = f"Medians of {rounds}, groups of {results.rows[0]['nodes']} nodes.\n\n" + table(["", *candidates], rows)
    return text + failures(results)


def failures(results):
    return "".join(f"\n\n{row['candidate']} failed once, with {row['nodes']} nodes: {row['error']}."
                   for row in results.rows if row["test"] == "failed")


def goals_section(figures, before):
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in before.splitlines() if line.startswith("| ")]
    known = {what: rest for what, *rest in cells if len(rest) == 4}
    on = f"{datetime.date.today()}, {processor()}"
    return table(["what", "goal", "measured", "", "on"], goals.rows(figures, on, known))


def curve_lines(results):
    """Candidate -> [(nodes, CPU µs per delivery)]."""
    lines = {}
    for name in results.names("candidate"):
        points = [(nodes, results.median("cpu_us", candidate=name, test="B1", nodes=nodes))
                  for nodes in results.names("nodes")]
        if points := [point for point in points if point[1] is not None]:
            lines[name] = points
    return lines


def curve_section(results):
    if not curve_lines(results):
        return None
    rows = []
    for name in results.names("candidate"):
        for nodes in results.names("nodes"):
            wanted = {"candidate": name, "nodes": nodes}
            rows.append([name, str(nodes), shown(results.median("cpu_us", test="B1", **wanted)),
                         shown(results.median("pss_mb", test="B4", **wanted)),
                         shown(results.median("lost", test="B1", **wanted))])
    return ("![CPU per delivery](benchmarks-curve.svg)\n\n"
            + table(["", "nodes", "CPU µs per delivery", "PSS MB", "lost"], rows) + failures(results))


def star_section(results):
    if not results.rows:
        return None
    fields = ["silent_mb", "silent_kib", "pss_mb"]
    rows = [[f"{nodes - 1}"] + [shown(results.median(field, nodes=nodes)) for field in fields] for nodes in results.names("nodes")]
    return table(["links", "PSS before the first message, MB", "private part, KiB", "PSS after each node has sent one, MB"], rows)


def parts_section(results):
    if not results.rows:
        return None
    rows = []
    for mode in results.names("mode"):
        for operation in dict.fromkeys(results.values("operation", mode=mode)):
            rows.append([mode, operation] + [shown(results.median(field, mode=mode, operation=operation))
                                             for field in ("ns", "least_ns")])
    return table(["mode", "operation", "median ns", "least ns"], rows)


def scoreboard_section(results):
    if not results.rows:
        return None
    names = sorted(results.names("cand"), key=lambda name: (name != "earshot", name))
    rows = []
    for heading, test, field, factor in SCOREBOARD:
        cells = []
        for name in names:
            values = [value for value in results.values(field, cand=name, test=test) if value is not None]
            cells.append(shown(float(statistics.median(values) * factor)) if values else "–")
        rows.append([heading, *cells])
    return table(["", *names], rows)


def rooms_section(results):
    if not results.rows:
        return None
    fields = ["pss_mb", "private_mb", "cpu_percent", "threads", "descriptors", "sent_bytes", "sent_packets", "start_ms"]
    rows = [[name, str(count)] + [shown(results.median(field, discovery=name, rooms=count)) for field in fields]
            for name in results.names("discovery") for count in results.names("rooms")]
    headings = ["discovery", "rooms", "PSS MB", "private MB", "CPU % of a core", "threads", "descriptors", "sent B/s",
                "sent packets/s", "start to ready ms"]
    return "Medians of two programs in the same rooms, from the second minute to the third.\n\n" + table(headings, rows)


def write(root, parts, group, curve, scoreboard, program=None, rest=None, star=None, rooms=None):
    """Writes the figures between the marks; `program` is the size of the stripped program in bytes."""
    board = Results(scoreboard).read() if scoreboard else Results(None)
    figures = goals.Figures(group, curve, board, program, rest or Results(None), star or Results(None))
    path = root / "Docs" / "Benchmarks.md"
    above, _, standing = path.read_text().partition(BEGIN)
    standing, _, below = standing.partition(END)
    known = dict(part.split("\n", 1) for part in standing.split("\n## ")[1:])
    measured = {
        "Groups": group_section(group), "Side by side with others": scoreboard_section(board),
        "Cost against the size of the group": curve_section(curve), "Memory of a centre": star_section(star or Results(None)),
        "Rooms": rooms_section(rooms or Results(None)),
        "Parts": parts_section(parts)}
    sections = {"Goals": goals_section(figures, known.get("Goals", ""))}
    for name, text in measured.items():
        sections[name] = f"{machine()}\n\n{text}" if text else known.get(name, "Not measured yet.").strip()
    figures_text = "\n\n".join(f"## {name}\n\n{text}" for name, text in sections.items())
    path.write_text(f"{above}{BEGIN}\n\n{figures_text}\n{END}{below}")
    if lines := curve_lines(curve):
        picture = plot.curve(lines, "CPU per delivery", "µs per delivery, all processes")
        (root / "Docs" / "benchmarks-curve.svg").write_text(picture)

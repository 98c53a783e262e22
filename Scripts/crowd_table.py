"""crowd_table.py DIRECTORY: writes Docs/crowd.json as the four tables between the marks of Docs/Simulation.md.

Scripts/crowd_curve measured the rows; Scripts/check compares the two files. A row has the sums and the worst figures of its seeds.
"""

import json
import statistics
import sys
from pathlib import Path

KEPT, PAGE = "Docs/crowd.json", "Docs/Simulation.md"
HEADS = {
    "reaction": ("nodes", "latency, ms", "messages, reactions a second", "what", "delivered", "live", "sends per delivery",
                 "latency p50 / p99 / longest, ms", "bound of p99", "missed"),
    "size": ("nodes", "delivered", "live", "sends per delivery", "latency p50 / p99 / longest, ms", "links mean / most",
             "hops mean / most", "control records per delivery", "control bytes per delivery", "processor time", "memory"),
    "rate": ("nodes", "latency, ms", "messages a second", "program", "delivered", "live", "sends per delivery",
             "latency p50 / p99 / longest, ms", "bound of p99", "control records, bytes per delivery", "links mean / most",
             "hops mean / most", "missed"),
    "fault": ("room", "program", "delivered", "live", "sends per delivery", "latency p50 / p99 / longest, ms",
              "control records, bytes per delivery", "links mean / most", "hops mean / most", "cut off", "missed"),
}
# The bounds of every row, and those of the rows without faults.
LIVE, SENDS, CONTROL, HOPS, SLACK = 0.99, 1.1, 0.5, 3, 20


def marks(kind):
    return f"<!-- crowd: {kind}: begin -->\n", f"<!-- crowd: {kind}: end -->\n"


def summary(reports):
    """The figures of the runs of a row, one for each seed: sums, means, the median of p50, and the worst p99."""
    crowds = [report["crowd"] for report in reports]
    shocks = [crowd.get("shock") for crowd in crowds]
    latencies = [report["latencyMs"] for report in reports]
    sums = {
        "seeds": len(reports), "messages": sum(report["messages"] for report in reports),
        **{name: sum(report[name] for report in reports) for name in ("expected", "delivered", "live")},
        "sends": mean(report["sendsPerDelivery"] for report in reports),
        "p50": statistics.median(latency["p50"] for latency in latencies),
        "p99": max(latency["p99"] for latency in latencies), "longest": max(latency["max"] for latency in latencies),
        "control": mean(crowd["controlRecordsPerDelivery"] for crowd in crowds),
        "bytes": round(mean(crowd["controlBytesPerDelivery"] for crowd in crowds)),
        "links": mean(crowd["linksMean"] for crowd in crowds), "linksMost": max(crowd["linksMost"] for crowd in crowds),
        "hops": mean(crowd["hopsMean"] for crowd in crowds), "hopsMost": max(crowd["hopsMost"] for crowd in crowds),
        "cutOff": sum(crowd["cutOff"] for crowd in crowds),
        "seconds": round(mean(report["processorSeconds"] for report in reports), 1),
        "megabytes": round(max(report["megabytes"] for report in reports)),
    }
    if all("reactions" in report for report in reports):
        sums["reactions"] = talk([report["reactions"] for report in reports])
    if all(shocks):
        sums["healed"] = {name: sum(shock[name] for shock in shocks) for name in ("expected", "delivered", "live")}
    return sums


def talk(parts):
    """The figures of the reactions of several runs."""
    latencies = [part["latencyMs"] for part in parts]
    return {**{name: sum(part[name] for part in parts) for name in ("expected", "delivered", "live")},
            "sends": mean(part["sendsPerDelivery"] for part in parts), "p50": statistics.median(latency["p50"] for latency in latencies),
            "p99": max(latency["p99"] for latency in latencies), "longest": max(latency["max"] for latency in latencies)}


def mean(values):
    return round(statistics.fmean(values), 3)


def bound(row):
    """The longest p99 that a row without faults may have, in milliseconds."""
    return HOPS * row["hops"] * statistics.fmean(row["latency"]) + SLACK


def missed(row):
    """The names of the figures that are not as good as they have to be."""
    # While the room is cut, no message can be live in its other half.
    live = row.get("healed", row)
    checks = {"delivered": row["delivered"] == row["expected"], "live": live["live"] >= LIVE * live["expected"],
              "control records": row["control"] <= CONTROL, "cut off": row["cutOff"] == 0}
    if row["kind"] in ("rate", "reaction"):
        checks |= {"sends": row["sends"] <= SENDS, "p99": row["p99"] <= bound(row)}
    if part := row.get("reactions"):
        checks |= {"reactions delivered": part["delivered"] == part["expected"], "live reactions": part["live"] >= LIVE * part["expected"],
                   "sends of reactions": part["sends"] <= SENDS, "p99 of reactions": part["p99"] <= bound(row)}
    return [name for name, holds in checks.items() if not holds]


def share(part, whole):
    """In percent, rounded down, so that only all are 100."""
    return f"{part * 10_000 // max(1, whole) / 100:.2f} %"


def figures(row):
    """The cells that all tables have: delivered, live, sends, latency, control, links, hops."""
    return [*talk_cells(row), f"{row['control']:.2f}, {row['bytes']:,}",
            f"{row['links']:.1f} / {row['linksMost']}", f"{row['hops']:.1f} / {row['hopsMost']}"]


def talk_cells(part):
    """Delivered, live, sends and latency of messages or of reactions."""
    return [share(part["delivered"], part["expected"]), share(part["live"], part["expected"]), f"{part['sends']:.3f}",
            f"{part['p50']:.0f} / {part['p99']:.0f} / {part['longest']:.0f}"]


def size_row(row):
    *first, control, links, hops = figures(row)
    return [f"{row['nodes']:,}", *first, links, hops, *control.replace(",", "").split(" "), f"{row['seconds']:.0f} s",
            f"{row['megabytes']:.0f} MB"]


def rate_row(row):
    *first, control, links, hops = figures(row)
    latency = "-".join(f"{end:g}" for end in dict.fromkeys(row["latency"]))
    return [f"{row['nodes']:,}", latency, f"{row['rate']:g}", row["label"], *first, f"{bound(row):.0f}", control, links, hops,
            ", ".join(missed(row)) or "nothing"]


def reaction_rows(row):
    """The messages of a talk, and its reactions."""
    latency = "-".join(f"{end:g}" for end in dict.fromkeys(row["latency"]))
    begin = [f"{row['nodes']:,}", latency, f"{row['rate']:g}, {row['reactionRate']:g}"]
    end = [f"{bound(row):.0f}", ", ".join(missed(row)) or "nothing"]
    return [begin + ["messages", *talk_cells(row), *end], begin + ["reactions", *talk_cells(row["reactions"]), *end]]


def fault_row(row):
    cells = figures(row)
    if "healed" in row:
        cells[1] += f"; {share(row['healed']['live'], row['healed']['expected'])} from 5 s after it healed on"
    return [row["how"], row["label"], *cells, str(row["cutOff"]), ", ".join(missed(row)) or "nothing"]


CELLS = {"size": lambda row: [size_row(row)], "rate": lambda row: [rate_row(row)], "fault": lambda row: [fault_row(row)],
         "reaction": reaction_rows}


def table(kind, rows):
    head = HEADS[kind]
    lines = [head, ["---"] * len(head), *(cells for row in rows if row["kind"] == kind for cells in CELLS[kind](row))]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines).replace("| --- ", "|---").replace("--- |", "---|")


def with_tables(root):
    """The text of Docs/Simulation.md with the current tables."""
    rows, text = json.loads((Path(root) / KEPT).read_text()), (Path(root) / PAGE).read_text()
    for kind in HEADS:
        begin, end = marks(kind)
        before, rest = text.split(begin)
        text = before + begin + table(kind, rows) + end + rest.split(end)[1]
    return text


def write(root):
    (Path(root) / PAGE).write_text(with_tables(root))


if __name__ == "__main__":
    write(sys.argv[1])

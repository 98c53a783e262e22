"""observer_table.py DIRECTORY: writes Docs/observer.json as the two tables between the marks of Docs/Threats.md.

The tables have a row for each room in which Scripts/observer guessed the receivers of whispers, and for each that shows their cost;
Scripts/check compares the two files.
"""

import sys

import threat_table

BEGIN, END = "<!-- observer: Scripts/observer --table -->\n", "<!-- end of observer -->\n"
HEAD = ("| program | nodes | room | nearest | count | size | boosting | chance + 3 errors | better than chance | answers alike | whether at all | "
        "the two of a talk (chance + 3 errors) |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|\n")
COST_BEGIN, COST_END = "<!-- observer: cost -->\n", "<!-- end of cost -->\n"
COST_HEAD = ("| program | nodes | records of a whisper | bytes | processor | delivery mark p50, p99 | records, bytes of a node at rest "
             "a minute | processor |\n"
             "|---|---|---|---|---|---|---|---|\n")


def percent(share):
    return f"{100 * share:.1f} %"


def least(guess):
    """The share above which a guess is better than chance."""
    return percent(guess["chance"] + 3 * guess["error"])


def named(told):
    return told["program"] + (", cover" if told["cover"] else "")


def found(guesses):
    return ", ".join(name for name, guess in guesses.items() if guess["found"]) or "none"


def answers(told):
    compared, (real, other) = told["answers"], told["answers"]["shares"]
    shares = f"{100 * real:.0f} and {100 * other:.0f} % answer"
    return shares if compared["p"] is None else f"{shares}; p = {compared['p']:.2g}"


def row(told):
    if told["kind"] != "receiver":
        return ""
    guesses, rhythm = told["guesses"], told["rhythm"]
    shares = [percent(guesses[name]["share"]) for name in ("nearest", "count", "size", "boosting")]
    best = max(rhythm.values(), key=lambda guess: guess["share"]) if rhythm else None
    cells = [named(told), str(told["nodes"]), told["room"], *shares, least(guesses["boosting"]), found(guesses), answers(told),
             percent(told["happened"]["share"]), f"{percent(best['share'])} ({least(best)})" if best else ""]
    return "| " + " | ".join(cells) + " |\n"


def cost_row(told):
    if told["kind"] != "cost":
        return ""
    mark = "{}, {} ms".format(*told["mark_ms"]) if told["mark_ms"] else "none"
    records, size, processor = ("{:,} ± {:,}".format(*told[name]) for name in ("records", "bytes", "processor_ms"))
    cells = [named(told), str(told["nodes"]), records, size, f"{processor} ms", mark,
             f"{told['rest_records_per_minute']}, {told['rest_bytes_per_minute']:,}", f"{told['rest_processor_ms_per_minute']} ms"]
    return "| " + " | ".join(cells) + " |\n"


def with_table(root):
    """The text of Docs/Threats.md with the current tables."""
    text = threat_table.with_table(root, "observer.json", BEGIN, END, HEAD, row)
    return threat_table.with_table(root, "observer.json", COST_BEGIN, COST_END, COST_HEAD, cost_row, text)


if __name__ == "__main__":
    threat_table.write(sys.argv[1], with_table(sys.argv[1]))

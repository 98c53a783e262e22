"""attack_table.py DIRECTORY: writes Docs/attacks.json as the table between the two marks of Docs/Threats.md.

The table has a row for each attack that Scripts/attack measured; Scripts/check compares the two files.
"""

import sys

import threat_table

BEGIN, END = "<!-- attacks: Scripts/attack --table -->\n", "<!-- end of attacks -->\n"
HEAD = ("| attack | p50, p99 calm | p50, p99 attacked | memory | processor | newcomer | the attacker's links | counted | result |\n"
        "|---|---|---|---|---|---|---|---|---|\n")


def short(number):
    return f"{number:,}"


def links(attacker):
    opened, closed = attacker.get("connections", 0), attacker.get("closed_by_victim", 0)
    words = [f"{short(opened)} opened"] if opened else []
    words += [f"{short(closed)} closed"] if closed else []
    elsewhere = attacker.get("connections_elsewhere", 0)
    return ", ".join(words + ([f"{short(elsewhere)} dials from all members"] if elsewhere else [])) or "none"


def row(told):
    before, peak = told["memory_kib"]
    calm, attacked = (f"{p50}, {p99} ms" for p50, p99 in (told["calm_ms"], told["attack_ms"]))
    joined, runs = told["newcomer_seconds"], told.get("runs")
    counted = ", ".join(f"`{name}` {short(told['counted'].get(name, 0))}" for name in told["required"]) or "nothing is refused"
    result = "missed: " + "; ".join(told["missed"]) if told["missed"] else "held"
    if runs:
        result += f", in {told['held']} of {runs} rooms"
    cells = [told["tried"], calm, attacked, f"{before / 1024:.1f} + {max(0, peak - before) / 1024:.1f} MiB",
             "{} → {} %".format(*told["cpu_percent"]), "never" if joined is None else f"{joined} s",
             links(told["attacker"]), counted, result]
    return "| " + " | ".join(cells) + " |\n"


def with_table(root):
    """The text of Docs/Threats.md with the current table."""
    return threat_table.with_table(root, "attacks.json", BEGIN, END, HEAD, row)


if __name__ == "__main__":
    threat_table.write(sys.argv[1], with_table(sys.argv[1]))

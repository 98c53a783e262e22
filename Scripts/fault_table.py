"""fault_table.py DIRECTORY: writes Docs/faults.json as the table between the two marks of Docs/Threats.md.

What Scripts/faults measured, a row for each fault; Scripts/check compares the two files.
"""

import json
import sys
from pathlib import Path

BEGIN, END = "<!-- faults: Scripts/faults --table -->\n", "<!-- end of faults -->\n"
HEAD = "| fault | how | figures | result | |\n|---|---|---|---|---|\n"


def row(told):
    result = f"missed: {told['missed']}" if told["missed"] else "held"
    return f"| {told['fault']} | {told['tried']} | {told['figures']} | {result} | tested: `{told['test'].split('.')[-1]}` |\n"


def table(root):
    return HEAD + "".join(map(row, json.loads((Path(root) / "Docs/faults.json").read_text())))


def with_table(root):
    """Docs/Threats.md as it has to be."""
    text = (Path(root) / "Docs/Threats.md").read_text()
    before, rest = text.split(BEGIN)
    return before + BEGIN + table(root) + END + rest.split(END)[1]


if __name__ == "__main__":
    (Path(sys.argv[1]) / "Docs/Threats.md").write_text(with_table(sys.argv[1]))

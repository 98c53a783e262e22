"""fault_table.py DIRECTORY: writes Docs/faults.json as the table between the two marks of Docs/Threats.md.

The table has a row for each fault that Scripts/faults measured; Scripts/check compares the two files.
"""

import sys

import threat_table

BEGIN, END = "<!-- faults: Scripts/faults --table -->\n", "<!-- end of faults -->\n"
HEAD = "| fault | how | figures | result | |\n|---|---|---|---|---|\n"


def row(told):
    result = f"missed: {told['missed']}" if told["missed"] else "held"
    return f"| {told['fault']} | {told['tried']} | {told['figures']} | {result} | tested: `{told['test'].split('.')[-1]}` |\n"


def with_table(root):
    """The text of Docs/Threats.md with the current table."""
    return threat_table.with_table(root, "faults.json", BEGIN, END, HEAD, row)


if __name__ == "__main__":
    threat_table.write(sys.argv[1], with_table(sys.argv[1]))

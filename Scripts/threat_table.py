"""Writes the kept results of a script as a table between two marks of Docs/Threats.md."""

import json
from pathlib import Path


def with_table(root, kept, begin, end, head, row, text=None):
    """The text of Docs/Threats.md, or `text`, with a row for each result in Docs/KEPT."""
    results = json.loads((Path(root) / "Docs" / kept).read_text())
    before, rest = (text or (Path(root) / "Docs/Threats.md").read_text()).split(begin)
    return before + begin + head + "".join(map(row, results)) + end + rest.split(end)[1]


def write(root, text):
    (Path(root) / "Docs/Threats.md").write_text(text)

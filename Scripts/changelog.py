"""Reads CHANGELOG.md.

`changelog.py notes VERSION` prints the section of a version, `changelog.py debian` the changes as a changelog of Debian.
A section begins with `## VERSION (Month D, YYYY)`, as `Version.swift` writes the date.
"""

import re
import sys
import textwrap
from datetime import datetime, timezone
from email.utils import format_datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEADING = re.compile(r"^## (\S+) \((\w+ \d{1,2}, \d{4})\)$", re.MULTILINE)


def sections(text):
    """(version, date, text) of each version, the newest first."""
    found = list(HEADING.finditer(text))
    ends = [match.start() for match in found[1:]] + [len(text)]
    return [
        (match[1], datetime.strptime(match[2], "%B %d, %Y").replace(tzinfo=timezone.utc), text[match.end():end].strip())
        for match, end in zip(found, ends, strict=True)
    ]


def notes(text, version):
    for found, _, section in sections(text):
        if found == version:
            return section + "\n"
    raise SystemExit(f"earshot: CHANGELOG.md has no section of version {version}")


def plain(line):
    """A line without the marks and targets of Markdown."""
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", line).replace("`", "")


def debian(text):
    entries = []
    for version, date, section in sections(text):
        items = [
            textwrap.fill(plain(line.removeprefix("- ")), 78, initial_indent="  * " if line.startswith("- ") else "  ", subsequent_indent="    ")
            for line in section.splitlines() if line
        ]
        entries.append(
            f"earshot ({version}) stable; urgency=medium\n\n" + "\n".join(items)
            + f"\n\n -- The Earshot authors <authors@earshot.invalid>  {format_datetime(date)}\n")
    return "\n".join(entries)


if __name__ == "__main__":
    changes = (ROOT / "CHANGELOG.md").read_text()
    print(debian(changes) if sys.argv[1] == "debian" else notes(changes, sys.argv[2]), end="")

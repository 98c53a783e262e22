"""The blocks of code in README and the documents: fenced ones, and indented ones behind an empty line."""

import collections

Block = collections.namedtuple("Block", "file line language text")


def blocks(root):
    for path in [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "Docs").rglob("*.md")),
                 *sorted((root / "Sources" / "Library").rglob("*.md"))]:
        yield from _blocks(path.relative_to(root).as_posix(), path.read_text().splitlines())


def _blocks(file, lines):
    index = 0
    while index < len(lines):
        line, end = lines[index], index + 1
        if line.startswith("```"):
            while not lines[end].startswith("```"):
                end += 1
            yield Block(file, index + 1, line[3:], "\n".join(lines[index + 1:end]) + "\n")
            end += 1
        elif line.startswith("    ") and (index == 0 or not lines[index - 1].strip()):
            while end < len(lines) and lines[end].startswith("    "):
                end += 1
            yield Block(file, index + 1, "indented", "".join(line[4:] + "\n" for line in lines[index:end]))
        index = end


def block(root, file, start):
    """The block of a file that begins so, or has that in its first line."""
    found = [block for block in blocks(root) if block.file == file and start in block.text.split("\n")[0]]
    assert len(found) == 1, f"{len(found)} blocks of {file} have {start!r} in their first line"
    return found[0]

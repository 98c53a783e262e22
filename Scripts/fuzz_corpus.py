"""Converts a fuzzer's inputs between separate files and lines of one text file.

`fuzz_corpus.py unpack FILE DIRECTORY` writes a file for each line, named by its content; FILE may be `-`.
`fuzz_corpus.py pack DIRECTORY FILE BYTES` writes a line for each file, the shortest first, up to BYTES bytes.

A line is hexadecimal, or a JSON string with a character for each byte, if that is shorter.
"""

import hashlib
import json
import sys
from pathlib import Path


def encoded(content):
    text = json.dumps(content.decode("latin-1"))
    return min(text, content.hex(), key=len) if content else ""


def decoded(line):
    return json.loads(line).encode("latin-1") if line.startswith('"') else bytes.fromhex(line)


def unpack(source, directory):
    for line in source:
        content = decoded(line.rstrip("\n"))
        (Path(directory) / hashlib.sha256(content).hexdigest()[:40]).write_bytes(content)


def pack(directory, limit):
    lines, size = [], 0
    for line in sorted({encoded(path.read_bytes()) for path in Path(directory).iterdir()} - {""}, key=lambda line: (len(line), line)):
        size += len(line) + 1
        if size > limit:
            break
        lines.append(line + "\n")
    return "".join(lines)


if __name__ == "__main__":
    action, first, second = sys.argv[1:4]
    if action == "pack":
        Path(second).write_text(pack(first, int(sys.argv[4])))
    elif first == "-":
        unpack(sys.stdin, second)
    else:
        with open(first) as file:
            unpack(file, second)

"""Searches the memory of a running process. Needs the right to read it: root's, because the program forbids it to others."""

import os
import re


def may_be_searched(process):
    try:
        os.close(os.open(f"/proc/{process}/mem", os.O_RDONLY))
        return True
    except PermissionError:
        return False


def occurrences(process, needles):
    """How often each of `needles`, all of one length, is in memory that the process can write to, or could."""
    counts = dict.fromkeys(needles, 0)
    with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "rb", buffering=0) as memory:
        for line in maps:
            first, last, rights, path = re.match(r"(\w+)-(\w+) (\S+) \S+ \S+ \S+\s*(.*)", line).groups()
            first, last = int(first, 16), int(last, 16)
            # What is never written to holds no key. Pages that a guard forbids to be read are searched all the same, but
            # not what is only set aside to grow into.
            is_set_aside = rights.startswith("---") and last - first > 1 << 20
            if is_set_aside or "x" in rights or path.startswith("/") and "w" not in rights or path.startswith("[v"):
                continue
            for data in pieces(memory, first, last, max(map(len, needles)) - 1):
                for needle in needles:
                    counts[needle] += data.count(needle)
    return [counts[needle] for needle in needles]


def pieces(memory, first, last, overlap, size=1 << 24):
    """The bytes of a mapping, each piece beginning with the last bytes of the one before. Without what can't be read."""
    rest = b""
    for position in range(first, last, size):
        try:
            memory.seek(position)
            data = memory.read(min(size, last - position))
        except (OSError, OverflowError):
            rest = b""
            continue
        yield rest + data
        rest = data[-overlap:]

"""Searches the memory of a running process. Only root may read it, because the program forbids core dumps."""

import os
import re


def may_be_searched(process):
    try:
        os.close(os.open(f"/proc/{process}/mem", os.O_RDONLY))
        return True
    except PermissionError:
        return False


def occurrences(process, needles):
    """The number of times that each of `needles`, all of one length, is in the process's writable memory."""
    counts = dict.fromkeys(needles, 0)
    with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "rb", buffering=0) as memory:
        for line in maps:
            first, last, rights, path = re.match(r"(\w+)-(\w+) (\S+) \S+ \S+ \S+\s*(.*)", line).groups()
            first, last = int(first, 16), int(last, 16)
            # Memory that was never writable holds no key. The search includes unreadable guarded pages, but
            # not address space that is only reserved.
            is_set_aside = rights.startswith("---") and last - first > 1 << 20
            if is_set_aside or "x" in rights or path.startswith("/") and "w" not in rights or path.startswith("[v"):
                continue
            for data in pieces(memory, first, last, max(map(len, needles)) - 1):
                for needle in needles:
                    counts[needle] += data.count(needle)
    return [counts[needle] for needle in needles]


def pieces(memory, first, last, overlap, size=1 << 24):
    """The readable bytes of a mapping in pieces; each begins with the last bytes of the previous one."""
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

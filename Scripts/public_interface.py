"""Prints the public interface of the library as text, from symbol graphs: `public_interface.py FOLDER`.

The last line has the number of public symbols. Symbols without documentation go to standard error, and the exit code is 1 then.
"""

import json
import sys
from pathlib import Path


def declaration(symbol):
    return "".join(fragment["spelling"] for fragment in symbol["declarationFragments"])


def is_inherited(symbol):
    """A member that the compiler or a protocol of the language gives."""
    return "::SYNTHESIZED::" in symbol["identifier"]["precise"] or "location" not in symbol


def interface(path):
    """(lines, undocumented names, count) of a module."""
    graph = json.loads(path.read_text())
    symbols = {symbol["identifier"]["precise"]: symbol for symbol in graph["symbols"] if not is_inherited(symbol)}
    ordered = sorted(symbols.values(), key=lambda symbol: (symbol["pathComponents"], declaration(symbol)))
    lines, undocumented = [f"module {graph['module']['name']}"], []
    for symbol in ordered:
        lines.append("    " * len(symbol["pathComponents"]) + declaration(symbol))
        if not symbol.get("docComment", {}).get("lines"):
            undocumented.append(f"{graph['module']['name']}.{'.'.join(symbol['pathComponents'])}")
    return lines, undocumented, len(ordered)


def main(folder):
    total, missing = 0, []
    for path in sorted(Path(folder).glob("*/*.symbols.json")):
        if "@" in path.name:
            continue
        lines, undocumented, count = interface(path)
        print("\n".join(lines), end="\n\n")
        missing += undocumented
        total += count
    print(f"{total} public symbols, {total - len(missing)} documented")
    for name in missing:
        print(f"{name} is not documented", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

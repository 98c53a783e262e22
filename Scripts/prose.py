"""Finds words that make comments, documents, messages and test names hard to read.

A sentence has a role of the program or of the protocol as its subject (peer, link, sender, user), never *who*, *whatever*,
*nobody*, *such* or *the same*; and the program reports, sends or receives: it is not *told*.

    prose.py DIRECTORY               checks the project's files against Scripts/prose-allowed
    prose.py DIRECTORY --list PATH...  prints the findings of these files and folders
    prose.py DIRECTORY --lower       rewrites Scripts/prose-allowed where a file has fewer findings than it allows

Each line of Scripts/prose-allowed is a count and a file. The counts only fall: a file with more findings fails the check,
and so does a file with fewer. Without the file, `--lower` writes one that allows the findings of now.
"""

import ast
import io
import re
import sys
import tokenize
from pathlib import Path

import swift_source

ALLOWED = "Scripts/prose-allowed"
# These two files quote the words.
EXEMPT = {"Scripts/prose.py", "Tests/Scripts/test_prose.py"}
SHELL = (".sh", ".bash", ".service", ".socket", ".conf")
FOLDERS = ("Sources", "Tests", "Scripts", "Docs", ".ci")

_HEADS = r"Who|Whoever|Whom|Whose|What|Whatever|Whichever|Nobody|Somebody|Anybody|Everybody|Everyone|No one|Such|The same"
_ANYWHERE = r"whoever|whomever|nobody|somebody|whom|anybody|everybody|(?:is|are|was|were|be|been|being) told|stands(?! for\b)"
# A sentence or a cell of a table begins; a question may begin with any word.
_HEAD = re.compile(rf"(?:^|[.;:!?][\"')\]*_]*\s+|\|\s*)[\"'(*_]*(?P<word>{_HEADS})\b(?![^.;|]*\?)")
# A clause begins behind a colon or a semicolon.
_CLAUSE = re.compile(r"[;:]\s+(?P<word>who|whoever|whom|what|whatever|whichever|nobody|somebody)\b(?![^.;|]*\?)")
_WORD = re.compile(rf"\b(?P<word>{_ANYWHERE})\b", re.IGNORECASE)
# A message to the user has three words at least; fewer are a name.
_MESSAGE = re.compile(r"\S+ \S+ \S")
_SHELL_COMMENT = re.compile(r"(?:^|\s)#(?!!)\s?(?P<text>.*)$")
_SHELL_MESSAGE = re.compile(r"\b(?:say|die|echo|printf|usage)\s.*?(?P<quote>[\"'])(?P<text>.*)(?P=quote)")
_CODE = re.compile(r"``[^`]+``|`[^`]*`")


def passages(path, text):
    """The prose of a file, as lists of (line number, text of the line): each list is read as one text."""
    if path.suffix in (".swift", ".c", ".h"):
        return _swift(text, messages="Tests" not in path.parts)
    if path.suffix == ".py" or not path.suffix and re.match(r"#!.*python", text):
        return _python(text, messages="Tests" not in path.parts)
    if path.suffix == ".md":
        return _markdown(text)
    if path.suffix in SHELL or not path.suffix and re.match(r"#!.*(?:bash|/sh)\n", text):
        return _shell(text)
    return []


def _swift(text, messages):
    yield from _comments(swift_source.comments(text), text)
    for number, line in enumerate(text.splitlines(), 1):
        for name in re.findall(r"\bfunc `([^`]* [^`]*)`", line):
            yield [(number, name[:1].upper() + name[1:])]
    for number, string in swift_source.strings(text) if messages else ():
        yield from _message(number, re.sub(r"\\\([^\n]*?\)", "X", string))


def _python(text, messages):
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = [(token.start[0], token.string.lstrip("#")) for token in tokens if token.type == tokenize.COMMENT]
    yield from _comments(((number, line) for number, line in comments if not line.startswith("!")), text)
    tree = ast.parse(text)
    documented = [node for node in ast.walk(tree) if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))]
    documents = [node.body[0].value for node in documented if node.body and isinstance(node.body[0], ast.Expr)]
    for node in ast.walk(tree) if messages else documents:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _message(node.lineno, node.value)
    for node in documented:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield [(node.lineno, node.name.removeprefix("test_").replace("_", " ").capitalize())]


def _shell(text):
    lines = list(enumerate(text.splitlines(), 1))
    found = [(number, _SHELL_COMMENT.search(line)) for number, line in lines]
    yield from _comments(((number, comment["text"]) for number, comment in found if comment), text)
    for number, line in lines:
        message = _SHELL_MESSAGE.search(line)
        if message:
            yield from _message(number, message["text"])


def _markdown(text):
    is_fenced, lines = False, []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            is_fenced = not is_fenced
        lines.append((number, "" if is_fenced or line.startswith(("    ", "```")) else line))
    return _joined(lines)


def _comments(comments, text):
    """The passages of comments. A comment behind code is one of its own."""
    source, separated = text.splitlines(), []
    for number, comment in comments:
        is_alone = source[number - 1].lstrip().startswith(("/", "*", "#"))
        separated += [(number, comment)] if is_alone else [(number, ""), (number, comment), (number, "")]
    return _joined(separated)


def _message(number, text):
    if _MESSAGE.search(text):
        yield from _joined(enumerate(text.splitlines(), number))


def _joined(lines):
    """Consecutive lines become one passage; an empty line, a list item, a heading and a row of a table begin another."""
    passage, expected = [], None
    for number, line in lines:
        line = line.strip()
        begins = line.startswith(("- ", "* ", "#", "|")) or re.match(r"\d+\. ", line)
        if passage and (number != expected or not line or begins):
            yield passage
            passage = []
        expected = number + 1
        if line:
            passage.append((number, re.sub(r"^(?:[-*#>|]+\s+|\d+\. )+", "", line)))
    if passage:
        yield passage


def findings(path, text):
    """(line number, the word) of each finding in a file, in order."""
    found = set()
    for passage in passages(path, text):
        whole, starts = "", []
        for number, line in passage:
            starts.append((len(whole), number))
            whole += line + " "
        whole = _CODE.sub(lambda code: "x" * len(code[0]), whole)
        for match in [*_HEAD.finditer(whole), *_CLAUSE.finditer(whole), *_WORD.finditer(whole)]:
            position = match.start("word")
            found.add((max(number for start, number in starts if start <= position), position, match["word"]))
    return [(number, word) for number, _, word in sorted(found)]


def files(root, paths):
    for folder in paths:
        for path in [root / folder] if (root / folder).is_file() else sorted((root / folder).rglob("*")):
            name = path.relative_to(root)
            hidden = any(part.startswith(".") and part != ".ci" or part == "__pycache__" for part in name.parts)
            if path.is_file() and not hidden and name.as_posix() not in EXEMPT:
                yield name.as_posix(), path


def all_findings(root, paths=(*FOLDERS, "README.md", "CHANGELOG.md", "SECURITY.md", "Package.swift")):
    """File name -> its findings; files without any are left out."""
    found = {}
    for name, path in files(root, [path for path in paths if (root / path).exists()]):
        try:
            found[name] = findings(Path(name), path.read_text())
        except UnicodeDecodeError:
            # A picture or a capture.
            continue
    return {name: places for name, places in found.items() if places}


def allowed(root):
    """File name -> how many findings it may have; None where there is no list."""
    if not (root / ALLOWED).exists():
        return None
    pairs = [line.split(None, 1) for line in (root / ALLOWED).read_text().splitlines() if line]
    return {name: int(count) for count, name in pairs}


def breaches(root):
    found, limits = all_findings(root), allowed(root) or {}
    for name in sorted(found.keys() | limits.keys()):
        count, limit = len(found.get(name, [])), limits.get(name, 0)
        if count > limit:
            yield from (f"{name}:{number}: \"{word}\"" for number, word in found[name])
            yield f"{name}: {count} words of the lint; {ALLOWED} allows {limit}"
        elif count < limit:
            yield f"{name}: {count} words of the lint; lower the {limit} of {ALLOWED} (Scripts/prose.py . --lower)"


def lower(root):
    found, limits = all_findings(root), allowed(root)
    counts = {name: len(places) for name, places in found.items()}
    if limits is not None:
        counts = {name: min(limit, counts.get(name, 0)) for name, limit in limits.items()}
    (root / ALLOWED).write_text("".join(f"{count} {name}\n" for name, count in sorted(counts.items()) if count))


def main(root, *words):
    if words == ("--lower",):
        lower(root)
        return 0
    if words[:1] == ("--list",):
        found = all_findings(root, words[1:] or FOLDERS)
        lines = [f"{name}:{number}: \"{word}\"" for name, places in found.items() for number, word in places]
    else:
        lines = list(breaches(root))
    print("\n".join(lines), end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))

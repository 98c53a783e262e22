"""The rules of the project that neither the compiler nor the formatter checks.

`house_rules.py DIRECTORY` prints one line for each breach, `file:line: what`, and exits with 1 if there is any.
The directions of imports come from the table in Docs/Architecture.md, the limits from the one in Docs/Protocol.md, so that
the documents and the code agree.
"""

import re
import sys
from pathlib import Path

import attack_table
import crowd_table
import fault_table
import observer_table
import ownership
import swift_source

LINES_PER_FUNCTION = 40

# Ceilings of today, which only fall, but for the calls of a new part: 800 lines and 20 calls are the aim.
LINES_OF_NODE = 750
UNCHECKED_ISOLATION = 6
FILES_PER_PROPERTY = 3
# Stored properties of `Node` and of its `Parts` that more files touch. Names only leave this list; one that few files touch by now must.
WIDELY_TOUCHED = set()

# The event loop, and what is confined to one executor: one thread at a time runs either, which excludes data races.
UNCHECKED = {"Sources/Reactor/EventLoop.swift", "Sources/ChatNode/Ports/Scheduler.swift"}
# Modules without `unsafe`, because they use only values. An actor names its executor unsafely.
SAFE_MODULES = ("Sources/Wire/", "Sources/Chat/", "Sources/ChatNode/")
SAFE_MODULE_EXCEPTIONS = {"Sources/ChatNode/Ports/LoopActor.swift"}

# Files in which a sleep limits the wait for an event.
BOUNDED_WAITS = {"Sources/earshot/App.swift", "Tests/ConversationTests/TCPWorld.swift"}

# The modules that other packages import.
FACADES = "Sources/Library/"
PUBLIC = "public access outside Sources/Library; package is enough"
# Patterns that no Swift file may contain, in code or in a comment, and the reason.
SWIFT_WORDS = [
    (r"\bTODO\b|\bFIXME\b|\bXXX\b|\bMARK:", "a note to oneself"),
    (r"\bnonisolated\(unsafe\)", "nonisolated(unsafe)"),
    (r"\b(?:class|struct|enum|actor|protocol)\s+\w*(?:Manager|Helper|Utils|Mock)\b", "a name that says nothing"),
    (r"^\s*(?:@\w+\s+)*(?:public|open)\s+(?:\w+\s+)*(?:func|let|var|struct|enum|class|actor|init|import)\b",
     PUBLIC),
    (r"\b(?:Thread|Task)\.sleep\b|\b(?:usleep|nanosleep)\(", "a sleep where an event does"),
    (r"\btry!", "try!"),
]
# Patterns that no file may contain, because the project describes itself alone.
WORDS = [(r"(?<![\w.])/(?:work|root|home)/\w", "a path of one machine"), (r"(?i)\bfounders?\b", "founders")]
# Modules of the language, which any module may import.
LANGUAGE = {"Swift", "_Concurrency"}

# A phrase's name, if it has one, and its texts.
PHRASE = re.compile(r'(?:static let (\w+) = )?\bPhrase\(\s*"((?:[^"\\]|\\.)*)",\s*"((?:[^"\\]|\\.)*)"\s*\)')


def numbered(text):
    return enumerate(text.splitlines(), 1)


def tree(root, *suffixes):
    """The project's source files, in order, without build products."""
    for folder in ("Sources", "Tests", "Scripts", "Docs", ".ci"):
        for path in sorted((root / folder).rglob("*")):
            hidden = any(part.startswith(".") or part == "__pycache__" for part in path.relative_to(root / folder).parts)
            if path.is_file() and not hidden and (not suffixes or path.suffix in suffixes):
                yield path.relative_to(root).as_posix(), path
    for name in ("README.md", "CHANGELOG.md", "SECURITY.md", "Package.swift"):
        if (root / name).is_file() and (not suffixes or Path(name).suffix in suffixes):
            yield name, root / name


def table(document, first_header):
    """The rows of the table whose first column has that header, as lists of cells."""
    rows, inside = [], False
    for line in document.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            inside = False
        elif inside:
            rows.append(cells)
        elif cells[0] == first_header:
            inside = True
    return rows[1:]


def sizes(root):
    for name, path in tree(root, ".swift"):
        for function, line, length in swift_source.functions(path.read_text()):
            if length > LINES_PER_FUNCTION:
                yield f"{name}:{line}: {function} is {length} lines long; {LINES_PER_FUNCTION} is the most"


def node(root):
    """Only its own module extends `Node`."""
    for name, path in tree(root, ".swift"):
        if not name.startswith("Sources/") or name.startswith("Sources/ChatNode/"):
            continue
        for number, line in numbered(swift_source.bare(path.read_text())):
            if re.search(r"\bextension\s+(?:ChatNode\.)?Node\b(?!\.)", line):
                yield f"{name}:{number}: an extension of Node outside Sources/ChatNode"


def sources(root):
    """(name, text) of each file of the program."""
    return [(name, path.read_text()) for name, path in tree(root, ".swift") if name.startswith("Sources/")]


def owners(root):
    """`Node` is an interpreter of its parts: it is small, and few files touch a stored property of it."""
    parts = list(ownership.node_parts(sources(root)))
    lines = ownership.lines(parts)
    if lines > LINES_OF_NODE:
        yield f"{ownership.NODE}Node.swift: Node has {lines} lines over all its extensions; {LINES_OF_NODE} is the most"
    properties = ownership.stored_properties(parts + list(ownership.parts_struct(sources(root))))
    touched = ownership.files_of(properties, parts)
    for name in sorted(WIDELY_TOUCHED) if parts else ():
        if len(touched.get(name, ())) <= FILES_PER_PROPERTY:
            yield f"Scripts/house_rules.py: few files touch `{name}` of Node; take it off WIDELY_TOUCHED"
    for name, files in touched.items():
        if len(files) > FILES_PER_PROPERTY and name not in WIDELY_TOUCHED:
            yield (f"{ownership.NODE}Node.swift: {len(files)} files touch `{name}` of Node; {FILES_PER_PROPERTY} is the most: "
                   + ", ".join(sorted(Path(file).name for file in files)))


def isolation(root):
    """`assumeIsolated` says what the types do not: its count only falls."""
    places = sum(swift_source.bare(text).count("assumeIsolated") for _, text in sources(root))
    if places > UNCHECKED_ISOLATION:
        yield f"Sources: assumeIsolated in {places} places; {UNCHECKED_ISOLATION} is the most"


KEPT_UNCHECKED = re.compile(r"with\w*Continuation\s*(?:\([^)]*\))?\s*\{\s*[\w.\[\]]+(?:\.append\(\$0\)|\s*=\s*\$0)\s*\}")


def waiting(root):
    """Other jobs of an actor run between a check and the closure of a continuation: the closure checks."""
    for name, text in sources(root):
        for found in KEPT_UNCHECKED.finditer(swift_source.without_comments(text)):
            yield f"{name}: a continuation is kept without a check in its closure: {found[0]}"


def defaults(root):
    """A new case of an enum of ours is a compiler's error at each switch over it."""
    texts = sources(root)
    enums = ownership.enum_cases(text for _, text in texts)
    for name, text in texts:
        for line in ownership.hiding_switches(text, enums):
            yield f"{name}:{line}: a switch over an enum of ours has a default"


def words(root):
    for name, path in tree(root):
        if path.suffix in (".png", ".pcap") or name == "Scripts/house_rules.py" or name.startswith("Tests/Scripts/"):
            continue
        text = path.read_text()
        rules = WORDS + (SWIFT_WORDS if path.suffix == ".swift" else [])
        for number, line in numbered(text):
            for pattern, what in rules:
                is_granted = what.startswith("a sleep") and name in BOUNDED_WAITS or what == PUBLIC and name.startswith(FACADES)
                if re.search(pattern, line) and not is_granted:
                    yield f"{name}:{number}: {what}"
        if path.name == "Placeholder.swift":
            yield f"{name}: a placeholder"


def safety(root):
    for name, path in tree(root, ".swift"):
        for number, line in numbered(swift_source.without_comments(path.read_text())):
            if "@unchecked Sendable" in line and name.startswith("Sources/") and name not in UNCHECKED:
                yield f"{name}:{number}: @unchecked Sendable outside the event loop"
            is_safe = name.startswith(SAFE_MODULES) and name not in SAFE_MODULE_EXCEPTIONS
            if is_safe and re.search(r"\bunsafe\b", line):
                yield f"{name}:{number}: unsafe in a module that sees only values"


def inlining(root):
    """`@inlinable` has an effect only in a type that is `@usableFromInline`; `package` alone is not enough."""
    for name, path in tree(root, ".swift"):
        source = swift_source.without_comments(path.read_text())
        for number, line in numbered(source) if "@inlinable" in source else ():
            if re.match(r"(?:package\s+)?(?:final\s+)?(?:struct|enum|class|actor)\b", line):
                yield f"{name}:{number}: @inlinable is of no effect in a type that is not @usableFromInline"


def directions(root):
    """Module -> the modules that it may import (Docs/Architecture.md)."""
    rows = table((root / "Docs/Architecture.md").read_text(), "module")
    return {row[0].strip("`"): set(re.findall(r"\w+", row[1])) - {"nothing"} for row in rows}


def module_of(name):
    """The module of a file in Sources. Each folder of Faces and of Library is one."""
    parts = name.split("/")
    return {"Faces": f"{parts[2]}Face", "Library": parts[2]}.get(parts[1], parts[1])


def imports(root):
    allowed = directions(root)
    modules = {module_of(name) for name, path in tree(root, ".swift") if name.startswith("Sources/")}
    for module in sorted(modules ^ set(allowed)):
        yield f"Docs/Architecture.md: {module} is only in one of the table and Sources"
    pattern = re.compile(r"^\s*(?:@\w+\s+)*(?:\w+\s+)?import\s+(?:(?:struct|class|enum|func|protocol|var|let)\s+)?(\w+)")
    for name, path in tree(root, ".swift"):
        parts = name.split("/")
        for number, line in numbered(swift_source.without_comments(path.read_text())):
            found = pattern.match(line)
            if not found:
                continue
            module = found[1]
            if module.startswith("Foundation"):
                yield f"{name}:{number}: Foundation"
            elif parts[0] == "Sources" and module not in allowed.get(module_of(name), set()) | LANGUAGE:
                yield f"{name}:{number}: {module_of(name)} must not import {module}"


def package(root):
    """Package.swift gives each module the dependencies of the table in Docs/Architecture.md."""
    text = (root / "Package.swift").read_text()
    granted = {name: body for name, body in re.findall(r'module\(\s*"(\w+)",\s*\[([^\]]*)\]', text)}
    granted.update(re.findall(r'executableTarget\(\s*name: "(\w+)",\s*dependencies: \[([^\]]*)\]', text))
    own = set(granted) | {"CAvahi", "CAvahiCore", "CLinux", "CQRCode", "CRabbitMQ", "CSodium", "CWebSockets"}
    for module, imported in directions(root).items():
        difference = set(re.findall(r'"(\w+)"', granted.get(module, ""))) ^ (imported & own)
        for other in sorted(difference):
            yield f"Package.swift: {module} and {other}: the table in Docs/Architecture.md says otherwise"


def test_targets(root):
    """Each folder of Tests named `...Tests`, and TestSupport, is a test target with the dependencies that its files import."""
    text = (root / "Package.swift").read_text()
    targets = set(re.findall(r'\(\s*(?:name: )?"(\w+)"', text))
    granted = {name: set(re.findall(r'"(\w+)"', body)) for name, body in re.findall(r'\btests\(\s*"(\w+)",\s*\[([^\]]*)\]', text)}
    imported = {}
    for name, path in tree(root, ".swift"):
        parts = name.split("/")
        if parts[0] == "Tests" and (parts[1].endswith("Tests") or parts[1] in granted):
            modules = re.findall(r"^(?:@testable )?(?:package )?import (\w+)", path.read_text(), re.MULTILINE)
            imported.setdefault(parts[1], set()).update(targets & set(modules))
    for target in sorted(set(granted) ^ set(imported)):
        yield f"Package.swift: {target} is only in one of it and Tests"
    for target in sorted(set(granted) & set(imported)):
        for other in sorted(granted[target] ^ imported[target]):
            yield f"Package.swift: {target} and {other}: the imports of its files say otherwise"


def limits(root):
    """Docs/Protocol.md section 11 and the constants of `Limits`, each beside the part that it bounds, are equal."""
    documented, coded, places = {}, {}, {}
    for row in table((root / "Docs/Protocol.md").read_text(), "constant"):
        documented[row[0].strip("`")] = swift_source.numbers(row[1])
    for name, text in sources(root):
        for body in swift_source.bodies(text, r"(?:enum|extension) Limits"):
            constants = swift_source.constants(body)
            for constant in sorted(set(constants) & set(coded)):
                yield f"{name}: {constant} is a limit in {places[constant]} too"
            coded |= constants
            places |= dict.fromkeys(constants, name)
    for constant in sorted(set(documented) | set(coded)):
        if documented.get(constant) != coded.get(constant):
            place = places.get(constant, "Sources")
            yield f"Docs/Protocol.md: {constant} is {documented.get(constant)} there and {coded.get(constant)} in {place}"


def claims(root):
    """Every test that Docs/Threats.md cites exists, and every relative link has a target."""
    tests = "\n".join(path.read_text() for name, path in tree(root, ".swift", ".py") if name.startswith("Tests/"))
    for name, path in tree(root, ".md"):
        for number, line in numbered(path.read_text()):
            for test in re.findall(r"tested: `([^`]+)`", line):
                if f"`{test}`" not in tests and f"def {test}(" not in tests:
                    yield f"{name}:{number}: there is no test `{test}`"
            for link in re.findall(r"\]\(([^)#\s]+)", line):
                if "://" not in link and not (path.parent / link).exists():
                    yield f"{name}:{number}: {link} leads nowhere"


def phrases(root):
    """Every phrase is used, and has the same arguments in each language."""
    named = {}
    for name, text in sources(root):
        for phrase, english, korean in PHRASE.findall(text):
            named |= {phrase: name} if phrase else {}
            if set(re.findall(r"%\d", english)) != set(re.findall(r"%\d", korean)):
                yield f"{name}: {phrase or english} has other arguments in Korean"
            if not korean.strip():
                yield f"{name}: {phrase or english} has no Korean text"
    used = {word for name, text in sources(root) if not name.startswith("Sources/Phrases/") for word in re.findall(r"\.(\w+)", text)}
    for phrase in sorted(set(named) - used):
        yield f"{named[phrase]}: {phrase} is not used"


def attacks(root):
    """The table of attacks in Docs/Threats.md has the results of Docs/attacks.json."""
    if (root / "Docs/attacks.json").exists() and attack_table.with_table(root) != (root / "Docs/Threats.md").read_text():
        yield "Docs/Threats.md: the table of attacks is not what Docs/attacks.json says; run Scripts/attack --table"


def faults(root):
    """The table of faults in Docs/Threats.md has the results of Docs/faults.json."""
    if (root / "Docs/faults.json").exists() and fault_table.with_table(root) != (root / "Docs/Threats.md").read_text():
        yield "Docs/Threats.md: the table of faults is not what Docs/faults.json says; run Scripts/faults --table"


def observer(root):
    """The tables of the observer in Docs/Threats.md have the results of Docs/observer.json."""
    if (root / "Docs/observer.json").exists() and observer_table.with_table(root) != (root / "Docs/Threats.md").read_text():
        yield "Docs/Threats.md: the tables of the observer are not what Docs/observer.json says; run Scripts/observer --table"


def crowds(root):
    """The tables of crowds in Docs/Simulation.md have the results of Docs/crowd.json."""
    if (root / "Docs/crowd.json").exists() and crowd_table.with_tables(root) != (root / "Docs/Simulation.md").read_text():
        yield "Docs/Simulation.md: the tables of crowds are not what Docs/crowd.json says; run Scripts/crowd_curve --table"


RULES = (sizes, node, owners, isolation, waiting, defaults, words, safety, inlining, imports, package, test_targets, limits, claims, phrases,
         attacks, faults, observer, crowds)


def breaches(root):
    return [breach for rule in RULES for breach in rule(Path(root))]


if __name__ == "__main__":
    found = breaches(sys.argv[1])
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)

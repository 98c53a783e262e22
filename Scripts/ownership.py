"""Measures who touches the state of `Node`, and finds switches that hide a new case of an enum, for the house rules."""

import re

import swift_source

NODE = "Sources/ChatNode/"
_NODE = re.compile(r"^(?:package\s+)?(?:(?:final\s+)?class|extension)\s+Node\s*(?:\{|:[^{\n]*\{)", re.MULTILINE)
_PARTS = re.compile(r"^struct\s+Parts\s*(?:\{|:[^{\n]*\{)", re.MULTILINE)
_STORED = re.compile(r"^    (?:(?:package|private|nonisolated|lazy|weak)(?:\(\w+\))?\s+)*(?:let|var)\s+(\w+)(?P<rest>[^\n]*)$",
                     re.MULTILINE)
_PATTERN = re.compile(r"(?:let\s+)?\.\w+(?:\(.*\))?(?:\s+where\s.+)?", re.DOTALL)


def node_parts(sources):
    """Yields (name, text) of each declaration and extension of `Node`, without comments and strings.

    sources: (name, text) of files."""
    return _declarations(sources, _NODE)


def parts_struct(sources):
    """As `node_parts`, of the structure that has the parts of `Node`."""
    return _declarations(sources, _PARTS)


def _declarations(sources, pattern):
    for name, text in sources:
        if name.startswith(NODE) and ("Node" in text or "Parts" in text):
            code = swift_source.bare(text)
            for found in pattern.finditer(code):
                yield name, code[found.start():swift_source.closing(code, found.end() - 1) + 1]


def lines(parts):
    return sum(text.count("\n") + 1 for _, text in parts)


def stored_properties(parts):
    """The names of the stored properties that the declaration of the type has."""
    names = []
    for _, text in parts:
        if not re.match(r"(?:package\s+)?(?:(?:final\s+)?class|struct)\b", text):
            continue
        for found in _STORED.finditer(text):
            rest = found["rest"]
            if "=" in rest or not rest.rstrip().endswith("}"):
                if "=" in rest or not rest.rstrip().endswith("{"):
                    names.append(found[1])
    return names


def files_of(names, parts):
    """name of a property -> the files in which an extension of `Node` touches it.

    A function that has a parameter or a constant of the name touches the property only behind `self`."""
    touched = {name: set() for name in names}
    for file, text in parts:
        pieces = list(_functions(text))
        for name in names:
            if any(_touches(name, piece) for piece in pieces):
                touched[name].add(file)
    return touched


def _functions(text):
    """The functions of a part of `Node`, each as one text."""
    content = text.split("\n")
    for _, line, length in swift_source.functions(text):
        yield "\n".join(content[line - 1:line - 1 + length])
    yield from re.findall(r"^[^\n=]*\bvar\s+\w+[^\n={]*\{([^\n]*)\}[ \t]*$", text, re.MULTILINE)


def _touches(name, function):
    if re.search(rf"(?:\b(?:self|node|parts)[?!]?|\$0)\.{name}\b", function):
        return True
    is_shadowed = re.search(rf"\b(?:let|var|inout)\s+{name}\b|[(,]\s*(?:\w+\s+)?{name}\s*:\s*[A-Z\[(]", function)
    return not is_shadowed and re.search(rf"(?<![.\w`]){name}\b(?!\s*:\s)", function) is not None


def enum_cases(texts):
    """The names of the cases of each enum: a list of sets."""
    enums = []
    for text in texts:
        code = swift_source.bare(text)
        for found in re.finditer(r"\benum\s+\w+[^{\n]*\{", code):
            body = _outermost(code[found.end():swift_source.closing(code, found.end() - 1)], "{}")
            body = _outermost(body, "()")
            declared = re.findall(r"^\s*(?:indirect\s+)?case\s+((?:[^\n]|(?<=,)\n)+)", body, re.MULTILINE)
            enums.append({match[0] for line in declared for match in re.finditer(r"(?:(?<=,)|^)\s*(\w+)", line)})
            enums[-1] = {name.strip() for name in enums[-1]}
    return enums


def hiding_switches(text, enums):
    """The line of each switch with a `default` whose other cases are all of one enum."""
    code = swift_source.bare(text)
    for found in re.finditer(r"\bswitch\s[^\n]*\{[ \t]*$", code, re.MULTILINE):
        body = _outermost(code[found.end():swift_source.closing(code, found.end() - 1)], "{}")
        if not re.search(r"^\s*default\s*:", body, re.MULTILINE):
            continue
        patterns = [_pattern(body[case.end():]) for case in re.finditer(r"^\s*case\s", body, re.MULTILINE)]
        names = set()
        for pattern in _split(patterns):
            if not _PATTERN.fullmatch(pattern):
                break
            names.add(re.search(r"\.(\w+)", pattern)[1])
        else:
            if names and any(names <= cases for cases in enums):
                yield code.count("\n", 0, found.start()) + 1


def _split(patterns):
    """The alternatives of the patterns, which commas outside of parentheses separate."""
    for pattern in patterns:
        depth, start = 0, 0
        for index, character in enumerate(pattern):
            depth += {"(": 1, ")": -1}.get(character, 0)
            if character == "," and depth == 0:
                yield pattern[start:index].strip()
                start = index + 1
        yield pattern[start:].strip()


def _pattern(text):
    """The text up to the colon that ends a pattern."""
    depth = 0
    for index, character in enumerate(text):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(character, 0)
        if character == ":" and depth == 0:
            return text[:index]
    return text


def _outermost(code, pair):
    """The code without the content of its braces or parentheses."""
    result, depth = [], 0
    for character in code:
        depth -= character == pair[1]
        if depth <= 0 or character == "\n":
            result.append(character)
        depth += character == pair[0]
    return "".join(result)

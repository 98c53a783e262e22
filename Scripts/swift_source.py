"""Reads the comments, strings, functions and constants of Swift source for the house rules."""

import ast
import operator
import re

_TOKEN = re.compile(
    r'(?P<block>/\*.*?\*/)|(?P<line>//[^\n]*)|(?P<raw>(#+)".*?"\4)|(?P<long>""".*?""")|(?P<string>"(?:\\.|[^"\\\n])*")',
    re.DOTALL)
_NAME = re.compile(r"`[^`\n]*`")
_MODIFIER = (
    r"(?:@\w+(?:\([^)\n]*\))?\s+|(?:package|private|fileprivate|internal|static|final|mutating|nonmutating|consuming"
    r"|borrowing|convenience|override|nonisolated|isolated|class|required|prefix|postfix|infix)(?:\([^)\n]*\))?\s+)*")
_FUNCTION = re.compile(
    rf"^[ \t]*{_MODIFIER}(?P<name>func\s+[^\s(<]+|init(?=[?(<])|deinit\b|subscript\b|var\s+\w+(?=[^\n=]*\{{[ \t]*$))",
    re.MULTILINE)
_CONTINUES = ("{", "where ", "->", "throws", "async", "rethrows", ")")


def _blank(text):
    """The text with every character but line feeds replaced by a space."""
    return re.sub(r"[^\n]", " ", text)


def without_comments(text):
    return _TOKEN.sub(lambda token: _blank(token[0]) if token["block"] or token["line"] else token[0], text)


def _lines(text, position, content):
    return enumerate(content.split("\n"), text.count("\n", 0, position) + 1)


def comments(text):
    """(line number, text) of each line of each comment, without the comment marks."""
    for token in _TOKEN.finditer(text):
        if token["line"]:
            yield from _lines(text, token.start(), token[0].lstrip("/"))
        elif token["block"]:
            yield from ((number, line.strip(" *")) for number, line in _lines(text, token.start(), token[0][2:-2]))


def strings(text):
    """(line number, content) of each string literal, interpolations included."""
    for token in _TOKEN.finditer(text):
        if token["string"] or token["long"] or token["raw"]:
            yield text.count("\n", 0, token.start()) + 1, token[0].strip('#"')


def bare(text):
    """The source with comments and strings blanked, so that each remaining brace is one of the code."""
    text = _TOKEN.sub(lambda token: _blank(token[0]), text)
    return _NAME.sub(lambda name: "n" * len(name[0]), text)


def functions(text):
    """Yields (name, line, length in lines) of everything with a body: func, init, deinit, subscript, computed var."""
    code = bare(text)
    for found in _FUNCTION.finditer(code):
        start = _body(code, found.end())
        if start is None:
            continue
        end = closing(code, start)
        first = code.count("\n", 0, found.start("name"))
        name = text[found.start("name"):found.end("name")]
        yield name, first + 1, code.count("\n", 0, end) - first + 1


def _body(code, position):
    """The position of the body's brace; None for a protocol requirement, which has no body."""
    depth = 0
    for index in range(position, len(code)):
        character = code[index]
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif depth == 0 and character == "{":
            return index
        elif depth < 0 or (depth == 0 and character == "}"):
            return None
        elif depth == 0 and character == "\n":
            following = code[index:].lstrip()
            if not following.startswith(_CONTINUES):
                return None
    return None


def closing(code, start):
    depth = 0
    for index in range(start, len(code)):
        depth += {"{": 1, "}": -1}.get(code[index], 0)
        if depth == 0:
            return index
    return len(code)


def bodies(text, declaration):
    """The bodies of the declarations at the margin that the pattern names, for example `extension Limits`."""
    code = bare(text)
    for found in re.finditer(rf"^(?:package )?{declaration} \{{", code, re.MULTILINE):
        yield text[found.end():closing(code, found.end() - 1)]


_OPERATORS = {ast.Mult: operator.mul, ast.Div: operator.truediv, ast.Add: operator.add, ast.Sub: operator.sub}


def _value(node):
    if isinstance(node, ast.BinOp):
        return _OPERATORS[type(node.op)](_value(node.left), _value(node.right))
    return float(node.value)


def numbers(text):
    """`512, 1_280` or `10.0 / 60.0` -> [512, 1280] or [1/6]."""
    return [_value(ast.parse(part.strip(), mode="eval").body) for part in text.replace("_", "").split(",")]


def constants(text):
    """`static let name = value` -> {name: [numbers]}; durations in seconds."""
    found = {}
    pattern = r"^\s*(?:package\s+)?static let (\w+)(?:: \w+)? = (.+)$"
    for name, value in re.findall(pattern, without_comments(text), re.MULTILINE):
        duration = re.fullmatch(r"Duration\.(seconds|milliseconds)\((.+)\)", value.strip())
        scale = 1000 if duration and duration[1] == "milliseconds" else 1
        found[name] = [number / scale for number in numbers(duration[2] if duration else value.strip().strip("[]"))]
    return found

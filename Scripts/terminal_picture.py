"""Draws screens of a terminal as SVG: each cell has the style that the program gave it, and a theme has the colours."""

import html
import re
import unicodedata
from dataclasses import dataclass, replace
from typing import NamedTuple

# The 8 colours that a terminal's theme defines: black, red, green, yellow, blue, magenta, cyan, white.
THEME = ("#2b2e31", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d7d7d2")
BACKGROUND, BAR, BUTTON, TEXT = "#1d1f21", "#2b2e31", "#54585c", "#d7d7d2"
# The cube of xterm's 256 colours.
LEVELS = (0, 95, 135, 175, 215, 255)
# The part of a dim cell's own colour; the rest is the background's.
DIM = 0.6

CHARACTER, LINE, FONT, LEFT, HEAD, FOOT, GAP = 8.43, 21, 14, 20, 38, 12, 14
FAMILY = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, 'NanumGothicCoding', 'Noto Sans Mono CJK KR', monospace"
SEQUENCE = re.compile(r"\x1b\[([0-9;]*)m")


@dataclass(frozen=True)
class Style:
    color: str = TEXT
    is_bold: bool = False
    is_dim: bool = False
    is_reverse: bool = False


PLAIN = Style()
# The effect of each code of SGR but colours; the program sets no background.
CHANGES = {0: {}, 1: {"is_bold": True}, 2: {"is_dim": True}, 7: {"is_reverse": True},
           22: {"is_bold": False, "is_dim": False}, 27: {"is_reverse": False}, 39: {"color": TEXT}, 49: {}}


class Run(NamedTuple):
    """Cells of one style: from a column on, `width` of them."""
    column: int
    width: int
    text: str
    style: Style


class Screen(NamedTuple):
    """`caption` is above the screen; `rows` are those of `tmux capture-pane -p -e`, `cursor` is a column and a row."""
    caption: str
    rows: list
    cursor: tuple


def cells(character):
    """The cells that a character takes: 0, 1 or 2."""
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def indexed(number):
    """The colour with a number among xterm's 256; 8 to 15 are as 0 to 7."""
    if number < 16:
        return THEME[number % 8]
    if number >= 232:
        return f"#{8 + 10 * (number - 232):02x}" + f"{8 + 10 * (number - 232):02x}" * 2
    number -= 16
    return "#" + "".join(f"{LEVELS[level]:02x}" for level in (number // 36, number // 6 % 6, number % 6))


def styled(style, codes):
    """The style behind a sequence `ESC [ codes m` (SGR, ECMA-48)."""
    rest = [int(code or 0) for code in codes.split(";")]
    while rest:
        code = rest.pop(0)
        if code == 38 and rest[:1] == [5]:
            style = replace(style, color=indexed(rest[1]))
            del rest[:2]
        elif 30 <= code <= 37:
            style = replace(style, color=THEME[code - 30])
        elif code not in CHANGES:
            raise ValueError(f"the picture has no style for ESC [ {codes} m")
        else:
            style = PLAIN if code == 0 else replace(style, **CHANGES[code])
    return style


def runs(rows):
    """The runs of each row. A style lasts to the next sequence, also in the next row. A character that is not ASCII is a run
    of its own, because a font may have another width for it."""
    style, result = PLAIN, []
    for row in rows:
        column, found = 0, []
        for index, piece in enumerate(SEQUENCE.split(row)):
            if index % 2:
                style = styled(style, piece)
                continue
            for part in re.findall(r"[ -~]+|[^ -~]", piece):
                width = sum(map(cells, part))
                if width == 0 and found:
                    found[-1] = found[-1]._replace(text=found[-1].text + part)
                    continue
                found.append(Run(column, width, part, style))
                column += width
        result.append(found)
    return result


def mixed(color, part):
    """A colour of which the rest is the background."""
    pairs = ((int(color[place:place + 2], 16), int(BACKGROUND[place:place + 2], 16)) for place in (1, 3, 5))
    return "#" + "".join(f"{round(part * own + (1 - part) * other):02x}" for own, other in pairs)


def number(value):
    return f"{value:.2f}".rstrip("0").rstrip(".")


def box(column, width, top, color):
    return (f'<rect x="{number(LEFT + column * CHARACTER)}" y="{number(top)}" width="{number(width * CHARACTER)}" '
            f'height="{LINE}" fill="{color}"/>')


def drawn(run, top):
    """The elements of a run in the row whose upper edge is at `top`."""
    ink = mixed(run.style.color, DIM) if run.style.is_dim else run.style.color
    elements, text = [], run.text
    if run.style.is_reverse:
        elements.append(box(run.column, run.width, top, ink))
        ink = BACKGROUND
    column = run.column + len(text) - len(text.lstrip(" "))
    text = text.strip(" ")
    if not text:
        return elements
    weight = ' font-weight="bold"' if run.style.is_bold else ""
    left = LEFT + column * CHARACTER
    if text.isascii():
        place = f'x="{number(left)}" textLength="{number(len(text) * CHARACTER)}" lengthAdjust="spacingAndGlyphs"'
    else:
        place = f'x="{number(left + run.width * CHARACTER / 2)}" text-anchor="middle"'
    elements.append(f'<text {place} y="{number(top + 15)}" fill="{ink}"{weight} xml:space="preserve">{html.escape(text)}</text>')
    return elements


def at_cursor(row, cursor):
    """The character under the cursor, in reverse; a blank behind the end of the row."""
    for run in row:
        if run.column <= cursor < run.column + run.width:
            place = cursor - run.column if run.text.isascii() else 0
            text = run.text[place] if run.text.isascii() else run.text
            return Run(run.column + place, run.width if text == run.text else 1, text, replace(run.style, is_reverse=not run.style.is_reverse))
    return Run(cursor, 1, " ", Style(is_reverse=True))


def window(screen, columns, top):
    """The elements of a screen below `top`, and its height."""
    width, height = width_of(columns), HEAD + LINE * len(screen.rows) + FOOT
    elements = [
        f'<rect y="{top}" width="{width}" height="{height}" rx="9" fill="{BACKGROUND}"/>',
        f'<path d="M0 {top + 28}v-19a9 9 0 0 1 9-9H{width - 9}a9 9 0 0 1 9 9v19z" fill="{BAR}"/>',
        *(f'<circle cx="{LEFT + 18 * place}" cy="{top + 14}" r="5" fill="{BUTTON}"/>' for place in range(3)),
        f'<text x="{number(width / 2)}" y="{top + 19}" text-anchor="middle" fill="{mixed(TEXT, 0.75)}">{html.escape(screen.caption)}</text>']
    found = runs(screen.rows)
    found[screen.cursor[1]].append(at_cursor(found[screen.cursor[1]], screen.cursor[0]))
    for place, row in enumerate(found):
        for run in row:
            elements += drawn(run, top + HEAD + LINE * place)
    return elements, height


def width_of(columns):
    return round(2 * LEFT + columns * CHARACTER)


def picture(screens, columns, title):
    """The screens, one below the other."""
    elements, top = [], 0
    for screen in screens:
        more, height = window(screen, columns, top)
        elements += more
        top += height + GAP
    width, height = width_of(columns), top - GAP
    lines = "\n".join(elements)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" \
font-family="{FAMILY}" font-size="{FONT}">
<title>{html.escape(title)}</title>
{lines}
</svg>
"""

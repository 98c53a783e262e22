"""Scripts/picture: an SVG has the cells of a terminal, with the styles that they have there."""

import sys
import unittest
import xml.etree.ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts"))

import terminal_picture  # noqa: E402
from terminal_picture import PLAIN, THEME, Run, Screen, Style, picture, runs  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"


def cell(column):
    """The left edge of a column."""
    return terminal_picture.LEFT + column * terminal_picture.CHARACTER


class Runs(unittest.TestCase):
    def test_each_sequence_begins_a_run_of_its_style(self):
        row = "\x1b[2m12:00:00 \x1b[0m\x1b[1m<you>\x1b[0m yes \x1b[1;31m!\x1b[22m?\x1b[39m."
        self.assertEqual(runs([row])[0], [
            Run(0, 9, "12:00:00 ", Style(is_dim=True)), Run(9, 5, "<you>", Style(is_bold=True)), Run(14, 5, " yes ", PLAIN),
            Run(19, 1, "!", Style(THEME[1], is_bold=True)), Run(20, 1, "?", Style(THEME[1])), Run(21, 1, ".", PLAIN)])

    def test_a_reverse_ends_alone_or_with_a_reset(self):
        rows = runs(["\x1b[1m\x1b[7mfox\x1b[27m,\x1b[m x"])
        self.assertEqual([run.style for run in rows[0]], [Style(is_bold=True, is_reverse=True), Style(is_bold=True), PLAIN])

    def test_the_256_colours_are_those_of_xterm(self):
        colors = [run.style.color for run in runs(["\x1b[38;5;30ma\x1b[38;5;196mb\x1b[38;5;244mc\x1b[38;5;3md\x1b[1;38;5;5me"])[0]]
        self.assertEqual(colors, ["#008787", "#ff0000", "#808080", THEME[3], THEME[5]])

    def test_a_style_lasts_into_the_next_row(self):
        self.assertEqual(runs(["\x1b[35mone", "two\x1b[0m"])[1], [Run(0, 3, "two", Style(THEME[5]))])

    def test_a_wide_character_takes_two_cells_and_a_combining_one_none(self):
        self.assertEqual([(run.column, run.width, run.text) for run in runs(["a한글 e\u0301→b"])[0]],
                         [(0, 1, "a"), (1, 2, "한"), (3, 2, "글"), (5, 2, " e\u0301"), (7, 1, "→"), (8, 1, "b")])

    def test_a_style_that_the_picture_lacks_is_refused(self):
        with self.assertRaisesRegex(ValueError, "no style for"):
            runs(["\x1b[4munderlined"])


class Pictures(unittest.TestCase):
    def drawn(self, *rows, cursor):
        root = xml.etree.ElementTree.fromstring(picture([Screen("<caption>", list(rows), cursor)], 40, "title"))
        return root.findall(f"{SVG}text")[1:], root.findall(f"{SVG}rect")[1:]

    def test_text_behind_wide_characters_is_in_its_own_column(self):
        texts, _ = self.drawn("한 x & <y>", cursor=(0, 0))
        wide, narrow = texts[:2]
        self.assertEqual((wide.text, narrow.text), ("한", "x & <y>"))
        self.assertEqual((float(wide.get("x")), wide.get("text-anchor")), (round(cell(1), 2), "middle"))
        self.assertEqual(float(narrow.get("x")), round(cell(3), 2))
        self.assertEqual(float(narrow.get("textLength")), round(cell(7) - cell(0), 2))

    def test_dim_bold_and_reverse_are_drawn(self):
        texts, boxes = self.drawn("\x1b[2mdim\x1b[0m \x1b[1mbold\x1b[0m \x1b[7mback\x1b[0m", cursor=(39, 0))
        self.assertEqual([text.get("font-weight") for text in texts], [None, "bold", None])
        self.assertEqual([text.get("fill") for text in texts],
                         [terminal_picture.mixed(terminal_picture.TEXT, terminal_picture.DIM), terminal_picture.TEXT,
                          terminal_picture.BACKGROUND])
        self.assertEqual(float(boxes[0].get("x")), round(cell(9), 2))

    def test_the_cursor_is_a_box_at_its_cell_with_the_character_below(self):
        texts, boxes = self.drawn("first", "a글b", cursor=(1, 1))
        self.assertEqual([(text.text, text.get("fill")) for text in texts][-1], ("글", terminal_picture.BACKGROUND))
        self.assertEqual(float(boxes[0].get("width")), round(2 * terminal_picture.CHARACTER, 2))
        texts, boxes = self.drawn("end", cursor=(3, 0))
        self.assertEqual(([text.text for text in texts], float(boxes[0].get("x"))), (["end"], round(cell(3), 2)))


if __name__ == "__main__":
    unittest.main()

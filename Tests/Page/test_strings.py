"""The words of the page in two languages (Docs/Web.md, section 7)."""

import pathlib
import re
import unittest

from page import PageTest
from playwright.sync_api import expect

PAGE = pathlib.Path(__file__).resolve().parents[2] / "Sources/Faces/Web/Page"
TABLES = ("english.js", "english-above.js", "korean.js", "korean-above.js")
# Texts with letters that no person reads: lists of classes, and what a browser, a protocol or a drawing takes.
UNREAD = re.compile(r"""
    [a-z#./\[][-a-zA-Z0-9#.:>+\[\]="_/?]*           # a name, a selector, a path
    |(Arrow\w+|Enter|Escape|Tab|Home|End|Backspace|Delete|F10|ContextMenu|GET|PUT|POST|PATCH|DELETE|Authorization|Bearer|Content-Type|Accept-Language
      |Idempotency-Key|Notification|UTF-8|Earshot|PageUp|PageDown)
    |\(.*:.*\)(\ and\ \(.*:.*\))*                  # a media query
    |[Mm][-\d.a-zA-Z, ]*                           # the path of a drawing
    |(plain|row|peer|message|answer|badge|from|last|person|name|avatar|own|sign|mark|meta|head|quiet|failed|waiting|bad|harm|fold|unseen|note|
      mention|online|away|offline|me|face|at|line|quote|count|card|choice|of-|\ )+
    |[:.][-a-z.,:>\ ]+                              # a list of selectors
    |noreferrer\ noopener|\\ufffd|xdg-open\ .*|0\ 0\ 24\ 24|width=.*|--\w+|2-digit|NFC|_blank|\(\)\ Earshot
    |\[\[?\\.*                                      # a class of characters
    |[?|$].*                                       # the beginning of a query, of an expression, and of a template within one""", re.VERBOSE)


def literals(text):
    """The literals of a script, without its comments and with nothing in the place of inner expressions."""
    text = re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)
    for match in re.finditer(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`', text):
        value = match[1] if match[1] is not None else re.sub(r"\$\{(?:[^{}`]|\{[^{}]*\}|`[^`]*`)*\}", "", match[2])
        yield value.strip()


class Strings(PageTest):
    def table(self):
        """The texts by their names, in English and Korean."""
        english, english_above, korean, korean_above = self.page().evaluate("""(names) =>
            Promise.all(names.map((name) => import("/" + name).then(({ strings }) => strings)))""", list(TABLES))
        for one, other in ((english, korean), (english_above, korean_above)):
            self.assertEqual(list(one), list(other))
        self.assertEqual(set(english) & set(english_above), set())
        return {name: (text, (korean | korean_above)[name]) for name, text in (english | english_above).items()}

    def test_each_text_is_there_in_both_languages_with_the_same_places(self):
        table = self.table()
        self.assertGreater(len(table), 150)
        for name, texts in table.items():
            with self.subTest(name=name):
                self.assertEqual(len(texts), 2)
                english, korean = texts
                self.assertTrue(english.strip() and korean.strip())
                self.assertEqual(set(re.findall(r"%\d", english)), set(re.findall(r"%\d", korean)))
                self.assertNotRegex(english, "[가-힣]" if name != "language" else "^$")
                if name not in ("language", "isNow", "invitedText"):
                    self.assertRegex(korean, "[가-힣]")

    def test_each_text_of_the_table_is_used_and_none_is_missing(self):
        names = set(self.table())
        scripts = "\n".join(path.read_text(encoding="utf-8") for path in PAGE.glob("*.js") if path.name not in TABLES)
        html = (PAGE / "index.html").read_text(encoding="utf-8")
        of_html = set(re.findall(r'data-(?:words|label|placeholder|title)="(\w+)"', html))
        direct = set(re.findall(r'phrase\("(\w+)"', scripts))
        self.assertEqual((of_html | direct) - names, set())
        words = set(re.findall(r'"(\w+)"', scripts)) | of_html
        self.assertEqual(names - words - {"sending", "delivered", "read", "failed"}, set())

    def test_the_first_load_has_its_texts(self):
        later = {"board.js", "commands.js", "dialogs.js", "emoji.js", "entrance.js", "keys.js", "language.js", "menu.js", "offers.js", "people.js",
                 "requests.js", "reveal.js", "rooms.js", "search.js", "several.js", "smalltalk.js", "sound.js"}
        first = [path for path in PAGE.glob("*.js") if path.name not in later | set(TABLES)]
        used = {name for path in first for name in re.findall(r'"(\w+)"', path.read_text(encoding="utf-8"))}
        above = set(re.findall(r"^  (\w+):", (PAGE / "english-above.js").read_text(encoding="utf-8"), re.MULTILINE))
        self.assertEqual(used & above, set())

    def test_no_other_text_is_shown(self):
        for path in sorted(PAGE.glob("*.js")):
            if path.name in (*TABLES, "emoji.js"):
                continue
            shown = [value for value in literals(path.read_text(encoding="utf-8"))
                     if re.search("[A-Za-z]{2}", value) and not UNREAD.fullmatch(value)]
            self.assertEqual(shown, [], path.name)
        html = (PAGE / "index.html").read_text(encoding="utf-8")
        html = re.sub(r"<code>.*?</code>|<title>Earshot</title>|<h1 class=\"unseen\">Earshot</h1>", "", html)
        self.assertEqual(re.findall(r">\s*([^<>\s][^<>]*[A-Za-z]{2}[^<>]*)<", html), [])
        self.assertEqual(re.findall(r'(?:aria-label|placeholder|title|alt)="([^"]+)"', html.replace("data-", "data_")
                                    .replace("data_label", "").replace("data_title", "").replace("data_placeholder", "")), [])

    def korean(self, locale):
        context = self.browser.new_context(locale=locale)
        self.addCleanup(context.close)
        page = context.new_page()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.goto(self.alice.link())
        return page

    def test_the_browser_s_language_decides_and_the_page_switches(self):
        self.errors = []
        page = self.korean("ko-KR")
        expect(page.locator("#state")).to_have_text("연결됨")
        self.assertEqual(page.evaluate("document.documentElement.lang"), "ko")
        self.bob.say("hello")
        expect(self.rows(page)).to_have_text(["hello"])
        # No English is left but names, the message, and the way to English.
        shown = page.locator("body").inner_text()
        left = {word for word in re.findall("[A-Za-z]{2,}", shown)} - {"Earshot", "alice", "bob", "lobby", "hello", "English", "Enter"}
        self.assertEqual(left, set())
        self.assertRegex(page.locator(".day").inner_text(), "월 .*일")
        # The node answers in the same language.
        text = page.locator("#text")
        text.fill("/unread")
        page.keyboard.press("Enter")
        expect(page.locator("#log .answer p").nth(1)).to_have_text(re.compile("[가-힣]"))
        text.fill("/nope")
        page.keyboard.press("Enter")
        expect(page.locator("#log .answer.bad")).to_have_text(re.compile("[가-힣]"))
        text.fill("a draft")
        page.get_by_role("button", name="English", exact=True).click()
        expect(page.locator("#state")).to_have_text("connected")
        expect(page.get_by_role("button", name="Join a room")).to_be_visible()
        expect(page.locator(".day")).not_to_have_text(re.compile("월"))
        expect(text).to_have_value("a draft")
        self.assertEqual(page.evaluate("document.documentElement.lang"), "en")
        page.reload()
        expect(page.locator("#state")).to_have_text("connected")
        # The choice is all that the browser keeps.
        self.assertEqual(page.evaluate("JSON.stringify(localStorage)"), '{"language":"en"}')
        self.assertEqual(page.evaluate("Object.keys(sessionStorage)"), ["reload"])
        other = self.korean("de-DE")
        expect(other.locator("#state")).to_have_text("connected")

    def test_nothing_that_is_open_keeps_the_other_language(self):
        page = self.page()
        self.bob.say("hello")
        expect(self.rows(page)).to_have_count(1)
        change = "document.getElementById('language').click()"
        text, rule, several = page.locator("#text"), page.locator("#rule"), page.locator("#several")
        # A dialogue keeps the page in its language.
        page.get_by_role("button", name="Wipe").click()
        expect(page.locator("#dialog")).to_be_visible()
        with page.expect_response("**/korean.js"):
            page.evaluate(change)
        page.evaluate("new Promise((done) => setTimeout(done, 200))")
        self.assertEqual(page.evaluate("document.documentElement.lang"), "en")
        page.get_by_role("button", name="Cancel").click()
        # A menu and the picker close, the question about several lines and the rule are made again.
        text.fill("x" * 241)
        expect(rule).to_have_text("1 character too long")
        page.locator("#emoji").click()
        expect(page.locator("#picker")).to_be_visible()
        page.evaluate(change)
        expect(rule).to_have_text("1자 넘음")
        expect(page.locator("#picker")).to_be_hidden()
        text.fill("one\ntwo")
        expect(several).to_contain_text("2줄")
        page.locator("#log .message").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#actions")).to_be_visible()
        page.evaluate(change)
        expect(several).to_contain_text("2 lines")
        expect(page.locator("#actions")).to_be_hidden()
        text.fill("/whoa")
        offers = page.locator("#offers [role=option]")
        expect(offers).to_have_count(1)
        page.evaluate(change)
        expect(offers).to_have_count(0)
        text.fill("")
        self.alice.node.say("mine")
        expect(self.rows(page)).to_have_count(2)
        page.keyboard.press("ArrowUp")
        expect(rule).to_have_text("고치는 중입니다. Esc로 취소")
        page.evaluate(change)
        expect(rule).to_have_text("editing; Escape cancels")

    def test_arguments_are_put_in_as_they_are(self):
        page = self.page()
        shown = page.evaluate("""import("/strings.js").then(async ({ loadWhole, phrase }) => (await loadWhole(), [
            phrase("invitedText", "%2 {a|b} <b>", "two"), phrase("left", 1), phrase("left", 2), phrase("othersHear", 1), phrase("othersHear", 3)]))""")
        self.assertEqual(shown, ["%2 {a|b} <b> is invited to two.", "1 character left", "2 characters left",
                                 "One other person hears what you say.", "3 other people hear what you say."])


if __name__ == "__main__":
    unittest.main()

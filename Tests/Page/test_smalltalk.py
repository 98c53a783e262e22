"""Replies, reactions and the notice board in the page (Docs/Web.md, section 7)."""

import re
import unittest

from axe_playwright_python.sync_playwright import Axe
from page import PageTest
from playwright.sync_api import expect
from test_firefox import Firefox
from test_phone import PHONE, SMALL
from web import WebTest

COLORS = ["red", "orange", "yellow", "green", "teal", "blue", "purple", "gray"]
PLACE = "(id) => document.querySelector(`[data-id='${id}'] .text`)?.getBoundingClientRect().top ?? null"
SCROLL = "(part) => { const log = document.getElementById('log'); log.scrollTop = part * log.scrollHeight; }"
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
# Of each colour, its contrast on a card, and that of the two kinds of words on the card.
CONTRASTS = """(colors) => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const light = (color) => {
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((byte) => (byte / 255 <= 0.04045 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (a, b) => {
        const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
        return (high + 0.05) / (low + 0.05);
    };
    const found = {};
    for (const color of colors) {
        const card = document.createElement("li");
        card.className = `card of-${color}`;
        const parts = ["h3", "span", "p"].map((name) => document.createElement(name));
        parts[2].className = "quiet";
        card.append(...parts);
        document.getElementById("dialog-body").append(card);
        const ground = getComputedStyle(card).backgroundColor;
        for (const part of parts) found[`${color} ${part.localName}`] = contrast(getComputedStyle(part).color, ground);
        found[`${color} edge`] = contrast(getComputedStyle(card).borderLeftColor, getComputedStyle(document.getElementById("dialog")).backgroundColor);
        card.remove();
    }
    return found;
}"""


class SmallTalkTest(PageTest):
    def row(self, page, text):
        return page.locator("#log .message[data-id]").filter(has=page.locator(".line > .text", has_text=re.compile(f"^{re.escape(text)}$")))

    def menu(self, page, text, name):
        """Chooses from the menu of a message, by the keyboard."""
        self.row(page, text).focus()
        page.keyboard.press("Enter")
        page.get_by_role("menuitem", name=name, exact=True).click()

    def said(self, node, text):
        """The id of a message that all have."""
        node.say(text)
        found = self.alice.node.hears(text)
        self.bob.hears(text)
        return found["id"]

    def said_here(self, text):
        self.alice.node.say(text)
        self.alice.node.hears(text)

    def reacted(self, node, message, *emojis):
        return node.wait(lambda event: event["event"] == "reacted" and event["id"] == message and event["emojis"] == list(emojis), f"reaction {emojis}")

    def chips(self, page, text):
        return self.row(page, text).locator(".chip")

    def put_up(self, node, line):
        """A card that the page's node has."""
        node.say(f"/card {line}")
        title = line.split("|")[0].split("--color")[-1].strip()
        return self.alice.node.wait(lambda event: event["event"] == "card" and title.endswith(event["title"]), "card")

    def cards(self, page):
        return page.locator("#dialog .card")

    def dialog(self, page, name):
        return page.locator("#dialog").get_by_role("button", name=name, exact=True)

    def check(self, page, what):
        found = Axe().run(page).response["violations"]
        self.assertEqual([(one["id"], [node["html"][:160] for node in one["nodes"]][:3]) for one in found], [], what)


class Replies(SmallTalkTest):
    def test_a_reply_has_the_message_above_it_as_it_is_now_and_leads_to_it(self):
        target = self.said(self.bob, "is anybody there?")
        page = self.page()
        for number in range(40):
            self.bob.say(f"row {number}")
        self.alice.node.hears("row 39")
        self.alice.node.say(f"/re {target} I am")
        quote = self.row(page, "I am").locator(".quote")
        expect(quote).to_have_text(re.compile(r"^bob#\d+: is anybody there\?$"))
        expect(self.row(page, "I am")).to_have_attribute("aria-description", re.compile(r"answers bob#\d+: is anybody there\?"))
        box = quote.bounding_box()
        self.assertLess(box["y"] + box["height"], self.row(page, "I am").locator(".line > .text").bounding_box()["y"] + 1)
        quote.click()
        shown = self.row(page, "is anybody there?")
        expect(shown).to_be_focused()
        expect(shown).to_be_in_viewport()
        expect(shown).to_have_class(re.compile("found"))
        page.evaluate(SCROLL, 1)
        # A name and a text that change are those of the quote too, and a message that goes leaves no word of it.
        self.bob.result("nick rob")
        expect(quote).to_have_text(re.compile(r"^rob#\d+: is anybody there\?$"))
        self.bob.say(f"/edit {target} is SOMEBODY there?")
        expect(quote).to_have_text(re.compile(r"^rob#\d+: is SOMEBODY there\?$"))
        self.bob.say(f"/delete {target}")
        expect(quote).to_have_text("a deleted message")
        self.assertEqual(quote.evaluate("(quote) => quote.localName"), "span")
        self.assertNotIn("SOMEBODY", page.content())

    def test_a_message_that_was_deleted_is_said_to_be_where_the_page_knows_it(self):
        target = self.said(self.bob, "SECRET-ONE")
        self.bob.say(f"/re {target} noted")
        page = self.page()
        row = self.row(page, "noted")
        expect(row.locator(".quote")).to_contain_text("SECRET-ONE")
        self.bob.say(f"/delete {target}")
        expect(page.locator("#log .message.erased")).to_have_count(1)
        expect(row.locator(".quote")).to_have_text("a deleted message")
        expect(row).to_have_attribute("aria-description", "a deleted message")
        page.locator("#language").click()
        expect(row.locator(".quote")).to_have_text("지운 메시지")
        # A page that never had it has no place of it, and does not know why.
        expect(self.row(self.page(), "noted").locator(".quote")).to_have_text("a message that is not here")

    def test_a_bubble_grows_to_its_quote_and_a_name_is_cut_last(self):
        short = self.said(self.bob, "t")
        long = self.said(self.bob, " ".join(["word"] * 40))
        for target, text in ((short, "ok"), (long, "oh")):
            self.alice.node.say(f"/re {target} {text}")
            self.bob.say(f"/re {target} {text} too")
            self.alice.node.hears(f"{text} too")
        page = self.page()
        expect(page.locator("#log .quote")).to_have_count(4)
        parts = """(quote) => Object.fromEntries([".nick", ".number", ".words"].map((name) => {
            const { scrollWidth, clientWidth, offsetWidth } = quote.querySelector(name);
            return [name, [scrollWidth > clientWidth, offsetWidth > 0]];
        }))"""
        for text, is_cut in (("ok", False), ("ok too", False), ("oh", True), ("oh too", True)):
            found = self.row(page, text).locator(".quote").evaluate(parts)
            self.assertEqual(found, {".nick": [False, True], ".number": [False, True], ".words": [is_cut, True]}, text)
        lines = [self.row(page, text).locator(".line").bounding_box()["width"] for text in ("ok", "oh")]
        log = page.locator("#log .message").first.bounding_box()["width"]
        self.assertLess(lines[0], 0.3 * log)
        self.assertLessEqual(lines[1], 0.8 * log + 1)
        # Of a name that has no room, the number stays, and so does the beginning of the text.
        self.bob.result("nick " + "W" * 24)
        narrow = self.page(viewport={"width": 320, "height": 600})
        for text in ("ok", "ok too", "oh", "oh too"):
            quote = self.row(narrow, text).locator(".quote")
            expect(quote).to_contain_text("WWW")
            self.assertEqual(quote.evaluate(parts)[".number"], [False, True], text)
            box, number, words = (each.bounding_box() for each in (quote, quote.locator(".number"), quote.locator(".words")))
            self.assertLessEqual(number["x"] + number["width"], words["x"] + 1, text)
            self.assertLessEqual(words["x"] + words["width"], box["x"] + box["width"] + 1, text)
            self.assertGreater(words["width"], 20, text)

    def test_the_quote_of_a_blocked_author_goes_and_comes_back(self):
        carol = self.person("carol", self.alice)
        target = self.said(carol, "SECRET-ONE")
        self.bob.say(f"/re {target} noted")
        page = self.page()
        quote = self.row(page, "noted").locator(".quote")
        expect(quote).to_contain_text("SECRET-ONE")
        self.alice.node.say(f"/block {carol.number}")
        expect(quote).to_have_text("a message that is not here")
        self.assertNotIn("SECRET-ONE", page.content())
        self.alice.node.say(f"/unblock {carol.number}")
        expect(quote).to_contain_text("SECRET-ONE")

    def test_the_composer_answers_a_message_and_forgets_it_by_escape_and_by_the_button(self):
        target = self.said(self.bob, "who comes?")
        page = self.page()
        text, strip = page.locator("#text"), page.locator("#reply")
        for end in (lambda: page.keyboard.press("Escape"), lambda: strip.get_by_role("button", name="Do not answer it").click()):
            self.menu(page, "who comes?", "Reply")
            expect(strip).to_have_text(re.compile(r"^Answer to bob#\d+: who comes\?×$"))
            expect(text).to_be_focused()
            end()
            expect(strip).to_be_hidden()
            expect(text).to_be_focused()
        self.menu(page, "who comes?", "Reply")
        page.keyboard.type("me\n")
        self.assertEqual(self.bob.hears("me")["replyTo"], target)
        expect(strip).to_be_hidden()
        expect(self.row(page, "me").locator(".quote")).to_contain_text("who comes?")
        # The next one answers nothing.
        page.keyboard.type("next\n")
        self.assertIsNone(self.bob.hears("next")["replyTo"])

    def test_an_answer_is_kept_with_its_conversation_and_not_shown_beside_an_edit(self):
        self.befriend()
        self.said(self.bob, "in the lobby")
        page, other = self.page(), self.page()
        page.locator("[data-id='r1']").click()
        strip = page.locator("#reply")
        self.alice.node.say("/open lobby")
        self.said(self.alice.node, "mine")
        self.menu(page, "in the lobby", "Reply")
        page.keyboard.type("half")
        expect(strip).to_be_visible()
        page.locator(f"[data-id='r1-{self.bob.key}']").click()
        expect(page.locator("#title")).to_contain_text("bob#")
        expect(strip).to_be_hidden()
        page.locator("[data-id='r1']").click()
        expect(strip).to_contain_text("in the lobby")
        expect(page.locator("#text")).to_have_value("half")
        self.menu(page, "mine", "Edit")
        expect(page.locator("#text")).to_have_value("mine")
        expect(strip).to_be_hidden()
        page.keyboard.press("Escape")
        expect(strip).to_contain_text("in the lobby")
        expect(page.locator("#text")).to_have_value("half")
        # Another page of the user answers nothing.
        expect(other.locator("#reply")).to_be_hidden()
        page.locator("#language").click()
        expect(strip).to_contain_text("에게 답장")

    def test_an_answer_goes_with_the_message_with_the_room_and_with_a_wipe(self):
        target = self.said(self.bob, "SECRET-TWO")
        page = self.page()
        strip = page.locator("#reply")
        self.menu(page, "SECRET-TWO", "Reply")
        expect(strip).to_be_visible()
        page.keyboard.type("too late")
        self.bob.say(f"/delete {target}")
        expect(strip).to_be_hidden()
        expect(page.locator("#rule")).to_have_text("the message is gone")
        self.assertNotIn("SECRET-TWO", page.content())
        page.keyboard.press("Enter")
        self.assertIsNone(self.bob.hears("too late")["replyTo"])
        # The text that was typed for a room that ends is kept, and answers nothing in another one.
        self.alice.node.say("/join attic --open")
        page.locator("#conversations .row").filter(has_text="attic").click()
        expect(page.locator("#title")).to_contain_text("attic")
        self.said_here("in the attic")
        expect(page.locator("#state")).to_have_text("connected")
        expect(self.row(page, "in the attic")).to_have_count(1)
        self.menu(page, "in the attic", "Reply")
        page.keyboard.type("SECRET-THREE")
        self.alice.node.say("/part attic")
        expect(page.locator("#title")).to_contain_text("lobby")
        expect(strip).to_be_hidden()
        page.locator("#several").get_by_role("button", name="Use it here").click()
        page.keyboard.press("Enter")
        expect(self.row(page, "SECRET-THREE")).to_have_count(1)
        expect(self.row(page, "SECRET-THREE").locator(".quote")).to_have_count(0)
        self.menu(page, "SECRET-THREE", "Reply")
        expect(strip).to_contain_text("Answer to you: SECRET-THREE")
        self.alice.node.say("/wipe now")
        expect(self.rows(page)).to_have_count(0)
        expect(strip).to_be_hidden()
        self.assertNotIn("SECRET", page.content())

    def test_a_reply_that_was_not_sent_answers_when_it_is_sent_again(self):
        target = self.said(self.bob, "question")
        page = self.page()
        page.route("**/messages", lambda route: route.abort())
        self.menu(page, "question", "Reply")
        page.keyboard.type("answer\n")
        waiting = page.locator("#log .message.waiting")
        expect(waiting.locator(".quote")).to_contain_text("question")
        page.unroute("**/messages")
        page.evaluate("dispatchEvent(new Event('online'))")
        self.assertEqual(self.bob.hears("answer")["replyTo"], target)
        # One that the node refuses, too.
        self.menu(page, "question", "Reply")
        page.locator("#text").fill("e" + "\u0301" * 13)
        page.keyboard.press("Enter")
        refused = page.locator("#log .message.failed")
        expect(refused.locator(".quote")).to_contain_text("question")
        with page.expect_request("**/messages") as request:
            refused.get_by_role("button", name="Send again").click()
        self.assertEqual(request.value.post_data_json["replyTo"], target)

    def test_a_reply_that_is_sent_before_its_module_comes_is_one(self):
        target = self.said(self.bob, "question")
        page = self.page()
        held = []
        page.route("**/smalltalk.js", lambda route: held.append(route))
        self.menu(page, "question", "Reply")
        page.keyboard.type("answer\n")
        self.assertEqual(self.bob.hears("answer")["replyTo"], target)
        while not held:
            page.evaluate("null")
        held.pop().continue_()
        expect(self.row(page, "answer").locator(".quote")).to_contain_text("question")

    def test_a_reply_in_a_direct_conversation_stays_there(self):
        self.befriend()
        page = self.page()
        page.locator(f"[data-id='r1-{self.bob.key}']").click()
        self.menu(page, "may I?", "Reply")
        page.keyboard.type("you may\n")
        heard = self.bob.hears("you may")
        self.assertEqual(heard["conversation"], "direct")
        self.assertIsNotNone(heard["replyTo"])
        expect(self.row(page, "you may").locator(".quote")).to_contain_text("may I?")

    def test_a_reply_to_the_user_counts_as_a_mention(self):
        own = self.said(self.alice.node, "a question of mine")
        self.alice.node.result("join attic")
        page = self.page()
        page.locator("#conversations .row").filter(has_text="attic").click()
        expect(page.locator("#title")).to_contain_text("attic")
        self.bob.say(f"/re {own} an answer")
        expect(page.locator("#conversations [data-id='r1'] .badge")).to_have_text("@1")
        page.locator("#conversations [data-id='r1']").click()
        row = self.row(page, "an answer")
        expect(row).to_have_class(re.compile("mention"))
        expect(row.locator(".meta")).to_have_text("answers you")
        expect(row.locator(".quote")).to_have_text("you: a question of mine")


class Reactions(SmallTalkTest):
    def test_reactions_are_counted_set_and_taken_back(self):
        message = self.said(self.bob, "cake in the kitchen")
        self.bob.say(f"/react {message} 🎉")
        page, other = self.page(), self.page()
        chips = self.chips(page, "cake in the kitchen")
        expect(chips).to_have_text(["🎉 1"])
        expect(chips).to_have_attribute("aria-pressed", "false")
        plain = chips.evaluate("(chip) => getComputedStyle(chip).backgroundColor")
        chips.click()
        self.reacted(self.bob, message, "🎉")
        expect(chips).to_have_text(["🎉 2"])
        expect(chips).to_have_attribute("aria-pressed", "true")
        self.assertNotEqual(chips.evaluate("(chip) => getComputedStyle(chip).backgroundColor"), plain)
        # Both tabs of the user agree.
        expect(self.chips(other, "cake in the kitchen")).to_have_text(["🎉 2"])
        expect(self.chips(other, "cake in the kitchen")).to_have_attribute("aria-pressed", "true")
        self.chips(other, "cake in the kitchen").click()
        expect(chips).to_have_text(["🎉 1"])
        expect(chips).to_have_attribute("aria-pressed", "false")
        self.bob.say(f"/unreact {message}")
        expect(chips).to_have_count(0)
        expect(page.locator("#log .chips")).to_have_count(0)
        expect(self.row(page, "cake in the kitchen")).not_to_have_attribute("aria-description", re.compile("."))

    def test_the_picker_reacts_and_a_fourth_one_is_refused(self):
        message = self.said(self.bob, "react to me")
        page = self.page()
        self.menu(page, "react to me", "React")
        find = page.get_by_label("Find an emoji")
        expect(find).to_be_focused()
        page.keyboard.type("fox")
        page.keyboard.press("Enter")
        self.reacted(self.bob, message, "🦊")
        expect(self.chips(page, "react to me")).to_have_text(["🦊 1"])
        expect(self.row(page, "react to me")).to_be_focused()
        for emoji in ("👍", "🎂"):
            self.alice.node.say(f"/react {message} {emoji}")
        expect(self.chips(page, "react to me")).to_have_count(3)
        self.menu(page, "react to me", "React")
        page.keyboard.type("rocket")
        page.keyboard.press("Enter")
        expect(page.locator("#dialog-body")).not_to_be_empty()
        expect(page.locator("#dialog")).to_be_visible()
        self.dialog(page, "Close").click()
        expect(self.chips(page, "react to me")).to_have_count(3)

    def test_a_fourth_reaction_is_refused_in_words_of_the_page(self):
        message = self.said(self.bob, "react to me")
        for emoji in ("🦊", "👍", "🎂"):
            self.alice.node.say(f"/react {message} {emoji}")
        self.bob.say(f"/react {message} 🚀")
        page = self.page()
        chips = self.chips(page, "react to me")
        expect(chips).to_have_count(4)
        chips.filter(has_text="🚀").click()
        body = page.locator("#dialog-body")
        expect(body).to_have_text("You gave this message three emojis, the most there can be. Press one of yours to take it back.")
        self.dialog(page, "Close").click()
        # So it is.
        chips.filter(has_text="👍").click()
        expect(chips).to_have_count(3)
        chips.filter(has_text="🚀").click()
        expect(chips.filter(has_text="🚀")).to_have_text("🚀 2")

    def test_the_usual_reactions_are_a_row_in_front_of_all(self):
        message = self.said(self.bob, "react to me")
        page = self.page()
        buttons = page.locator("#picker .emojis button")
        self.menu(page, "react to me", "React")
        expect(buttons.nth(6)).to_have_text("😀")
        self.assertEqual(buttons.all_text_contents()[:6], ["👍", "❤️", "😂", "🎉", "😮", "😢"])
        tops = page.locator("#picker .emojis").evaluate("(grid) => [...grid.children].slice(0, 8).map(({ offsetTop }) => offsetTop)")
        self.assertEqual((len(set(tops[:6])), tops[6] > tops[5], tops[6] == tops[7]), (1, True, True))
        # The keys go through rows of both lengths.
        page.keyboard.press("ArrowDown")
        expect(buttons.nth(0)).to_be_focused()
        page.keyboard.press("ArrowDown")
        expect(buttons.nth(6)).to_be_focused()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowUp")
        expect(buttons.nth(1)).to_be_focused()
        page.keyboard.press("ArrowUp")
        expect(page.get_by_label("Find an emoji")).to_be_focused()
        page.keyboard.type("heart")
        expect(buttons.first).to_have_text("❤️")
        expect(page.locator("#picker .usual")).to_have_count(0)
        page.keyboard.press("Enter")
        self.reacted(self.bob, message, "❤️")
        self.menu(page, "react to me", "React")
        buttons.nth(3).click()
        expect(self.chips(page, "react to me")).to_have_text(["❤️ 1", "🎉 1"])
        # The panel of the field has them in their place alone.
        page.locator("#emoji").click()
        expect(buttons.first).to_have_text("😀")

    def test_a_chip_says_whose_it_is_and_what_a_press_does(self):
        message = self.said(self.bob, "look")
        self.bob.say(f"/react {message} 👀")
        page = self.page()
        chip = self.chips(page, "look")
        expect(chip).to_have_accessible_name("👀 1; press to give it too")
        expect(chip).to_have_attribute("title", "👀 1; press to give it too")
        chip.click()
        expect(chip).to_have_accessible_name("👀 2, one of them yours; press to take it back")
        expect(chip).to_have_attribute("title", "👀 2, one of them yours; press to take it back")
        self.bob.say(f"/unreact {message}")
        expect(chip).to_have_accessible_name("👀 1, yours; press to take it back")
        page.locator("#language").click()
        expect(chip).to_have_accessible_name("👀 1, 내 반응. 누르면 되돌립니다")

    def test_the_menu_says_who_reacted(self):
        carol = self.person("carol", self.alice)
        message = self.said(self.bob, "look")
        page = self.page()
        self.row(page, "look").focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("menuitem", name="React", exact=True)).to_be_visible()
        expect(page.get_by_role("menuitem", name="Who reacted")).to_have_count(0)
        page.keyboard.press("Escape")
        carol.hears("look")
        carol.say(f"/react {message} 👀")
        self.bob.say(f"/react {message} 👀")
        expect(self.chips(page, "look")).to_have_text(["👀 2"])
        self.menu(page, "look", "Who reacted")
        rows = page.locator("#dialog .reacted")
        expect(rows).to_have_count(1)
        expect(rows).to_contain_text("👀")
        for node in (carol, self.bob):
            expect(rows).to_contain_text(f"#{node.number}")

    def test_reactions_go_with_their_author_and_their_message(self):
        carol = self.person("carol", self.alice)
        message = self.said(self.bob, "for all")
        carol.hears("for all")
        carol.say(f"/react {message} 👎")
        self.bob.say(f"/react {message} 👍")
        page = self.page()
        expect(self.chips(page, "for all")).to_have_count(2)
        self.alice.node.say(f"/block {carol.number}")
        expect(self.chips(page, "for all")).to_have_text(["👍 1"])
        self.alice.node.say(f"/unblock {carol.number}")
        expect(self.chips(page, "for all")).to_have_count(2)
        self.bob.say(f"/delete {message}")
        expect(page.locator("#log .chip")).to_have_count(0)

    def test_reactions_and_quotes_move_nothing_that_is_read(self):
        for number in range(80):
            self.bob.say(f"row {number}")
        self.alice.node.hears("row 79")
        history = self.alice.node.result("history")["messages"]
        ids = {row["text"]: row["id"] for row in history}
        page = self.page(viewport={"width": 700, "height": 500})
        expect(self.rows(page).last).to_have_text("row 79")
        page.evaluate(SCROLL, 0.5)
        page.evaluate(DRAWN)
        read, place = page.evaluate("""() => {
            const top = document.getElementById("log").getBoundingClientRect().top;
            const text = [...document.querySelectorAll("#log .message .text")].find((text) => text.getBoundingClientRect().top >= top);
            return [text.closest(".message").dataset.id, text.getBoundingClientRect().top];
        }""")
        number = int(next(text for text, found in ids.items() if found == read).split()[1])
        for above in (number - 3, number - 1, number):
            self.bob.say(f"/react {ids[f'row {above}']} 👍")
            expect(self.chips(page, f"row {above}")).to_have_text(["👍 1"])
            page.evaluate(DRAWN)
            self.assertLess(abs(page.evaluate(PLACE, read) - place), 2, above)
        # The message that a quote above is of changes, and goes.
        self.bob.say(f"/re {ids['row 0']} a reply")
        self.alice.node.hears("a reply")
        self.bob.say(f"/unreact {ids[f'row {number - 1}']}")
        expect(self.chips(page, f"row {number - 1}")).to_have_count(0)
        self.assertLess(abs(page.evaluate(PLACE, read) - place), 2)
        # At the end, the newest message stays in view.
        page.locator("#newer").click()
        expect(self.row(page, "a reply")).to_be_in_viewport()
        self.bob.say(f"/react {ids['row 79']} 🎉")
        self.bob.say(f"/react {ids['row 78']} 🎉")
        expect(self.chips(page, "row 78")).to_have_count(1)
        page.evaluate(DRAWN)
        expect(self.row(page, "a reply")).to_be_in_viewport(ratio=1)

    def test_a_press_on_a_chip_is_not_lost_when_another_one_comes(self):
        message = self.said(self.bob, "press")
        self.bob.say(f"/react {message} 👍")
        page = self.page()
        chip = self.chips(page, "press").first
        expect(chip).to_have_text("👍 1")
        chip.hover()
        page.mouse.down()
        self.bob.say(f"/react {message} 🎉")
        expect(self.chips(page, "press")).to_have_count(2)
        page.mouse.up()
        self.reacted(self.alice.node, message, "👍")
        expect(chip).to_have_text("👍 2")

    def test_quote_and_chips_are_reached_by_the_keyboard(self):
        target = self.said(self.bob, "target")
        self.bob.say(f"/re {target} reply")
        reply = self.alice.node.hears("reply")["id"]
        self.bob.say(f"/react {reply} 👍")
        page = self.page()
        expect(self.chips(page, "reply")).to_have_count(1)
        page.locator("#log").focus()
        page.keyboard.press("ArrowUp")
        expect(self.row(page, "reply")).to_be_focused()
        page.keyboard.press("ArrowRight")
        expect(self.row(page, "reply").locator(".quote")).to_be_focused()
        page.keyboard.press("ArrowRight")
        expect(self.chips(page, "reply")).to_be_focused()
        page.keyboard.press("Enter")
        self.reacted(self.bob, reply, "👍")
        expect(self.chips(page, "reply")).to_have_text(["👍 2"])
        expect(self.chips(page, "reply")).to_be_focused()
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("Enter")
        expect(self.row(page, "target")).to_be_focused()

    def test_a_module_that_comes_late_shows_the_reactions_then(self):
        message = self.said(self.bob, "early")
        self.bob.say(f"/react {message} 👍")
        self.reacted(self.alice.node, message, "👍")
        context = self.browser.new_context(locale="en-GB")
        self.addCleanup(context.close)
        held = []
        context.route("**/smalltalk.js", lambda route: held.append(route))
        page = self.page(context=context)
        expect(self.rows(page)).to_have_text(["early"])
        while not held:
            page.wait_for_timeout(10)
        expect(page.locator("#log .chip")).to_have_count(0)
        held.pop().continue_()
        expect(self.chips(page, "early")).to_have_text(["👍 1"])


class Board(SmallTalkTest):
    def open(self, page):
        page.get_by_role("button", name=re.compile("^Board")).click()
        expect(page.locator("#dialog-title")).to_have_text("Board of lobby")

    def test_the_header_counts_the_cards_and_the_board_shows_them(self):
        page = self.page()
        button = page.locator("#board")
        expect(button).to_have_text(re.compile(r"^Board\s*0?$"))
        expect(button.locator(".badge")).to_be_hidden()
        self.put_up(self.bob, "--color red Umbrella | it is grey, see https://a.example/ and `code`")
        expect(page.get_by_role("button", name="Board 1")).to_be_visible()
        self.open(page)
        card = self.cards(page)
        expect(card).to_have_count(1)
        expect(card.locator("h3")).to_have_text("Umbrella")
        expect(card.locator("a")).to_have_attribute("href", "https://a.example/")
        expect(card.locator("code")).to_have_text("code")
        expect(card).to_contain_text(f"bob#{self.bob.number}")
        expect(card).to_contain_text(re.compile(r"until .*\d\d:\d\d"))
        expect(card).to_have_class("card of-red")
        expect(card.get_by_role("button")).to_have_count(0)
        # It follows the changes of the board.
        self.put_up(self.alice.node, "Mine | and more")
        expect(card).to_have_count(2)
        expect(card.filter(has_text="Mine")).to_contain_text("you")
        self.bob.result("nick rob")
        expect(card.filter(has_text="Umbrella")).to_contain_text("rob#")
        card.get_by_role("button", name="remove Mine").click()
        self.bob.wait(lambda event: event["event"] == "cardRemoved", "removal")
        expect(card).to_have_count(1)
        self.bob.say("/card remove")
        expect(page.locator("#dialog .cards")).to_have_text("No card is on the board.")
        self.dialog(page, "Close").click()
        expect(button.locator(".badge")).to_be_hidden()

    def test_a_card_is_put_up_and_nothing_typed_is_lost(self):
        page = self.page()
        self.open(page)
        self.dialog(page, "Put up a card").click()
        title, text = page.get_by_label("Title"), page.get_by_label("Text", exact=True)
        expect(title).to_be_focused()
        alert = page.locator("#dialog").get_by_role("alert")
        page.keyboard.press("Enter")
        expect(alert).to_have_text("a card needs a title")
        title.fill("t" * 41)
        expect(title.locator("xpath=following-sibling::p[1]")).to_have_text("41 of 40")
        page.keyboard.press("Enter")
        expect(alert).to_have_text("the title is 41 characters; 40 is the most")
        title.fill("Lost & <found>")
        text.fill("x" * 241)
        expect(page.locator("#count-text")).to_have_text("241 of 240")
        page.keyboard.press("Enter")
        expect(alert).to_have_text("the message is 241 characters; 240 is the most")
        text.fill("a grey umbrella")
        page.get_by_label("purple").check()
        # The node is not reached. The card that was typed stays, in a dialogue that is closed too.
        page.route("**/board", lambda route: route.abort())
        self.dialog(page, "Put up a card").click()
        expect(alert).to_have_text("the node is not reached")
        page.unroute("**/board")
        page.keyboard.press("Escape")
        expect(page.locator("#dialog")).to_be_hidden()
        self.open(page)
        self.dialog(page, "Put up a card").click()
        expect(title).to_have_value("Lost & <found>")
        expect(text).to_have_value("a grey umbrella")
        expect(page.get_by_label("purple")).to_be_checked()
        self.dialog(page, "Put up a card").click()
        card = self.bob.wait(lambda event: event["event"] == "card", "card")
        self.assertEqual((card["title"], card["text"], card["cardColor"]), ("Lost & <found>", "a grey umbrella", "purple"))
        expect(self.cards(page)).to_have_count(1)
        expect(self.cards(page).locator("h3")).to_have_text("Lost & <found>")
        # A refusal of the node is inside, with what was typed.
        self.dialog(page, "Put up a card").click()
        expect(title).to_have_value("")
        title.fill("a\u0301" + "\u0301" * 13)
        text.fill("text")
        self.dialog(page, "Put up a card").click()
        expect(alert).not_to_be_empty()
        expect(text).to_have_value("text")

    def test_the_own_new_card_is_in_view_and_has_the_focus(self):
        carol = self.person("carol", self.alice)
        for node in (self.bob, carol):
            for number in range(2):
                self.put_up(node, f"{node.number} {number} | {'many words ' * 15}")
        page = self.page(viewport={"width": 900, "height": 500})
        self.open(page)
        expect(self.cards(page)).to_have_count(4)
        self.dialog(page, "Put up a card").click()
        page.get_by_label("Title").fill("Newest")
        page.get_by_label("Text", exact=True).fill("a text")
        self.dialog(page, "Put up a card").click()
        newest = self.cards(page).filter(has_text="Newest")
        expect(newest).to_be_focused()
        expect(newest).to_be_in_viewport(ratio=0.9)
        expect(self.cards(page).first).not_to_be_in_viewport()
        # It keeps the focus while others change.
        self.bob.result("nick rob")
        expect(self.cards(page).filter(has_text="rob#")).to_have_count(2)
        expect(newest).to_be_focused()
        newest.get_by_role("button", name="remove Newest").click()
        expect(newest).to_have_count(0)
        expect(self.dialog(page, "Put up a card")).to_be_focused()

    def test_the_form_says_which_card_a_third_one_takes_the_place_of(self):
        self.put_up(self.alice.node, "First | a text")
        page = self.page()
        self.open(page)
        self.dialog(page, "Put up a card").click()
        goes = page.locator("#card-goes")
        expect(page.get_by_label("Title")).to_be_focused()
        expect(goes).to_be_hidden()
        # It is as the board is now.
        self.put_up(self.alice.node, "Second | a text")
        words = "You have two cards on the board, the most there can be: this one takes the place of “First”."
        expect(goes).to_have_text(words)
        expect(goes).to_be_visible()
        expect(page.get_by_label("Title")).to_have_accessible_description(re.compile("^" + re.escape(words)))
        page.get_by_label("Title").fill("Third")
        page.get_by_label("Text", exact=True).fill("a text")
        self.dialog(page, "Put up a card").click()
        expect(self.cards(page).locator("h3")).to_have_text(["Second", "Third"])
        self.dialog(page, "Put up a card").click()
        expect(goes).to_contain_text("“Second”")
        self.alice.node.say("/card remove")
        expect(goes).to_be_hidden()
        self.dialog(page, "Close").click()
        expect(page.locator("#dialog")).to_be_hidden()
        self.assertNotIn("Second", page.content())

    def test_a_card_of_another_user_has_a_line_in_the_log(self):
        self.put_up(self.bob, "Before | a text")
        self.alice.node.result("join attic")
        page = self.page()
        page.locator("#conversations .row").filter(has_text="attic").click()
        expect(page.locator("#title")).to_contain_text("attic")
        self.put_up(self.bob, "Umbrella | a text")
        page.locator("#conversations [data-id='r1']").click()
        line = page.locator("#log .note").filter(has_text="on the board")
        name = f"#{self.bob.number} puts a card on the board: Umbrella"
        expect(line).to_have_text(f"bob{name}")
        expect(page.locator("#conversations .badge")).to_have_count(0)
        # It has the present name, and neither an own card nor one that is shown again has one.
        self.bob.result("nick rob")
        expect(line).to_have_text(f"rob{name}")
        self.alice.node.say("/open lobby")
        self.put_up(self.alice.node, "Mine | a text")
        expect(page.locator("#board .badge")).to_have_text("3")
        self.alice.node.say(f"/block {self.bob.number}")
        self.bob.wait(lambda event: event["event"] == "peer" and event["state"] == "offline", "alice is gone", from_start=False)
        expect(page.locator("#board .badge")).to_have_text("1")
        expect(line).to_have_count(0)
        self.assertNotIn("Umbrella", page.content())
        self.alice.node.say(f"/unblock {self.bob.number}")
        expect(page.locator("#board .badge")).to_have_text("3")
        expect(line).to_have_count(0)
        # Behind the new link: a card from before it comes as history.
        self.bob.wait(lambda event: event["event"] == "peer" and event["state"] == "online", "alice is back", from_start=False)
        # It goes with its card, and the first one of an author with the third.
        self.put_up(self.bob, "Ladder | a text")
        expect(line).to_have_text(f"rob#{self.bob.number} puts a card on the board: Ladder")
        page.locator("#language").click()
        expect(page.locator("#log .note").filter(has_text="Ladder")).to_have_text(f"rob#{self.bob.number} 님이 게시판에 카드를 붙였습니다: Ladder")
        self.bob.say("/card remove")
        expect(page.locator("#log .note").filter(has_text="Ladder")).to_have_count(0)
        self.assertNotIn("Ladder", page.content())

    def test_the_colours_have_the_names_that_the_command_takes(self):
        page = self.page()
        self.open(page)
        self.dialog(page, "Put up a card").click()
        expect(page.locator("#dialog .choice")).to_have_text(COLORS)

    def test_the_board_is_of_its_room_and_a_direct_conversation_has_none(self):
        self.befriend()
        self.put_up(self.bob, "In the lobby | text")
        self.alice.node.result("join attic")
        page = self.page()
        page.locator("#conversations .row").filter(has_text="attic").click()
        expect(page.locator("#title")).to_contain_text("attic")
        expect(page.locator("#board .badge")).to_be_hidden()
        page.locator(f"[data-id='r1-{self.bob.key}']").click()
        expect(page.locator("#board")).to_be_hidden()
        page.locator("[data-id='r1']").click()
        expect(page.locator("#board .badge")).to_have_text("1")

    def test_cards_go_with_their_author_their_room_and_a_wipe(self):
        self.put_up(self.bob, "SECRET-ONE | SECRET-TWO")
        page, other = self.page(), self.page()
        self.open(page)
        expect(self.cards(page)).to_have_count(1)
        self.alice.node.say(f"/block {self.bob.number}")
        expect(self.cards(page)).to_have_count(0)
        expect(other.locator("#board .badge")).to_be_hidden()
        self.assertNotIn("SECRET", page.content())
        self.alice.node.say(f"/unblock {self.bob.number}")
        expect(self.cards(page)).to_have_count(1)
        # Behind a dialogue that is closed, nothing of the cards is in the document.
        self.dialog(page, "Close").click()
        expect(page.locator("#dialog")).to_be_hidden()
        self.assertNotIn("SECRET", page.content())
        self.alice.node.result("join attic")
        page.locator("[data-id='r1']").click()
        expect(page.locator("#title")).to_contain_text("lobby")
        self.open(page)
        self.dialog(page, "Put up a card").click()
        page.get_by_label("Title").fill("SECRET-THREE")
        self.alice.node.say("/part lobby")
        expect(page.locator("#dialog")).to_be_hidden()
        self.assertNotIn("SECRET", page.content())
        self.put_up(self.alice.node, "SECRET-FOUR | in the attic")
        page.locator("#board").click()
        expect(self.cards(page)).to_have_count(1)
        self.alice.node.say("/wipe now")
        expect(page.locator("#dialog")).to_be_hidden()
        expect(page.locator("#board .badge")).to_be_hidden()
        self.assertNotIn("SECRET", page.content())

    def test_the_board_by_the_keyboard_alone(self):
        page = self.page()
        page.locator("#board").focus()
        page.keyboard.press("Enter")
        expect(self.dialog(page, "Put up a card")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_label("Title")).to_be_focused()
        page.keyboard.type("By keys")
        page.keyboard.press("Tab")
        page.keyboard.type("a text")
        page.keyboard.press("Tab")
        expect(page.get_by_label("teal")).to_be_focused()
        page.keyboard.press("ArrowRight")
        expect(page.get_by_label("blue")).to_be_checked()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        card = self.bob.wait(lambda event: event["event"] == "card", "card")
        self.assertEqual((card["title"], card["text"], card["cardColor"]), ("By keys", "a text", "blue"))
        expect(self.cards(page)).to_be_focused()
        page.keyboard.press("Tab")
        expect(self.dialog(page, "remove By keys")).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator("#board")).to_be_focused()


class Looks(SmallTalkTest):
    def busy(self):
        """A room with replies, reactions and cards."""
        target = self.said(self.bob, "first")
        self.alice.node.say(f"/re {target} second")
        self.alice.node.hears("second")
        own = self.bob.hears("second")["id"]
        self.bob.say(f"/re {own} third")
        self.alice.node.say(f"/re {'0' * 32} fourth")
        self.alice.node.say(f"/react {target} 👍")
        self.bob.say(f"/react {own} 🎉")
        self.put_up(self.bob, "--color yellow Lunch | at the river")
        self.put_up(self.alice.node, "Mine | a text")

    def test_targets_for_fingers(self):
        self.busy()
        page = self.page(**PHONE)
        expect(page.locator("#log .chip")).to_have_count(2)
        expect(page.locator("#log .quote")).to_have_count(3)
        head, around = page.locator("#head").bounding_box(), page.locator("#around").bounding_box()
        self.assertEqual((head["height"] <= 64, around["y"]), (True, head["y"] + head["height"]))
        small = SMALL.replace('!each.closest("#log .head")', '!each.matches(".face, .from")')
        self.assertEqual(page.evaluate(small), [])
        self.menu(page, "first", "Reply")
        expect(page.locator("#reply")).to_be_visible()
        self.assertEqual(page.evaluate(small), [])
        self.assertEqual(page.evaluate("document.documentElement.scrollWidth"), 390)
        page.locator("#board").tap()
        expect(self.cards(page)).to_have_count(2)
        self.assertEqual(page.evaluate(small), [])
        self.dialog(page, "Put up a card").tap()
        expect(page.get_by_label("Title")).to_be_visible()
        self.assertEqual(page.evaluate(small), [])
        self.assertEqual(page.evaluate("document.documentElement.scrollWidth"), 390)

    def test_no_view_breaks_a_rule_of_accessibility(self):
        self.busy()
        for scheme in ("light", "dark"):
            page = self.page(color_scheme=scheme)
            expect(page.locator("#log .chip")).to_have_count(2)
            self.menu(page, "first", "Reply")
            expect(page.locator("#reply")).to_be_visible()
            self.check(page, (scheme, "log"))
            self.menu(page, "first", "Who reacted")
            expect(page.locator("#dialog .reacted")).to_have_count(1)
            self.check(page, (scheme, "who"))
            self.dialog(page, "Close").click()
            page.locator("#board").click()
            expect(self.cards(page)).to_have_count(2)
            self.check(page, (scheme, "board"))
            self.dialog(page, "Put up a card").click()
            expect(page.get_by_label("Title")).to_be_visible()
            self.check(page, (scheme, "form"))

    def test_the_contrast_of_the_colours_is_enough(self):
        for scheme in ("light", "dark"):
            page = self.page(color_scheme=scheme)
            page.locator("#board").click()
            expect(page.locator("#dialog .cards")).to_be_visible()
            found = page.evaluate(CONTRASTS, COLORS)
            self.assertEqual(len(found), 8 * 4)
            self.assertEqual({name: round(value, 2) for name, value in found.items() if value < 4.5}, {}, scheme)
            self.assertEqual(len({page.evaluate(f"""() => {{
                const made = Object.assign(document.createElement("li"), {{ className: "card of-{color}" }});
                document.body.append(made);
                const color = getComputedStyle(made).borderLeftColor;
                made.remove();
                return color;
            }}""") for color in COLORS}), 8)

    def test_hostile_texts_stay_in_their_place(self):
        page = self.page()
        hostile = "<img src=x onerror=document.title='bad'>"
        message = self.said(self.bob, hostile)
        self.bob.say(f"/re {message} \u202ereply")
        # The largest emoji that there is, and one that no font has.
        for emoji in ("👩🏽‍❤️‍💋‍👨🏾", "\U0001fafe"):
            self.bob.say(f"/react {message} {emoji}")
        self.put_up(self.bob, "W" * 40 + " | " + "x" * 240)
        self.put_up(self.bob, "<b>a</b> \u202etitle | </li><script>document.title='bad'</script>")
        chips = page.locator("#log .chip")
        expect(chips).to_have_count(2)
        expect(chips.first).to_have_text("👩🏽‍❤️‍💋‍👨🏾 1")
        quote = page.locator("#log .quote")
        expect(quote).to_contain_text(hostile)
        expect(page.locator("#log .message").last.locator(".line > .text")).to_have_text("\ufffdreply")
        log = page.locator("#log").bounding_box()
        for box in (each.bounding_box() for each in page.locator("#log .chip, #log .quote, #log .message").all()):
            self.assertLessEqual(box["x"] + box["width"], log["x"] + log["width"] + 1)
        for chip in chips.all():
            self.assertLess(chip.bounding_box()["width"], 160)
        self.open_board(page)
        expect(self.cards(page)).to_have_count(2)
        expect(self.cards(page).nth(1).locator("h3")).to_have_text("<b>a</b> \ufffdtitle")
        self.assertEqual(page.locator("#dialog .cards b, #dialog .cards img, #dialog .cards script, #log img").count(), 0)
        self.assertEqual(page.title(), "Earshot")
        cards = page.locator("#dialog .cards")
        self.assertEqual(cards.evaluate("(cards) => cards.scrollWidth - cards.clientWidth"), 0)
        self.assertEqual(page.locator("#dialog").evaluate("(dialog) => dialog.scrollWidth - dialog.clientWidth"), 0)

    def open_board(self, page):
        page.locator("#board").click()
        expect(page.locator("#dialog")).to_be_visible()


class InFirefox(WebTest):
    def test_replies_reactions_and_the_board_in_firefox(self):
        alice = self.served()
        bob = self.person("bob", alice)
        bob.say("is anybody there?")
        message = alice.node.hears("is anybody there?")["id"]
        bob.say(f"/react {message} 👍")
        bob.say("/card --color green Lunch | at the river")
        firefox = Firefox()
        self.addCleanup(firefox.close)
        firefox.open(alice.url)
        firefox.wait("document.querySelectorAll('#log .chip').length === 1")
        firefox.run("document.querySelector('.chip').click()")
        firefox.wait("document.querySelector('.chip').textContent === '👍 2' && document.querySelector('.chip').ariaPressed === 'true'")
        bob.wait(lambda event: event["event"] == "reacted" and event["from"]["key"] == alice.node.key, "reaction")
        # ArrowUp, Enter: the menu of the last message.
        firefox.run("document.getElementById('log').focus()")
        firefox.type("\ue013")
        firefox.wait("document.activeElement.classList.contains('message')")
        firefox.type("\ue007")
        firefox.wait("document.activeElement.getAttribute('role') === 'menuitem'")
        # The protocol's Enter does not press a button.
        firefox.run("document.activeElement.click()")
        firefox.wait("document.activeElement.id === 'text' && !document.getElementById('reply').hidden")
        firefox.type("I am\ue007")
        self.assertEqual(bob.hears("I am")["replyTo"], message)
        firefox.wait("document.querySelector('#log .quote')?.textContent.includes('is anybody there?')")
        firefox.wait("document.getElementById('reply').hidden")
        firefox.run("document.getElementById('board').click()")
        firefox.wait("document.querySelectorAll('#dialog .card.of-green').length === 1")
        firefox.run("document.querySelector('#dialog-buttons .main').click()")
        firefox.wait("document.activeElement.id === 'card-title'")
        # Tab leads to the text, Tab to the colours, and Right to the next one.
        firefox.type("Cake\ue004in the kitchen\ue004\ue014")
        firefox.run("document.querySelector('#dialog-buttons .main').click()")
        card = bob.wait(lambda event: event["event"] == "card" and event["from"]["key"] == alice.node.key, "card")
        self.assertEqual((card["title"], card["text"], card["cardColor"]), ("Cake", "in the kitchen", "blue"))
        firefox.wait("document.querySelectorAll('#dialog .card').length === 2")
        self.assertEqual(firefox.run("new Set([...document.querySelectorAll('.card')].map((card) => getComputedStyle(card).borderLeftColor)).size"), 2)


if __name__ == "__main__":
    unittest.main()

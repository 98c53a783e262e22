"""The rows that a user reads stay in their place; title and icon of a page behind another one (Docs/Web.md, section 7)."""

import time
import unittest

from chromium import Chromium
from display import Display
from page import PageTest
from playwright.sync_api import expect

# The first row that is wholly in view, with its place.
FIRST = """() => {
    const top = document.getElementById("log").getBoundingClientRect().top;
    const row = [...document.querySelectorAll("#log .message")].find((row) => row.getBoundingClientRect().top >= top);
    return [row.dataset.id, row.getBoundingClientRect().top];
}"""
PLACE = "(id) => document.querySelector(`[data-id='${id}']`)?.getBoundingClientRect().top ?? null"
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
UP = "(part) => { const log = document.getElementById('log'); log.scrollTop = part * log.scrollHeight; }"


class Place(PageTest):
    def say(self, prefix, count):
        for number in range(count):
            self.bob.say(f"{prefix} {number}")
        self.alice.node.hears(f"{prefix} {count - 1}")

    def load(self, page, text):
        """Scrolls up to a message."""
        deadline = time.monotonic() + 30
        while (first := self.rows(page).first.inner_text()) != text:
            self.assertLess(time.monotonic(), deadline, first)
            page.evaluate(UP, 0)
            page.evaluate(DRAWN)

    def read(self, page, part):
        """Scrolls up and waits until nothing loads; the row that is read."""
        page.evaluate(UP, part)
        page.evaluate(DRAWN)
        return page.evaluate(FIRST)

    def stays(self, page, row, what):
        page.evaluate(DRAWN)
        place = page.evaluate(PLACE, row[0])
        self.assertIsNotNone(place, what)
        self.assertLess(abs(place - row[1]), 3, what)

    def test_messages_snapshots_and_deletions_move_nothing_that_is_read(self):
        self.say("early", 150)
        page = self.page()
        expect(self.rows(page).last).to_have_text("early 149")
        self.load(page, "early 0")
        row = self.read(page, 0.2)
        self.say("later", 350)
        expect(page.locator("#newer")).to_have_text("350 new")
        self.stays(page, row, "messages")
        # A request that is accepted gives the page all anew.
        self.befriend()
        expect(page.locator("#conversations .row")).to_have_count(2)
        self.stays(page, row, "snapshot")
        carol = self.person("carol", self.alice)
        expect(page.locator(f"[data-key='{carol.key}']")).to_be_visible()
        carol.quit()
        self.stays(page, row, "arrivals")
        own = self.alice.node.result("history")["messages"]
        self.assertEqual(len(own), 100)
        page.locator("#newer").click()
        expect(self.rows(page).last).to_have_text("later 349")
        self.say("end", 1)
        expect(self.rows(page).last).to_have_text("end 0")

    def test_a_message_that_goes_moves_no_other(self):
        self.bob.say("first")
        self.bob.say("to be deleted " + "long " * 40)
        self.alice.node.hears("first")
        gone = self.alice.node.wait(lambda event: event["event"] == "message" and event["text"].startswith("to be deleted"), "message")
        self.say("row", 80)
        page = self.page(viewport={"width": 700, "height": 500})
        expect(self.rows(page).last).to_have_text("row 79")
        row = self.read(page, 0.5)
        self.bob.say(f"/delete {gone['id']}")
        expect(page.locator(f"[data-id='{gone['id']}']")).to_have_count(0)
        self.stays(page, row, "deletion")
        # An own row shows its buttons under the pointer without getting higher.
        page.locator("#text").fill("mine")
        page.keyboard.press("Enter")
        own = page.locator("#log .message.own:not(.waiting)")
        expect(own).to_be_visible()
        before = own.bounding_box()
        own.hover()
        expect(own.get_by_role("button", name="Edit")).to_be_visible()
        self.assertEqual(own.bounding_box(), before)

    def test_older_messages_load_after_a_page_that_failed(self):
        self.say("early", 180)
        page = self.page()
        expect(self.rows(page).last).to_have_text("early 179")
        fates = ["abort"]
        page.route("**/messages?before=*", lambda route: getattr(route, fates[-1])())
        page.evaluate(UP, 0)
        expect(page.get_by_role("button", name="Try again")).to_be_visible()
        fates.append("continue_")
        page.get_by_role("button", name="Try again").evaluate("(row) => row.click()")
        expect(page.get_by_role("button", name="Try again")).to_have_count(0)
        expect(self.rows(page).first).to_have_text("early 30")

    def test_title_and_icon_count_while_another_window_is_in_front(self):
        display = Display()
        self.addCleanup(display.close)
        self.befriend()
        carol = self.person("carol", self.alice)
        chromium = Chromium(display)
        self.addCleanup(chromium.close)
        chromium.open(self.alice.link())
        chromium.wait("document.getElementById('state')?.textContent === 'connected'")
        chromium.cover()
        chromium.wait("document.hidden")
        self.bob.say("unseen")
        chromium.wait("document.title === '(1) Earshot'")
        # Of another conversation, and a request.
        self.bob.say(f"/msg {self.alice.node.number} psst")
        chromium.wait("document.title === '(2) Earshot'")
        carol.say(f"/msg {self.alice.node.number} may I?")
        chromium.wait("document.title === '(3) Earshot'")
        self.assertIn("unread", chromium.run("document.getElementById('icon').href"))
        # It is still without frames, and has drawn nothing.
        self.assertEqual(chromium.run("document.querySelectorAll('#log .message').length"), 0)
        chromium.uncover()
        chromium.wait("document.title === '(2) Earshot'")
        chromium.wait("document.querySelectorAll('#log .message').length === 1")


class Names(PageTest):
    def test_a_long_name_is_cut_and_its_number_never(self):
        carol = self.person("W" * 24, self.alice)
        carol.say("hello " * 30)
        self.alice.node.hears(("hello " * 30).strip())
        carol.say(f"/msg {self.alice.node.number} may I?")
        for width in (390, 1000):
            page = self.page(viewport={"width": width, "height": 800})
            expect(self.rows(page)).to_have_count(1)
            self.whole(page, "#log .number", carol)
            if width == 390:
                page.get_by_role("button", name="Conversations").click()
            self.whole(page, "#people .number", carol)
            self.whole(page, "#conversations .last .number", carol)
            self.whole(page, "#requests .number", carol)

    def whole(self, page, selector, peer):
        number = page.locator(selector).filter(has_text=f"#{peer.number}").first
        expect(number).to_be_visible()
        cut = number.evaluate("""(number) => {
            const box = number.getBoundingClientRect();
            for (let outer = number.parentElement; outer; outer = outer.parentElement) {
                const around = outer.getBoundingClientRect();
                const isClipped = getComputedStyle(outer).overflowX !== "visible";
                if (isClipped && (box.right > around.right + 0.5 || box.left < around.left - 0.5)) return outer.outerHTML.slice(0, 200);
            }
            return number.scrollWidth > number.clientWidth + 1 && number.clientWidth > 0 ? "itself" : null;
        }""")
        self.assertIsNone(cut, selector)
        self.assertEqual(number.inner_text(), f"#{peer.number}")


if __name__ == "__main__":
    unittest.main()

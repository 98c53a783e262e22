"""The files that the page loads, and when (Docs/Web.md, section 7)."""

import pathlib
import re
import unittest

from page import PageTest
from playwright.sync_api import expect

PAGE = pathlib.Path(__file__).resolve().parents[2] / "Sources/Faces/Web/Page"
# The bytes that a first load in English takes, and those of all sources. They are raised only for what users get by it.
MOST_AT_FIRST = 106_000
MOST = 218_000


class Size(PageTest):
    def noting(self, locale="en-GB"):
        context = self.browser.new_context(locale=locale)
        self.addCleanup(context.close)
        page = context.new_page()
        self.loaded = []
        page.on("requestfinished", lambda request: "/api/" not in request.url and self.loaded.append(request))
        page.goto(self.alice.link())
        return page

    @property
    def files(self):
        return [request.url.rsplit("/", 1)[1].split("#")[0] or "index.html" for request in self.loaded]

    def bytes(self):
        return sum(len(request.response().body()) for request in self.loaded)

    def test_a_first_load_is_small_and_what_is_rarely_needed_comes_later(self):
        page = self.noting()
        expect(page.locator("#state")).to_have_text("connected")
        expect(page.locator("#log .welcome")).to_be_visible()
        page.wait_for_load_state("networkidle")
        self.assertEqual(len(self.files), len(set(self.files)))
        self.assertLessEqual(self.bytes(), MOST_AT_FIRST, sorted(self.files))
        self.assertNotIn("\n//", "".join(request.response().text() for request in self.loaded))
        self.assertLessEqual(sum(path.stat().st_size for path in PAGE.iterdir()), MOST)
        later = {"board.js", "commands.js", "dialogs.js", "emoji.js", "entrance.js", "keys.js", "korean.js", "language.js", "menu.js", "offers.js",
                 "people.js", "rooms.js", "search.js", "smalltalk.js", "above.css"}
        self.assertEqual(later & set(self.files), set())
        page.locator("#text").press_sequentially(":fox:")
        expect(page.locator("#text")).to_have_value("🦊")
        self.assertIn("emoji.js", self.files)
        page.get_by_role("button", name="Join a room").click()
        expect(page.get_by_label("Name", exact=True)).to_be_focused()
        self.assertIn("rooms.js", self.files)
        self.assertNotIn("korean.js", self.files)

    def test_a_text_that_is_typed_before_its_module_comes_is_not_lost(self):
        page = self.page()
        held = []
        page.route("**/emoji.js", lambda route: held.append(route))
        text = page.locator("#text")
        text.press_sequentially("well :tada:")
        while not held:
            page.wait_for_timeout(10)
        expect(text).to_have_value("well :tada:")
        held.pop().continue_()
        expect(text).to_have_value("well 🎉")
        page.keyboard.press("Enter")
        self.bob.hears("well 🎉")

    def test_a_module_that_does_not_come_shows_that_the_node_is_not_reached_and_is_asked_for_again(self):
        page = self.page()
        page.route("**/search.js", lambda route: route.abort())
        page.locator("#text").fill("a draft")
        page.get_by_role("button", name="Search", exact=True).click()
        state = page.locator("#state")
        expect(state).to_have_text("the node is not reached")
        expect(state).to_be_visible()
        expect(page.locator("#text")).to_have_value("a draft")
        page.unroute("**/search.js")
        page.get_by_role("button", name="Search", exact=True).click()
        expect(page.get_by_label("Text")).to_be_focused()
        expect(state).to_have_text("connected")

    def test_the_node_goes_before_a_module_came(self):
        page = self.page()
        self.alice.node.kill()
        page.get_by_role("button", name="Wipe").click()
        expect(page.locator("#state")).to_have_class("lost")
        expect(page.locator("#state")).to_have_text(re.compile("not reached|reconnecting"))


if __name__ == "__main__":
    unittest.main()

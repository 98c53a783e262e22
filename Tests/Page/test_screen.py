"""A user acts in the conversation on the screen, even if another face opens another one meanwhile (Docs/Web.md, section 7)."""

import json
import unittest

from page import PageTest
from playwright.sync_api import expect

HOLD = """() => {
    window.frames_held = [];
    window.real_frame = window.requestAnimationFrame;
    window.requestAnimationFrame = (frame) => frames_held.push(frame);
}"""
FREE = """() => {
    window.requestAnimationFrame = real_frame;
    for (const frame of frames_held) real_frame(frame);
}"""


class Screen(PageTest):
    def setUp(self):
        super().setUp()
        self.befriend()

    def page(self, *arguments, **options):
        """Keeps the page's WebSocket, to know what it has heard."""
        context = self.browser.new_context(locale="en-GB")
        self.addCleanup(context.close)
        self.sockets = []
        context.on("page", lambda page: page.on("websocket", lambda socket: self.sockets.append(socket)))
        return super().page(context=context)

    def open(self, page, name):
        page.locator("#conversations .row").filter(has_text=name).click()
        expect(page.locator("#title")).to_contain_text(name)

    def between_frames(self, page, line):
        """Another face opens a conversation; the page has heard of it, and has not drawn it."""
        page.evaluate(HOLD)
        with self.sockets[-1].expect_event("framereceived", lambda frame: json.loads(frame)["event"] == "opened"):
            self.alice.node.say(line)
        page.evaluate("null")

    def public(self):
        return [event["text"] for event in self.bob.events if event["event"] == "message" and event["conversation"] == "public"]

    def test_a_text_goes_to_the_conversation_on_the_screen(self):
        page = self.page()
        self.open(page, "bob#")
        page.locator("#text").fill("secret for bob only")
        self.between_frames(page, "/close")
        page.keyboard.press("Enter")
        self.bob.hears("secret for bob only")
        page.evaluate(FREE)
        expect(self.rows(page)).to_have_text(["may I?", "secret for bob only"])
        expect(page.locator("#title")).to_contain_text("bob#")
        self.assertEqual(self.public(), [])

    def test_a_line_behind_a_command_goes_where_the_command_leads(self):
        page = self.page()
        held = []
        page.route("**/commands", lambda route: held.append(route))
        text = page.locator("#text")
        text.focus()
        with page.expect_request("**/commands"):
            page.keyboard.type("/open bob\n", delay=5)
        page.keyboard.type("for bob alone\n", delay=5)
        expect(page.locator("#rule")).to_contain_text("not answered yet")
        expect(text).to_have_value("for bob alone")
        held.pop().continue_()
        expect(page.locator("#title")).to_contain_text("bob#")
        expect(text).to_have_value("for bob alone")
        page.keyboard.press("Enter")
        self.bob.hears("for bob alone")
        # Behind a refusal it stays where it was typed.
        with page.expect_request("**/commands"):
            page.keyboard.type("/open nobody77\n", delay=5)
        page.keyboard.type("who is there\n", delay=5)
        held.pop().continue_()
        expect(page.locator("#log .answer.bad")).to_have_count(1)
        expect(text).to_have_value("who is there")
        self.assertEqual(self.public(), [])

    def test_a_room_that_ends_elsewhere_takes_no_keys_along(self):
        page = self.page()
        self.alice.node.say("/join attic")
        page.locator("#conversations .row").filter(has_text="attic").click()
        expect(page.locator("#title")).to_contain_text("attic")
        page.locator("#text").fill("only for the attic")
        self.alice.node.say("/part attic")
        expect(page.locator("#title")).not_to_contain_text("attic")
        page.keyboard.type(" at six\n")
        page.locator("#text").fill("hello all")
        page.keyboard.press("Enter")
        self.bob.hears("hello all")
        self.assertEqual(self.public(), ["hello all"])

    def test_a_press_on_a_row_counts_whatever_comes_meanwhile(self):
        page = self.page()
        row = page.locator("#conversations .row").filter(has_text="bob#")
        box = row.bounding_box()
        page.mouse.move(box["x"] + 20, box["y"] + 10)
        page.mouse.down()
        self.bob.say("something new")
        expect(self.rows(page).filter(has_text="something new")).to_have_count(1)
        page.mouse.up()
        expect(page.locator("#title")).to_contain_text("bob#")
        expect(page.locator("#conversations .row").filter(has_text="something new")).to_have_count(1)

    def test_edits_deletions_and_retries_are_of_the_conversation_on_the_screen(self):
        page = self.page()
        self.open(page, "bob#")
        for text in ("first", "second"):
            page.locator("#text").fill(text)
            page.keyboard.press("Enter")
            self.bob.hears(text)
        expect(page.locator("#log .message.waiting")).to_have_count(0)
        page.keyboard.press("ArrowUp")
        page.locator("#text").fill("second, changed")
        self.between_frames(page, "/close")
        page.keyboard.press("Enter")
        self.bob.wait(lambda event: event["event"] == "edited" and event["text"] == "second, changed", "edit")
        page.locator("#log .message.own").filter(has_text="first").locator(".more").evaluate("(more) => more.click()")
        page.get_by_role("menuitem", name="Delete").evaluate("(item) => item.click()")
        self.bob.wait(lambda event: event["event"] == "deleted", "deletion")
        page.evaluate(FREE)
        self.open(page, "bob#")
        page.locator("#text").fill("e" + "\u0301" * 13)
        page.keyboard.press("Enter")
        expect(page.locator(".message.failed")).to_have_count(1)
        self.between_frames(page, "/close")
        with page.expect_request("**/messages") as asked:
            page.get_by_role("button", name="Send again").click()
        self.assertIn(self.bob.key, asked.value.url)
        page.evaluate(FREE)

    def test_commands_are_of_the_conversation_on_the_screen(self):
        page = self.page()
        self.alice.node.say("for all")
        self.bob.hears("for all")
        self.open(page, "bob#")
        self.between_frames(page, "/close")
        for line in ("/me waves to bob only", "/me nods to bob only"):
            page.locator("#text").fill(line)
            with page.expect_response("**/api/v1/commands"):
                page.keyboard.press("Enter")
        for text in ("* alice waves to bob only", "* alice nods to bob only"):
            heard = self.bob.wait(lambda event, text=text: event["event"] == "message" and event["text"] == text, text)
            self.assertEqual(heard["conversation"], "direct")
        for line, event in (("/edit changed for bob only", "edited"), ("/delete", "deleted")):
            page.locator("#text").fill(line)
            page.keyboard.press("Enter")
            changed = self.bob.wait(lambda one, event=event: one["event"] == event, event)
            self.assertEqual(changed["conversation"], "direct")
        page.evaluate(FREE)
        self.assertEqual(self.public(), ["for all"])

    def test_the_text_of_an_edit_outlives_another_conversation(self):
        page = self.page()
        page.locator("#text").fill("said")
        page.keyboard.press("Enter")
        self.bob.hears("said")
        expect(page.locator("#log .message:not(.waiting) .text")).to_have_text(["said"])
        page.keyboard.press("ArrowUp")
        page.locator("#text").fill("said better, with much care")
        self.open(page, "bob#")
        expect(page.locator("#text")).to_have_value("")
        page.locator("#text").fill("a draft for bob")
        self.open(page, "lobby")
        expect(page.locator("#text")).to_have_value("said better, with much care")
        page.locator("#text").press("Enter")
        self.bob.wait(lambda event: event["event"] == "edited" and event["text"] == "said better, with much care", "edit")
        self.open(page, "bob#")
        expect(page.locator("#text")).to_have_value("a draft for bob")

    def test_a_text_that_is_typed_before_the_first_snapshot_is_kept(self):
        context = self.browser.new_context(locale="en-GB")
        self.addCleanup(context.close)
        page = context.new_page()
        asked, held = [], []
        page.on("request", lambda request: asked.append(request.url))
        page.route("**/api/v1/session", lambda route: held.append(route))
        page.goto(self.alice.link())
        page.locator("#text").fill("typed early")
        while not held:
            page.evaluate("null")
        page.keyboard.press("Enter")
        expect(page.locator("#rule")).to_contain_text("not connected yet")
        held[0].continue_()
        expect(page.locator("#state")).to_have_text("connected")
        expect(page.locator("#title")).to_contain_text("lobby")
        expect(page.locator("#text")).to_have_value("typed early")
        page.keyboard.press("Enter")
        self.bob.hears("typed early")
        self.assertEqual([url for url in asked if "null" in url], [])


if __name__ == "__main__":
    unittest.main()

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
        page.keyboard.type("he", delay=5)
        held.pop().continue_()
        expect(page.locator("#title")).to_contain_text("bob#")
        self.bob.hears("for bob alone")
        page.keyboard.type("llo\n", delay=5)
        self.bob.hears("hello")
        # Behind a refusal the user says where the lines go.
        with page.expect_request("**/commands"):
            page.keyboard.type("/open nobody77\n", delay=5)
        page.keyboard.type("who is there\nhalf", delay=5)
        held.pop().continue_()
        question = page.locator("#several")
        expect(question).to_contain_text("not sent: the command was refused")
        expect(text).to_have_value("who is there\nhalf")
        page.keyboard.press("Enter")
        expect(text).to_have_value("who is there\nhalf")
        question.get_by_role("button", name="Discard").click()
        expect(text).to_have_value("")
        # So are those that are entered before the refusal can be read.
        page.unroute("**/commands")
        with page.expect_response("**/commands"):
            page.keyboard.type("/open nobody77\n", delay=5)
        page.keyboard.type("typed blindly\n")
        expect(question).to_contain_text("not sent: the command was refused")
        question.get_by_role("button", name="Use it here").click()
        expect(text).to_have_value("typed blindly")
        self.assertEqual(self.public(), [])
        page.keyboard.press("Enter")
        self.bob.hears("typed blindly")

    def attic(self):
        """A page with a room of its own, in which another face may be asked to leave it."""
        page = self.page()
        self.alice.node.say("/join attic --open")
        self.open(page, "attic")
        return page

    def part(self, page):
        self.alice.node.say("/part attic")
        expect(page.locator("#title")).to_contain_text("lobby")

    def test_a_line_whose_room_ends_elsewhere_waits_for_the_users_choice(self):
        page = self.attic()
        text, question = page.locator("#text"), page.locator("#several")
        text.fill("only for the attic")
        self.part(page)
        # The keys that follow are neither lost nor said, whatever the user presses out of habit.
        page.keyboard.type(" at six\n")
        page.get_by_role("button", name="Send", exact=True).click()
        expect(text).to_have_value("only for the attic at six")
        expect(page.locator("#rule")).to_have_text("not sent: attic is no longer open")
        expect(question).to_contain_text("not sent: attic is no longer open")
        # It stays with its conversation.
        self.open(page, "bob#")
        expect(text).to_have_value("")
        expect(question).to_be_hidden()
        self.open(page, "lobby")
        expect(text).to_have_value("only for the attic at six")
        self.assertEqual(self.public(), [])
        question.get_by_role("button", name="Use it here").click()
        expect(text).to_be_focused()
        expect(question).to_be_hidden()
        page.keyboard.press("Enter")
        self.bob.hears("only for the attic at six")
        self.assertEqual(self.public(), ["only for the attic at six"])

    def test_a_held_line_takes_neither_the_draft_nor_the_edit_of_another_room(self):
        page = self.page()
        text, question = page.locator("#text"), page.locator("#several")
        self.open(page, "lobby")
        text.fill("said")
        page.keyboard.press("Enter")
        self.bob.hears("said")
        expect(page.locator("#log .waiting")).to_have_count(0)
        text.fill("a draft")
        self.alice.node.say("/join attic --open")
        self.open(page, "attic")
        text.fill("for the attic")
        self.part(page)
        expect(text).to_have_value("for the attic")
        question.get_by_role("button", name="Discard").click()
        expect(text).to_have_value("a draft")
        expect(question).to_be_hidden()
        text.fill("")
        page.keyboard.press("ArrowUp")
        text.fill("said bet")
        self.alice.node.say("/join attic --open")
        self.open(page, "attic")
        text.fill("again")
        self.part(page)
        page.keyboard.type("!\n")
        expect(text).to_have_value("again!")
        # The edit that was begun there comes behind it.
        question.get_by_role("button", name="Use it here").click()
        expect(text).to_have_value("said bet")
        expect(page.locator("#rule")).to_have_text("editing; Escape cancels")
        page.keyboard.press("Escape")
        expect(text).to_have_value("again!")
        self.assertEqual(self.public(), ["said"])
        self.assertFalse([event for event in self.bob.events if event["event"] == "edited"])

    def test_an_empty_field_takes_no_keys_along(self):
        page = self.attic()
        text = page.locator("#text")
        text.focus()
        self.part(page)
        expect(page.locator("#rule")).to_have_text("attic is no longer open")
        page.keyboard.type("for the attic\n")
        expect(text).to_have_value("")
        text.fill("hello all")
        page.keyboard.press("Enter")
        self.bob.hears("hello all")
        self.assertEqual(self.public(), ["hello all"])

    def test_the_texts_of_a_room_that_ends_in_the_background_are_kept(self):
        page = self.attic()
        page.route("**/messages", lambda route: route.abort())
        text = page.locator("#text")
        for line in ("/shrug", "waits"):
            text.fill("/" + line if line.startswith("/") else line)
            page.keyboard.press("Enter")
        expect(page.locator("#log .waiting .text")).to_have_text(["/shrug", "waits"])
        text.fill("half a li")
        self.open(page, "lobby")
        text.fill("in the lobby")
        self.alice.node.say("/part attic")
        kept = page.locator("#log .message.failed")
        expect(kept).to_have_count(3)
        expect(kept.locator(".text")).to_have_text(["/shrug", "waits", "half a li"])
        expect(kept.first.locator(".meta")).to_have_text("not sent: attic is no longer open")
        # The field that is typed in is not touched, and nothing is said by itself.
        expect(text).to_have_value("in the lobby")
        page.unroute("**/messages")
        page.evaluate("dispatchEvent(new Event('online'))")
        kept.nth(1).get_by_role("button", name="Discard").click()
        page.keyboard.press("Control+A")
        text.fill("")
        kept.first.get_by_role("button", name="Use it here").click()
        expect(text).to_have_value("//shrug")
        page.keyboard.press("Enter")
        self.bob.hears("/shrug")
        expect(kept.locator(".text")).to_have_text(["half a li"])
        self.assertEqual(self.public(), ["/shrug"])

    def test_a_text_that_is_under_way_when_its_room_ends_is_kept_if_it_was_not_said(self):
        page = self.attic()
        held = []
        page.route("**/messages", lambda route: held.append(route))
        page.locator("#text").fill("under way")
        with page.expect_request("**/messages"):
            page.keyboard.press("Enter")
        self.part(page)
        expect(page.locator("#log .waiting .text")).to_have_text("under way")
        held.pop().abort()
        kept = page.locator("#log .message.failed")
        expect(kept.locator(".text")).to_have_text("under way")
        expect(kept.locator(".meta")).to_have_text("not sent: attic is no longer open")
        page.unroute("**/messages")
        page.evaluate("dispatchEvent(new Event('online'))")
        page.locator("#text").fill("end")
        page.keyboard.press("Enter")
        self.bob.hears("end")
        self.assertEqual(self.public(), ["end"])

    def test_a_line_whose_direct_conversation_ends_is_kept(self):
        carol = self.person("carol", self.alice)
        page = self.page()
        page.locator("#text").fill(f"/open {carol.number}")
        page.keyboard.press("Enter")
        expect(page.locator("#title")).to_contain_text("carol#")
        page.locator("#text").fill("for carol alone")
        # A direct conversation in which nothing was said ends when no page shows it.
        self.open(page, "lobby")
        kept = page.locator("#log .message.failed")
        expect(kept.locator(".text")).to_have_text("for carol alone")
        expect(kept.locator(".meta")).to_contain_text(f"#{carol.number} is no longer open")
        expect(page.locator("#text")).to_have_value("")
        self.assertEqual(self.public(), [])

    def test_nothing_that_was_typed_before_a_wipe_reaches_the_next_identity(self):
        for wipe in ("here", "elsewhere", "with a pause"):
            with self.subTest(wipe):
                page = self.attic()
                before = page.locator("#me").text_content()
                text = page.locator("#text")
                page.locator("#conversations .row").filter(has_text="lobby").click()
                text.fill("SECRET-DRAFT")
                self.open(page, "attic")
                page.route("**/messages", lambda route: route.abort())
                text.fill("SECRET-UNSENT")
                page.keyboard.press("Enter")
                expect(page.locator("#log .waiting")).to_have_count(1)
                if wipe == "here":
                    text.fill("/wipe now")
                    page.keyboard.press("Enter")
                    page.keyboard.type("SECRET-TYPED")
                else:
                    text.fill("SECRET-TYPED")
                    self.alice.node.say("/wipe now" if wipe == "elsewhere" else "/wipe yes")
                    if wipe == "with a pause":
                        self.alice.node.wait(lambda event: event["event"] == "result" and event["command"] == "wipe", "wipe",
                                             from_start=False)
                        self.alice.node.say("/wipe now")
                expect(page.locator("#conversations .row")).to_have_count(1)
                expect(page.locator("#me")).not_to_have_text(before)
                expect(text).to_have_value("")
                page.unroute("**/messages")
                page.evaluate("dispatchEvent(new Event('online'))")
                text.fill("end")
                page.keyboard.press("Enter")
                expect(page.locator("#log .message:not(.waiting) .text")).to_have_text(["end"])
                self.assertNotIn("SECRET", page.content())
                page.context.close()

    def test_in_the_pause_of_a_wipe_the_page_has_nothing_and_keeps_what_is_typed(self):
        page = self.attic()
        before = page.locator("#me").text_content()
        text = page.locator("#text")
        text.fill("SECRET-SAID")
        page.keyboard.press("Enter")
        expect(page.locator("#log .message:not(.waiting) .text")).to_have_text(["SECRET-SAID"])
        text.fill("SECRET-DRAFT")
        page.locator("#join").click()
        page.locator("#dialog input").first.fill("secret-den")
        self.alice.node.say("/wipe yes")
        expect(page.locator("#state")).to_contain_text("everything is wiped; a new identity comes within")
        expect(page.locator("#conversations .row")).to_have_count(0)
        expect(page.locator("#log .message")).to_have_count(0)
        expect(page.locator("#dialog")).to_be_hidden()
        expect(page.locator("#title")).to_have_text("")
        expect(text).to_have_value("")
        self.assertNotIn("SECRET", page.content())
        text.fill("for whoever comes")
        page.keyboard.press("Enter")
        expect(page.locator("#rule")).to_have_text("not connected yet: the text stays here")
        self.alice.node.say("/wipe now")
        expect(page.locator("#me")).not_to_have_text(before)
        expect(page.locator("#conversations .row")).to_have_count(1)
        expect(text).to_have_value("for whoever comes")
        expect(page.locator("#log .message")).to_have_count(0)

    def test_a_key_behind_a_button_that_is_gone_is_typed(self):
        carol = self.person("carol", self.alice)
        page = self.page()
        carol.say(f"/msg {self.alice.node.number} may I?")
        page.get_by_role("button", name="decline carol").click()
        expect(page.locator("#requests")).not_to_contain_text("carol")
        page.keyboard.type("typed")
        expect(page.locator("#text")).to_have_value("typed")
        for name in ("Send again", "Discard"):
            page.locator("#text").fill("a text that the node refuses")
            page.route("**/messages", lambda route: route.fulfill(status=422, json={"code": "too_long", "message": "no"}))
            page.keyboard.press("Enter")
            expect(page.locator("#log .failed")).to_have_count(1)
            page.unroute("**/messages")
            page.get_by_role("button", name=name).click()
            page.keyboard.type("typed")
            expect(page.locator("#text")).to_have_value("typed")
            expect(page.locator("#log .failed")).to_have_count(0)

    def test_a_line_typed_behind_accept_is_for_the_conversation_that_opens(self):
        carol = self.person("carol", self.alice)
        page = self.page()
        carol.say(f"/msg {self.alice.node.number} may I?")
        # The answer of the node comes later than the line.
        held = []
        page.route("**/requests/*", lambda route: held.append(route))
        page.get_by_role("button", name="accept carol").click()
        page.keyboard.type("for carol alone")
        page.keyboard.press("Enter")
        expect(page.locator("#text")).to_have_value("")
        held[0].continue_()
        carol.hears("for carol alone")
        expect(page.locator("#title")).to_contain_text("carol#")
        self.assertEqual(self.public(), [])
        carol.say(f"/leave {self.alice.node.number}")
        expect(page.locator("#log .answer")).to_contain_text("This conversation was left: what you say next asks carol#")

    def test_a_wipe_closes_each_dialogue_and_forgets_what_it_had(self):
        for asked in ("join", "make", "rename"):
            with self.subTest(asked):
                page = self.page()
                before = page.locator("#me").text_content()
                page.locator(f"#{asked}").click()
                field = page.locator("#dialog input").first
                field.fill("secret-den")
                if asked == "make":
                    page.keyboard.press("Enter")
                    expect(page.locator("#dialog input")).to_have_count(0)
                    expect(page.locator("#dialog").get_by_role("button", name="Copy")).to_be_visible()
                self.alice.node.say("/wipe now")
                expect(page.locator("#me")).not_to_have_text(before)
                expect(page.locator("#dialog")).to_be_hidden()
                self.assertEqual(page.evaluate("document.querySelector('#dialog-body').childNodes.length"), 0)
                page.context.close()

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

"""Lines that begin with `/` in the page: commands of this page, and never messages (Docs/Web.md, section 7)."""

import unittest

from page import PageTest
from playwright.sync_api import expect


class Commands(PageTest):
    def type(self, page, line):
        page.locator("#text").fill(line)
        page.keyboard.press("Enter")

    def answers(self, page):
        return page.locator("#log .answer")

    def test_a_command_is_performed_and_answered_to_its_page_alone(self):
        page, other = self.page(), self.page()
        self.type(page, "/who")
        expect(self.answers(page)).to_contain_text("> /who")
        expect(self.answers(page)).to_contain_text(f"bob#{self.bob.number}")
        self.type(page, "/nosuch")
        expect(self.answers(page).last).to_contain_text("> /nosuch")
        expect(page.locator("#log .answer.bad")).to_have_count(1)
        self.type(page, "/help join")
        expect(self.answers(page).last).to_contain_text("/join ROOM [KEY]")
        self.type(page, "/nick petra")
        expect(page.locator("#me")).to_contain_text("petra#")
        # A later message is behind the answers, and no peer has heard of the commands.
        self.type(page, "end")
        self.bob.hears("end")
        self.assertEqual([event["text"] for event in self.bob.events if event["event"] == "message"], ["end"])
        expect(self.answers(other)).to_have_count(0)
        expect(self.answers(page)).to_have_count(4)
        self.assertEqual(page.locator("#log .message:last-child .text").inner_text(), "end")

    def test_the_row_of_a_command_is_the_line_as_it_was_typed(self):
        page = self.page()
        self.type(page, "/search  end of it")
        expect(self.answers(page).last).to_contain_text("> /search  end of it")
        # The row of the message says it.
        self.type(page, "/me waves")
        expect(page.locator("#log .message.action")).to_contain_text("waves")
        self.type(page, "/whois nobody here")
        expect(self.answers(page).last).to_contain_text("> /whois nobody here")
        expect(self.answers(page)).to_have_count(2)
        for line, shown in (("/join lab SECRET", "> /join lab …"), ("/jion lab SECRET", "> /jion …")):
            self.type(page, line)
            expect(self.answers(page).filter(has_text=shown)).to_have_count(1)
        self.assertNotIn("SECRET", page.content())

    def test_an_action_is_edited_as_one(self):
        page = self.page()
        self.type(page, "/me waves")
        row = page.locator("#log .message.action")
        expect(row).to_contain_text("waves")
        page.locator("#text").press("ArrowUp")
        expect(page.locator("#text")).to_have_value("/me waves")
        self.type(page, "/me smiles")
        expect(row).to_contain_text("smiles")
        self.bob.wait(lambda event: event["event"] == "edited" and event.get("action") == "smiles", "the action")
        page.locator("#text").press("ArrowUp")
        self.type(page, "nods")
        expect(row).to_contain_text("nods")

    def test_a_mark_by_another_face_is_seen(self):
        page, other = self.page(), self.page()
        self.alice.node.say(f"/mute {self.bob.number}")
        for each in (page, other):
            expect(each.locator("#people")).to_contain_text("muted")
        self.type(page, f"/unmute {self.bob.number}")
        expect(other.locator("#people")).not_to_contain_text("muted")

    def test_a_key_that_is_typed_is_neither_said_nor_shown(self):
        page = self.page()
        self.type(page, '/join "" SECRET-KEY')
        expect(page.locator("#log .answer.bad")).to_contain_text("> /join")
        self.type(page, "/join attic --open")
        expect(page.locator("#title")).to_contain_text("attic")
        for number, blank in enumerate(("  ", "\ufeff", "\u200b ", "\u2800"), 1):
            self.type(page, blank + "/who")
            expect(self.answers(page).filter(has_text="> /who")).to_have_count(number)
        self.assertNotIn("SECRET-KEY", page.content())
        self.bob.say("end")
        self.alice.node.hears("end")
        self.assertEqual([event for event in self.bob.events if event["event"] == "message" and not event["isFromCurrentUser"]], [])

    def test_a_command_that_opens_a_conversation_moves_its_page_alone(self):
        self.befriend()
        page, other = self.page(), self.page()
        self.type(page, f"/open {self.bob.number}")
        expect(page.locator("#title")).to_contain_text("bob#")
        self.type(page, "for bob alone")
        self.assertEqual(self.bob.hears("for bob alone")["conversation"], "direct")
        self.terminal_is_in_the_lobby("first")
        self.type(page, "/join attic")
        expect(page.locator("#title")).to_contain_text("attic")
        expect(other.locator("#conversations .row")).to_have_count(3)
        expect(other.locator("#title")).to_contain_text("lobby")
        self.terminal_is_in_the_lobby("second")
        self.type(page, "/open lobby")
        expect(page.locator("#title")).to_contain_text("lobby")
        # In a dialogue, too.
        other.get_by_role("button", name="Join a room").click()
        other.get_by_label("Name").fill("cellar")
        other.get_by_role("button", name="OK").click()
        expect(other.locator("#title")).to_contain_text("cellar")
        expect(page.locator("#title")).to_contain_text("lobby")
        self.terminal_is_in_the_lobby("third")

    def terminal_is_in_the_lobby(self, text):
        self.alice.node.say(text)
        heard = self.bob.hears(text)
        self.assertEqual((heard["conversation"], heard["room"]), ("public", "lobby"))

    def test_two_slashes_say_one_and_an_edit_is_no_command(self):
        page = self.page()
        self.type(page, "//shrug")
        self.bob.hears("/shrug")
        expect(page.locator("#log .message:not(.waiting) .text")).to_have_text(["/shrug"])
        page.keyboard.press("ArrowUp")
        expect(page.locator("#text")).to_have_value("//shrug")
        self.type(page, "/wipe now")
        expect(page.locator("#rule")).to_contain_text("a command changes no message")
        expect(page.locator("#text")).to_have_value("/wipe now")
        self.type(page, "//shrugs")
        self.bob.wait(lambda event: event["event"] == "edited" and event["text"] == "/shrugs", "edit")

    def test_a_wipe_erases_the_answers_too(self):
        page = self.page()
        self.bob.say("SECRET-ONE")
        expect(self.rows(page)).to_have_text(["SECRET-ONE"])
        self.type(page, "/history")
        expect(self.answers(page)).to_contain_text("SECRET-ONE")
        before = page.locator("#me").text_content()
        self.type(page, "/wipe now")
        expect(page.locator("#me")).not_to_have_text(before)
        expect(page.locator("#state")).to_have_text("connected")
        expect(self.rows(page)).to_have_count(0)
        self.assertNotIn("SECRET-ONE", page.content())


if __name__ == "__main__":
    unittest.main()

"""Dialogues, search, and the entrance by hand (Docs/Web.md, section 7)."""

import unittest

from page import PageTest
from playwright.sync_api import expect


class Dialogues(PageTest):
    def dialogue(self, page):
        return page.locator("#dialog")

    def choose(self, page, name):
        self.dialogue(page).get_by_role("button", name=name, exact=True).click()

    def test_a_refusal_is_inside_and_the_words_stay(self):
        page = self.page()
        page.get_by_role("button", name="Join a room").click()
        page.get_by_label("Name").fill("attic")
        page.get_by_label("Key").fill("short")
        page.keyboard.press("Enter")
        alert = self.dialogue(page).get_by_role("alert")
        expect(alert).to_contain_text("the key has 5 characters")
        expect(page.get_by_label("Name")).to_have_value("attic")
        expect(page.get_by_label("Key")).to_have_value("short")
        page.get_by_label("Key").fill("long enough to be one")
        page.keyboard.press("Enter")
        expect(self.dialogue(page)).to_be_hidden()
        expect(page.locator("#title")).to_contain_text("attic")
        page.get_by_role("button", name="Change name").click()
        page.get_by_role("textbox", name="Name").fill("x" * 30)
        self.choose(page, "OK")
        expect(alert).not_to_be_empty()
        expect(page.get_by_role("textbox", name="Name")).to_have_value("x" * 30)
        page.get_by_role("textbox", name="Name").fill("otter")
        self.choose(page, "OK")
        expect(page.locator("#me")).to_contain_text("otter#")

    def test_the_key_that_is_shown_once_is_copied(self):
        context = self.browser.new_context(locale="en-GB", permissions=["clipboard-read", "clipboard-write"])
        self.addCleanup(context.close)
        page = self.page(context=context)
        page.get_by_role("button", name="Make a private room").click()
        page.get_by_label("Name").fill("cellar")
        page.keyboard.press("Enter")
        key = self.dialogue(page).locator(".key")
        expect(key).not_to_be_empty()
        # One press of Escape does not lose it.
        page.keyboard.press("Escape")
        expect(key).to_be_visible()
        self.choose(page, "Copy")
        expect(self.dialogue(page).get_by_role("button", name="Copied")).to_be_visible()
        self.assertEqual(page.evaluate("navigator.clipboard.readText()"), key.inner_text())
        self.choose(page, "Close")
        expect(page.locator("#title")).to_contain_text("cellar")
        expect(page.locator("#text")).to_be_focused()

    def test_acts_that_can_not_be_taken_back_are_marked(self):
        self.alice.node.result("join attic")
        page = self.page()
        harm = "(button) => button.classList.contains('harm') && getComputedStyle(button).color !== getComputedStyle(document.body).color"
        wipe = page.get_by_role("button", name="Wipe")
        self.assertTrue(wipe.evaluate(harm))
        wipe.click()
        for name in ("Wipe", "Wipe, come back at once"):
            self.assertTrue(self.dialogue(page).get_by_role("button", name=name, exact=True).evaluate(harm))
        self.choose(page, "Cancel")
        page.locator("[data-id='r1']").click()
        page.locator(f"[data-key='{self.bob.key}']").click()
        self.assertTrue(self.dialogue(page).get_by_role("button", name="Block", exact=True).evaluate(harm))
        self.assertFalse(self.dialogue(page).get_by_role("button", name="Mute", exact=True).evaluate(harm))
        self.choose(page, "Close")
        page.get_by_role("button", name="Room", exact=True).click()
        self.choose(page, "Leave the room")
        expect(self.dialogue(page).get_by_role("button", name="Cancel")).to_be_focused()

    def test_an_invitation_is_confirmed(self):
        self.befriend()
        self.alice.node.result("join attic")
        page = self.page()
        page.locator("[data-id='r1']").click()
        page.locator(f"[data-key='{self.bob.key}']").click()
        self.choose(page, "Invite to a room")
        self.choose(page, "attic")
        expect(page.locator("#dialog-title")).to_have_text("Invited")
        expect(self.dialogue(page)).to_contain_text("bob#")
        self.bob.wait(lambda event: event["event"] == "invitation", "invitation")
        self.choose(page, "Close")
        carol = self.person("carol", self.alice)
        page.locator("[data-id='r1']").click()
        page.locator(f"[data-key='{carol.key}']").click()
        self.choose(page, "Invite to a room")
        self.choose(page, "attic")
        # The peer has accepted nothing: the refusal is inside, and the choice stays.
        expect(self.dialogue(page).get_by_role("alert")).not_to_be_empty()
        expect(self.dialogue(page).get_by_role("button", name="attic")).to_be_visible()

    def test_a_search_goes_to_the_message_that_was_found(self):
        for number in range(90):
            self.bob.say("a needle <b>" if number == 3 else f"hay {number}")
        self.alice.node.hears("hay 89")
        page = self.page()
        expect(self.rows(page).last).to_have_text("hay 89")
        page.locator("#text").fill("a draft")
        page.get_by_role("button", name="Search", exact=True).click()
        page.get_by_label("Text").fill("NEEDLE")
        page.keyboard.press("Enter")
        expect(self.dialogue(page).get_by_role("status")).to_have_text("1 message")
        found = self.dialogue(page).locator(".results .row")
        expect(found).to_contain_text("a needle <b>")
        expect(found).to_contain_text("bob#")
        found.click()
        expect(self.dialogue(page)).to_be_hidden()
        row = page.locator("#log .message.found")
        expect(row).to_contain_text("a needle")
        expect(row).to_be_focused()
        expect(row).to_be_in_viewport()
        expect(page.locator("#text")).to_have_value("a draft")
        # It stays in view while others are said.
        place = row.bounding_box()["y"]
        self.bob.say("later")
        expect(page.locator("#newer")).to_have_text("1 new")
        self.assertAlmostEqual(row.bounding_box()["y"], place, delta=2)
        page.get_by_role("button", name="Search", exact=True).click()
        page.get_by_label("Text").fill("no such words")
        self.choose(page, "Search")
        expect(self.dialogue(page).get_by_role("status")).to_have_text("0 messages")
        page.get_by_label("Text").fill("hay 1")
        self.choose(page, "Search")
        expect(self.dialogue(page).locator(".results .row")).to_have_count(11)

    def test_the_bare_address_takes_a_link_or_the_token(self):
        address = f"http://127.0.0.1:{self.alice.port}/"
        used = self.alice.link()
        self.page()
        other = self.served("eve")
        for given, is_good in ((used, False), ("0" * 32, False), ("nonsense", False), (self.alice.link, True), (self.alice.token, True), (other.link, True)):
            with self.subTest(given=given):
                context = self.browser.new_context(locale="en-GB")
                page = context.new_page()
                page.goto(address)
                field = page.get_by_label("The link, or the token")
                expect(field).to_be_focused()
                field.fill(given() if callable(given) else given)
                page.keyboard.press("Enter")
                if is_good:
                    expect(page.locator("#state")).to_have_text("connected")
                    expect(page.locator("#entrance")).to_be_hidden()
                    expect(page.locator("#text")).to_be_focused()
                    self.assertEqual(page.evaluate("location.hash"), "")
                    page.reload()
                    expect(page.locator("#state")).to_have_text("connected")
                else:
                    expect(page.locator("#entrance-rule")).to_contain_text("neither the token nor a link")
                self.assertFalse(page.evaluate("document.getElementById('pass')?.value"))
                context.close()


if __name__ == "__main__":
    unittest.main()

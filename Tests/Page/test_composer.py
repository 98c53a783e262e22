"""The composer: focus, several lines, completion, emojis, drafts (Docs/Web.md, section 7)."""

import unittest

from page import PageTest
from playwright.sync_api import expect

PASTE = """(text) => {
    const field = document.getElementById("text");
    field.focus();
    document.execCommand("insertText", false, text);
}"""


class Composer(PageTest):
    def offers(self, page):
        return page.locator("#offers [role=option]")

    def said(self):
        return [event["text"] for event in self.bob.events if event["event"] == "message"]

    def test_it_has_the_focus_where_a_person_types_next(self):
        self.befriend()
        page = self.page()
        text = page.locator("#text")
        expect(text).to_be_focused()
        page.locator(f"[data-id='r1-{self.bob.key}']").click()
        expect(page.locator("#title")).to_contain_text("bob#")
        expect(text).to_be_focused()
        page.get_by_role("button", name="Join a room").click()
        page.get_by_label("Name").fill("attic")
        page.keyboard.press("Enter")
        expect(page.locator("#title")).to_contain_text("attic")
        expect(text).to_be_focused()
        # No keyboard covers a screen that is touched.
        touched = self.page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
        expect(touched.locator("#state")).to_have_text("connected")
        self.assertNotEqual(touched.evaluate("document.activeElement.id"), "text")

    def test_several_lines_are_asked_about(self):
        page = self.page()
        text, several, rule = page.locator("#text"), page.locator("#several"), page.locator("#rule")
        height = text.bounding_box()["height"]
        page.evaluate(PASTE, "one\r\n\n  two \nthree\n")
        expect(several).to_contain_text("3 lines")
        self.assertGreater(text.bounding_box()["height"], 2 * height)
        # Enter says nothing, and goes to the question.
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Send 3 messages")).to_be_focused()
        page.keyboard.press("Enter")
        self.bob.hears("three")
        self.assertEqual(self.said(), ["one", "two", "three"])
        expect(text).to_have_value("")
        expect(text).to_be_focused()
        expect(several).to_be_hidden()
        page.evaluate(PASTE, "four\nfive")
        page.get_by_role("button", name="Join into one").click()
        expect(text).to_have_value("four five")
        expect(text).to_be_focused()
        page.keyboard.press("Enter")
        self.bob.hears("four five")
        # A line end behind one line is no second one.
        page.evaluate(PASTE, "six\n")
        expect(several).to_be_hidden()
        page.keyboard.press("Enter")
        self.bob.hears("six")
        # Joined lines are a text, and no command either.
        for paste, joined, said in (("/join lab\nSECRET", "//join lab SECRET", "/join lab SECRET"), ("\u200b/who\nall", "//who all", "/who all"),
                                    ("//a\nb", "//a b", "/a b"), ("a\n/b", "a /b", "a /b")):
            page.evaluate(PASTE, paste)
            page.get_by_role("button", name="Join into one").click()
            expect(text).to_have_value(joined)
            page.keyboard.press("Enter")
            self.bob.hears(said)
        expect(page.locator("#log .answer")).to_have_count(0)
        # None is sent where one can not be, and no command is published.
        page.evaluate(PASTE, "seven\n/join lab SECRET-KEY")
        page.get_by_role("button", name="Send 2 messages").click()
        expect(rule).to_have_text("line 2: it begins with /; // says a slash")
        text.fill("eight\n" + "x" * 241)
        page.get_by_role("button", name="Send 2 messages").click()
        expect(rule).to_have_text("line 2: the message is 241 characters; 240 is the most")
        text.fill("\n".join("x" * 51))
        page.get_by_role("button", name="Send 51 messages").click()
        expect(rule).to_have_text("50 messages at once are the most")
        # The field is six lines high at most.
        self.assertLess(text.bounding_box()["height"], 7 * height)
        text.fill("done")
        page.keyboard.press("Enter")
        self.bob.hears("done")
        self.assertEqual(self.said(), ["one", "two", "three", "four five", "six", "/join lab SECRET", "/who all", "/a b", "a /b", "done"])

    def test_names_are_completed_and_the_own_name_for_a_peer_stays_here(self):
        self.alice.quit()
        self.alice = self.served("alice", "--identity", f"{self.folder}/me")
        self.bob = self.person("bob", self.alice)
        self.person("bonnie", self.alice)
        self.person("carol", self.alice)
        other = self.person("Carol", self.alice)
        self.alice.node.result(f"contact {self.bob.number} Uncle")
        page = self.page()
        text = page.locator("#text")
        expect(page.locator("#people .row")).to_have_count(4)
        # At the start, Tab puts a colon; `@` stays.
        text.press_sequentially("bon")
        page.keyboard.press("Tab")
        expect(text).to_have_value("bonnie: ")
        text.press_sequentially("and bon")
        page.keyboard.press("Tab")
        expect(text).to_have_value("bonnie: and bonnie ")
        text.fill("")
        text.press_sequentially("@bo")
        expect(self.offers(page)).to_have_count(2)
        expect(text).to_have_attribute("aria-activedescendant", "offer-0")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        self.assertRegex(text.input_value(), "^@(bob|bonnie) $")
        expect(self.offers(page)).to_have_count(0)
        # The name of the contact finds it, and is not said.
        text.fill("")
        text.press_sequentially("@unc")
        page.keyboard.press("Tab")
        expect(text).to_have_value("@bob ")
        # Two of one nickname have their numbers.
        text.fill("")
        text.press_sequentially("@car")
        expect(self.offers(page)).to_have_count(2)
        self.offers(page).filter(has_text=str(other.number)).click()
        expect(text).to_have_value(f"#{other.number} ")
        expect(text).to_be_focused()
        # Escape closes the offers; Tab leaves the field then, and where nothing is to be completed.
        text.fill("")
        text.press_sequentially("car")
        page.keyboard.press("Tab")
        expect(self.offers(page)).to_have_count(2)
        page.keyboard.press("Escape")
        expect(self.offers(page)).to_have_count(0)
        page.keyboard.press("Tab")
        expect(text).not_to_be_focused()
        text.fill("")
        text.press_sequentially("nothing like it")
        page.keyboard.press("Tab")
        expect(text).not_to_be_focused()

    def test_emojis_by_their_names_and_by_the_panel(self):
        page = self.page()
        text = page.locator("#text")
        text.press_sequentially("well :tad")
        expect(self.offers(page).first).to_have_text("🎉 tada")
        page.keyboard.press("Enter")
        expect(text).to_have_value("well 🎉")
        text.fill("")
        text.press_sequentially("yes :thumbsup:")
        expect(text).to_have_value("yes 👍")
        # A time, an address and a smile are no names.
        text.fill("")
        text.press_sequentially("10:30 http://example.org/:tada :) a:smile")
        expect(self.offers(page)).to_have_count(0)
        text.fill("ab")
        page.keyboard.press("ArrowLeft")
        button = page.get_by_role("button", name="Emojis")
        button.click()
        expect(button).to_have_attribute("aria-expanded", "true")
        panel = page.locator("#picker")
        expect(panel.get_by_role("searchbox")).to_be_focused()
        box = panel.bounding_box()
        self.assertGreaterEqual(min(box["x"], box["y"]), 0)
        page.keyboard.type("fox")
        page.keyboard.press("ArrowDown")
        expect(panel.get_by_role("button", name="fox")).to_be_focused()
        page.keyboard.press("Enter")
        expect(text).to_have_value("a🦊b")
        expect(text).to_be_focused()
        expect(panel).to_be_hidden()
        button.click()
        page.keyboard.press("Escape")
        expect(panel).to_be_hidden()
        expect(text).to_be_focused()
        names = page.evaluate("""async () => {
            const { emojis } = await import("/emoji.js");
            const one = new Intl.Segmenter(undefined, { granularity: "grapheme" });
            const each = [...emojis()];
            return { count: each.length, odd: each.filter(([name, text]) => [...one.segment(text)].length !== 1 || !/\\p{Emoji}/u.test(text)) };
        }""")
        self.assertEqual(names["odd"], [])
        self.assertTrue(200 < names["count"] < 400)

    def test_commands_are_offered_behind_a_slash(self):
        page = self.page()
        text = page.locator("#text")
        text.press_sequentially("/who")
        expect(self.offers(page).first).to_contain_text("/who [all]")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Tab")
        self.assertRegex(text.input_value(), "^/who(is|ami) $")
        text.fill("")
        text.press_sequentially("/whoami")
        expect(self.offers(page)).to_have_count(1)
        # A whole command is performed at once.
        page.keyboard.press("Enter")
        expect(page.locator("#log .answer")).to_contain_text("alice#")

    def test_each_conversation_keeps_its_draft_and_its_edit(self):
        self.befriend()
        page = self.page()
        text = page.locator("#text")
        text.fill("said")
        page.keyboard.press("Enter")
        self.bob.hears("said")
        expect(page.locator("#log .waiting")).to_have_count(0)
        page.keyboard.press("ArrowUp")
        text.fill("said bet")
        page.locator(f"[data-id='r1-{self.bob.key}']").click()
        expect(page.locator("#title")).to_contain_text("bob#")
        expect(text).to_have_value("")
        text.fill("for bob\nalone")
        page.locator("[data-id='r1']").click()
        expect(text).to_have_value("said bet")
        expect(page.locator("#rule")).to_have_text("editing; Escape cancels")
        page.locator(f"[data-id='r1-{self.bob.key}']").click()
        expect(text).to_have_value("for bob\nalone")
        expect(page.get_by_role("button", name="Send 2 messages")).to_be_visible()

    def test_an_edit_of_a_message_that_goes_changes_nothing(self):
        self.befriend()
        page = self.page()
        page.locator("[data-id='r1']").click()
        expect(page.locator("#title")).to_contain_text("lobby")
        text, rule = page.locator("#text"), page.locator("#rule")

        def say(words):
            text.fill(words)
            page.keyboard.press("Enter")
            self.bob.hears(words)
            expect(page.locator("#log .waiting")).to_have_count(0)
            page.keyboard.press("ArrowUp")
            expect(text).to_have_value(words)

        say("first")
        text.fill("first, changed")
        self.alice.node.result("open lobby")
        self.alice.node.say("/delete")
        expect(rule).to_have_text("the message is gone; Escape ends the edit")
        expect(page.get_by_role("button", name="Delete")).to_have_count(0)
        # The typed text is neither lost nor said.
        page.keyboard.press("Enter")
        page.keyboard.type("!")
        page.keyboard.press("Enter")
        expect(text).to_have_value("first, changed!")
        expect(rule).to_have_text("the message is gone; Escape ends the edit")
        expect(page.locator("#dialog")).to_be_hidden()
        page.keyboard.press("Escape")
        expect(text).to_have_value("")
        # The next one to edit is none that was deleted.
        page.keyboard.press("ArrowUp")
        expect(text).to_have_value("")
        say("second")
        page.locator(f"[data-id='r1-{self.bob.key}']").click()
        expect(page.locator("#title")).to_contain_text("bob#")
        self.alice.node.say("/delete")
        expect(text).to_have_value("")
        page.locator("[data-id='r1']").click()
        expect(text).to_have_value("second")
        expect(rule).to_have_text("the message is gone; Escape ends the edit")
        self.assertEqual([text for text in self.said() if "may I" not in text], ["first", "second"])

    def test_a_text_of_the_time_before_the_first_snapshot_is_not_lost(self):
        context = self.browser.new_context(locale="en-GB")
        self.addCleanup(context.close)
        page = context.new_page()
        sockets = []
        page.route_web_socket("**/api/v1/socket**", lambda socket: sockets.append(socket))
        page.goto(self.alice.link())
        text = page.locator("#text")
        expect(text).to_be_focused()
        page.keyboard.type("typed early")
        page.keyboard.press("Enter")
        expect(page.locator("#rule")).to_have_text("not connected yet: the text stays here")
        while not sockets:
            page.wait_for_timeout(10)
        sockets[0].connect_to_server()
        expect(page.locator("#state")).to_have_text("connected")
        # The snapshot comes behind the connection.
        expect(page.locator("#conversations .row")).to_have_count(1)
        expect(text).to_have_value("typed early")
        page.keyboard.press("Enter")
        self.bob.hears("typed early")


if __name__ == "__main__":
    unittest.main()

"""The page in a real Chromium, with real nodes (Docs/Web.md, section 7)."""

import json
import unittest

from page import PageTest
from playwright.sync_api import expect


class Page(PageTest):
    def test_messages_go_both_ways_with_name_time_and_marks(self):
        page = self.page()
        page.get_by_label("Message", exact=True).fill("hello from the page")
        page.keyboard.press("Enter")
        self.bob.hears("hello from the page")
        own = page.locator(".message.own")
        expect(own.locator(".text")).to_have_text("hello from the page")
        self.bob.say("hello from a terminal")
        other = page.locator(".message:not(.own)")
        expect(other.locator(".text")).to_have_text("hello from a terminal")
        expect(other.locator(".from")).to_contain_text("bob#")
        self.assertRegex(other.locator(".at").inner_text(), r"^\d\d:\d\d$")
        self.bob.say("/edit changed")
        expect(other.locator(".text")).to_have_text("changed")
        expect(other.locator(".meta")).to_contain_text("edited")
        self.bob.say("/delete")
        expect(other.locator(".text")).to_have_text("(deleted)")
        expect(other.locator(".from")).to_contain_text("bob#")
        expect(page.locator(".day")).to_have_count(1)
        box, log = own.bounding_box(), page.locator("#log").bounding_box()
        self.assertGreater(box["x"] + box["width"], log["x"] + log["width"] - 100)
        self.assertGreater(own.locator(".line").bounding_box()["x"], log["x"] + log["width"] / 2)
        self.assertEqual(page.evaluate("location.hash"), "")

    def test_the_composer_keeps_the_rules(self):
        page = self.page()
        text, rule = page.locator("#text"), page.locator("#rule")
        text.fill("👨‍👩‍👧‍👦" * 199)
        expect(rule).to_have_text("")
        text.fill("가" * 200)
        expect(rule).to_have_text("40 characters left")
        text.fill("x" * 241)
        expect(rule).to_have_text("1 character too long")
        expect(text).to_have_attribute("aria-invalid", "true")
        page.keyboard.press("Enter")
        expect(rule).to_have_text("the message is 241 characters; 240 is the most")
        expect(text).to_have_value("x" * 241)
        text.fill("one line")
        page.keyboard.press("Shift+Enter")
        expect(rule).to_have_text("a message is one line")
        page.keyboard.press("Enter")
        self.bob.hears("one line")
        expect(self.rows(page)).to_have_count(1)
        # Only a message that the node has taken can be changed.
        expect(page.locator("#log .waiting")).to_have_count(0)
        page.keyboard.press("ArrowUp")
        expect(text).to_have_value("one line")
        page.keyboard.press("Escape")
        expect(text).to_have_value("")
        page.keyboard.press("ArrowUp")
        text.fill("another line")
        page.keyboard.press("Enter")
        self.bob.wait(lambda event: event["event"] == "edited" and event["text"] == "another line", "edit")
        page.keyboard.press("ArrowUp")
        for key in ("Tab", "Tab", "Enter"):
            page.keyboard.press(key)
        self.bob.wait(lambda event: event["event"] == "deleted", "deletion")
        expect(self.rows(page)).to_have_text(["(deleted)"])
        expect(text).to_have_value("")
        expect(page.get_by_role("button", name="Delete")).to_have_count(0)
        self.assertNotIn("x" * 241, json.dumps(self.bob.events))

    def test_enter_during_a_composition_does_not_send(self):
        page = self.page()
        page.locator("#text").focus()
        session = page.context.new_cdp_session(page)
        session.send("Input.imeSetComposition", {"text": "안", "selectionStart": 1, "selectionEnd": 1})
        page.evaluate("""document.getElementById("text").dispatchEvent(
            new KeyboardEvent("keydown", {key: "Enter", isComposing: true, bubbles: true, cancelable: true}))""")
        page.evaluate("""document.getElementById("text").dispatchEvent(
            new KeyboardEvent("keydown", {key: "Enter", keyCode: 229, bubbles: true, cancelable: true}))""")
        session.send("Input.insertText", {"text": "안녕"})
        expect(page.locator("#text")).to_have_value("안녕")
        page.keyboard.press("Enter")
        self.bob.hears("안녕")
        expect(self.rows(page)).to_have_count(1)
        self.assertEqual([event["text"] for event in self.bob.events if event["event"] == "message"], ["안녕"])

    def test_requests_direct_conversations_unread_counts_and_delivery(self):
        page = self.page()
        self.bob.say(f"/msg {self.alice.node.number} may I?")
        page.get_by_role("button", name="accept bob").click()
        self.bob.wait(lambda event: event["event"] == "direct" and event["state"] == "accepted", "acceptance")
        expect(page.locator("#requests-part")).to_be_hidden()
        # The conversation opens, to be answered.
        expect(page.locator("#title")).to_contain_text("bob#")
        expect(page.locator("#text")).to_be_focused()
        page.locator("[data-id='r1']").click()
        expect(page.locator("#title")).to_contain_text("lobby")
        expect(page.locator("#text")).to_be_focused()
        while self.alice.conversation("direct")["active"]:
            pass
        self.bob.say(f"/msg {self.alice.node.number} between us")
        row = page.locator(f"[data-id='r1-{self.bob.key}']")
        expect(row.locator(".badge")).to_have_text("1")
        # The row has the name of the peer already.
        expect(row.locator(".last")).to_have_text("between us")
        expect(page).to_have_title("(1) Earshot")
        self.assertIn("unread", page.locator("#icon").get_attribute("href"))
        row.click()
        expect(page.locator("#title")).to_contain_text("bob#")
        expect(row.locator(".badge")).to_have_count(0)
        expect(page).to_have_title("Earshot")
        expect(page.locator(".new")).to_have_text("new messages")
        expect(page.locator(".new + .message .text")).to_have_text("between us")
        page.locator("#text").fill("answer")
        page.keyboard.press("Enter")
        self.bob.hears("answer")
        expect(page.locator(".message.own .meta").last).to_contain_text("delivered")
        expect(row.locator(".last")).to_have_text("you: answer")
        page.locator("[data-id='r1']").click()
        expect(page.locator("#title")).to_contain_text("lobby")
        row.click()
        expect(page.locator("#title")).to_contain_text("bob#")
        expect(page.locator(".new")).to_have_count(0)
        page.locator("#text").fill("/close")
        page.keyboard.press("Enter")
        expect(page.locator("#title")).to_contain_text("lobby")

    def test_typing_and_folded_arrivals_are_shown(self):
        page = self.page()
        self.bob.say("/typing")
        expect(page.locator("#typing")).to_contain_text("bob#")
        self.bob.say("here")
        expect(page.locator("#typing")).to_have_text("")
        page.locator("#text").press_sequentially("typing")
        self.bob.wait(lambda event: event["event"] == "typing" and event["on"], "typing")
        carol = self.person("carol", self.alice)
        expect(page.locator(".note").last).to_have_text("1 came")
        carol.quit()
        expect(page.locator(".note").last).to_have_text("1 came, 1 left")
        row = page.locator(f"[data-key='{carol.key}']")
        expect(row.locator(".last")).to_contain_text("offline")

    def test_history_loads_by_scrolling_without_a_jump_and_rows_are_bounded(self):
        for number in range(100):
            self.bob.say(f"early {number}")
        self.alice.node.hears("early 99")
        page = self.page()
        for number in range(500):
            self.bob.say(f"message {number}")
        expect(self.rows(page).last).to_have_text("message 499")
        log = page.locator("#log")
        self.assertLessEqual(self.rows(page).count(), 300)
        self.assertTrue(page.evaluate("(l => l.scrollHeight - l.scrollTop - l.clientHeight < 40)(document.getElementById('log'))"))
        first = self.rows(page).first.inner_text()
        place = page.evaluate("""async () => {
            const log = document.getElementById("log");
            const kept = log.querySelector(".message .text");
            log.scrollTop = 0;
            const before = kept.getBoundingClientRect().top;
            const text = kept.textContent;
            await new Promise((done) => {
                const observer = new MutationObserver(() => { observer.disconnect(); requestAnimationFrame(done); });
                observer.observe(log, {childList: true});
            });
            return [kept.isConnected ? kept.getBoundingClientRect().top - before : null, text];
        }""")
        self.assertIsNotNone(place[0])
        self.assertLess(abs(place[0]), 3)
        self.assertNotEqual(self.rows(page).first.inner_text(), first)
        self.bob.say("while up there")
        newer = page.locator("#newer")
        expect(newer).to_be_visible()
        expect(newer).to_have_text("1 new")
        newer.click()
        expect(self.rows(page).last).to_have_text("while up there")
        expect(newer).to_be_hidden()


if __name__ == "__main__":
    unittest.main()

"""Texts of the page that the node has not taken: none is lost or said twice, and their order stays (Docs/Web.md, section 7)."""

import unittest

from page import PageTest
from playwright.sync_api import expect


class Unsent(PageTest):
    def send(self, page, *texts):
        for text in texts:
            page.locator("#text").fill(text)
            page.keyboard.press("Enter")

    def said(self, node):
        return [event["text"] for event in node.events if event["event"] == "message"]

    def waiting(self, page):
        return page.locator(".message.waiting .text")

    def online(self, page):
        """The browser says that the network is back, which a socket may outlive."""
        page.evaluate("dispatchEvent(new Event('online'))")

    def route(self, page):
        """Requests that say a text are held, aborted or continued, as `self.fate` says for it."""
        self.fate, self.held = {}, {}

        def decide(route):
            text = route.request.post_data_json["text"]
            fate = self.fate.get(text, "continue_")
            if fate == "hold":
                self.held.setdefault(text, []).append(route)
            else:
                getattr(route, fate)()

        page.route("**/messages", decide)

    def asked(self, page, text):
        """Waits until a request that says a text is held."""
        while not self.held.get(text):
            page.evaluate("null")

    def free(self, text, fate):
        for route in self.held.pop(text):
            getattr(route, fate)()

    def pause(self, page):
        """Lets requests that were under way be done: the page's later ones are answered."""
        for _ in range(3):
            page.evaluate("fetch('/style.css', {cache: 'no-store'}).then((answer) => answer.text())")

    def test_a_lost_connection_is_shown_and_loses_no_text(self):
        page = self.page()
        page.locator("#text").fill("a draft")
        page.context.set_offline(True)
        page.evaluate("document.getElementById('text').value = 'said offline'")
        page.locator("#text").press("Enter")
        expect(self.waiting(page)).to_have_text("said offline")
        page.locator("#text").fill("kept draft")
        page.context.set_offline(False)
        expect(self.waiting(page)).to_have_count(0)
        self.bob.hears("said offline")
        expect(page.locator("#text")).to_have_value("kept draft")
        self.alice.node.kill()
        expect(page.locator("#state")).to_contain_text("reconnecting")
        expect(page.locator("#text")).to_have_value("kept draft")

    def test_texts_keep_their_order_when_they_are_sent_again(self):
        page = self.page()
        self.route(page)
        self.fate = {"first": "abort", "second": "abort", "third": "abort"}
        self.send(page, "first", "second", "third")
        expect(self.waiting(page)).to_have_text(["first", "second", "third"])
        self.pause(page)
        self.fate = {"first": "hold"}
        self.online(page)
        self.asked(page, "first")
        # Requests that could overtake the first one have time to.
        self.pause(page)
        self.fate = {}
        self.free("first", "continue_")
        expect(self.waiting(page)).to_have_count(0)
        expect(self.rows(page)).to_have_text(["first", "second", "third"])
        self.send(page, "last")
        expect(self.waiting(page)).to_have_count(0)
        self.bob.hears("last")
        self.assertEqual(self.said(self.bob), ["first", "second", "third", "last"])

    def test_a_text_that_is_answered_twice_drops_no_other_one(self):
        page = self.page()
        self.route(page)
        self.fate = {"first": "hold", "second": "abort"}
        self.send(page, "first")
        self.asked(page, "first")
        # A page that sends the first text again has two requests for it under way.
        self.online(page)
        self.send(page, "second")
        self.pause(page)
        self.fate = {"second": "abort"}
        self.free("first", "continue_")
        expect(self.rows(page)).to_have_text(["first", "second"])
        expect(self.waiting(page)).to_have_text(["second"])
        self.pause(page)
        self.fate = {}
        self.online(page)
        expect(self.waiting(page)).to_have_count(0)
        self.bob.hears("second")
        self.assertEqual(self.said(self.bob), ["first", "second"])

    def test_an_equal_message_of_another_face_hides_no_text(self):
        page = self.page()
        self.route(page)
        self.fate = {"ok": "hold"}
        self.send(page, "ok")
        self.asked(page, "ok")
        # The request is under way: the message of the terminal may be its effect, but is not.
        self.alice.node.say("ok")
        self.alice.node.say("end")
        expect(self.rows(page).filter(has_text="end")).to_have_count(1)
        expect(self.waiting(page)).to_have_text(["ok"])
        self.fate = {"ok": "abort"}
        self.free("ok", "abort")
        expect(self.rows(page)).to_have_text(["ok", "end", "ok"])
        self.fate = {}
        self.online(page)
        expect(self.waiting(page)).to_have_count(0)
        expect(self.rows(page)).to_have_text(["ok", "end", "ok"])
        self.send(page, "last")
        expect(self.waiting(page)).to_have_count(0)
        self.bob.hears("last")
        self.assertEqual(self.said(self.bob), ["ok", "end", "ok", "last"])

    def test_a_message_whose_answer_was_lost_is_said_once(self):
        page = self.page()

        def lose_the_answer(route):
            route.fetch()
            route.abort()

        page.route("**/messages", lose_the_answer)
        self.send(page, "once")
        # The message comes by the events, beside the text that seems not to be sent.
        expect(self.rows(page)).to_have_text(["once", "once"])
        page.unroute("**/messages")
        self.online(page)
        expect(self.waiting(page)).to_have_count(0)
        expect(self.rows(page)).to_have_text(["once"])
        self.send(page, "last")
        self.bob.hears("last")
        self.assertEqual(self.said(self.bob), ["once", "last"])

    def test_a_text_is_sent_again_by_itself_and_a_refused_one_on_demand(self):
        page = self.page()
        page.route("**/messages", lambda route: route.abort())
        self.send(page, "later")
        expect(self.waiting(page)).to_have_text(["later"])
        page.unroute("**/messages")
        self.bob.hears("later")
        expect(self.waiting(page)).to_have_count(0)
        # The page counts characters, and the node their parts too.
        self.send(page, "e" + "\u0301" * 13, "behind it")
        self.bob.hears("behind it")
        refused = page.locator(".message.failed")
        expect(refused.locator(".meta")).to_contain_text("not sent: ")
        refused.get_by_role("button", name="Send again").click()
        expect(refused.locator(".meta")).to_contain_text("not sent: ")
        refused.get_by_role("button", name="Discard").click()
        expect(refused).to_have_count(0)
        self.assertEqual(self.said(self.bob), ["later", "behind it"])

    def test_a_change_that_is_refused_can_be_mended(self):
        page = self.page()
        self.send(page, "said")
        self.bob.hears("said")
        # The page can change it once the node has answered.
        expect(page.locator(".message:not(.waiting) .text")).to_have_text(["said"])
        page.keyboard.press("ArrowUp")
        expect(page.locator("#text")).to_have_value("said")
        page.route("**/messages/*", lambda route: route.abort())
        self.send(page, "changed")
        expect(page.locator("#dialog-body")).to_have_text("the node is not reached")
        page.unroute("**/messages/*")
        page.locator("#dialog").get_by_role("button", name="Close").click()
        expect(page.locator("#text")).to_have_value("changed")
        page.locator("#text").press("Enter")
        self.bob.wait(lambda event: event["event"] == "edited" and event["text"] == "changed", "edit")

    def test_a_snapshot_disturbs_neither_draft_nor_composition(self):
        page = self.page()
        text = page.locator("#text")
        text.fill("half a ")
        session = page.context.new_cdp_session(page)
        session.send("Input.imeSetComposition", {"text": "아", "selectionStart": 1, "selectionEnd": 1})
        # Another room is joined: the page gets all anew.
        self.alice.node.say("/join attic")
        expect(page.locator("#conversations button")).to_have_count(2)
        page.locator("[data-id='r1']").evaluate("(row) => row.click()")
        expect(page.locator("#title")).to_contain_text("lobby")
        expect(text).to_have_value("half a 아")

    def test_a_page_of_an_earlier_run_says_so(self):
        page = self.page()
        port = self.alice.port
        self.alice.node.kill()
        expect(page.locator("#state")).to_contain_text("reconnecting")
        self.served("alice", "--web", str(port))
        expect(page.locator("#state")).to_have_text("the node was started anew: open the link that it printed")
        # A text that is said nevertheless tells what helps.
        self.send(page, "to nobody")
        expect(page.locator(".message.failed .meta")).to_have_text("not sent: the node was started anew: open the link that it printed")


if __name__ == "__main__":
    unittest.main()

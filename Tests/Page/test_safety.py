"""The page with hostile peers, other origins, the keyboard and a checker of accessibility (Docs/Web.md, section 7)."""

import unittest

from axe_playwright_python.sync_playwright import Axe
from page import PageTest
from playwright.sync_api import expect

HOSTILE = ("<img src=x onerror=document.title='bad'>", "‮evil", "a" + "́" * 11, "</article><script>document.title='bad'</script>")


class Safety(PageTest):
    def test_hostile_texts_and_names_change_nothing_outside_their_row(self):
        page = self.page()
        mallory = self.person("<b>mallory</b>", self.alice)
        for text in HOSTILE:
            mallory.say(text)
        mallory.say("👨‍👩‍👧‍👦" * 100)
        mallory.say("end")
        expect(self.rows(page).last).to_have_text("end")
        self.assertEqual(page.title(), "Earshot")
        self.assertEqual(page.locator("#log img, #log script, #log b, nav b").count(), 0)
        self.assertIn(HOSTILE[0], self.rows(page).first.inner_text())
        log = page.locator("#log").bounding_box()
        for row in page.locator(".message").all():
            box = row.bounding_box()
            self.assertLessEqual(box["x"] + box["width"], log["x"] + log["width"] + 1)

    def test_the_policy_blocks_scripts_and_other_origins_do_not_connect(self):
        page = self.page()
        blocked = page.evaluate("""() => new Promise((done) => {
            document.addEventListener("securitypolicyviolation", (event) => done(event.violatedDirective));
            const script = document.createElement("script");
            script.textContent = "document.title = 'bad'";
            document.body.append(script);
        })""")
        self.assertIn("script-src", blocked)
        self.assertEqual(page.title(), "Earshot")
        other = self.served("eve")
        page = self.page(other)
        opened = page.evaluate("""([port, token]) => new Promise((done) => {
            try {
                const socket = new WebSocket(`ws://127.0.0.1:${port}/api/v1/socket`, ["earshot.v1", "t." + token]);
                socket.onopen = () => done("open");
                socket.onerror = () => done("refused");
            } catch (error) { done("refused"); }
        })""", [self.alice.port, self.alice.token])
        self.assertEqual(opened, "refused")

    def test_marks_verification_and_wipe_have_dialogues(self):
        page = self.page()
        person = page.locator(f"[data-key='{self.bob.key}']")
        person.click()
        page.get_by_role("button", name="Verify").click()
        code = page.locator(".code").inner_text()
        expect(page.get_by_role("img", name="the digits as a QR code")).to_be_visible()
        self.assertEqual(code, self.bob.result(f"verify {self.alice.node.number}")["code"])
        page.get_by_role("button", name="They are equal").click()
        expect(person.locator(".last")).to_contain_text("verified")
        person.click()
        page.get_by_role("button", name="Mute").click()
        expect(person.locator(".last")).to_contain_text("muted")
        before = page.locator("#me").text_content()
        page.get_by_role("button", name="Wipe").click()
        expect(page.get_by_text("All messages, people and rooms")).to_be_visible()
        # Enter erases nothing.
        expect(page.locator("#dialog").get_by_role("button", name="Cancel")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_text("All messages, people and rooms")).to_be_hidden()
        expect(page.locator("#me")).to_have_text(before)
        page.get_by_role("button", name="Wipe").click()
        page.locator("#dialog").get_by_role("button", name="Wipe, come back at once").click()
        expect(page.locator("#me")).not_to_have_text(before)

    def test_no_view_breaks_a_rule_of_accessibility(self):
        self.befriend()
        self.bob.say("안녕하세요 👋")
        self.bob.say("שלום")
        for scheme in ("light", "dark"):
            for width in (1200, 420):
                page = self.page(color_scheme=scheme, viewport={"width": width, "height": 800})
                page.locator("#text").fill("x" * 241)
                expect(self.rows(page).last).to_have_text("שלום")
                if width == 420:
                    self.check(page, scheme, "conversation")
                    page.get_by_role("button", name="Conversations").click()
                self.check(page, scheme, width)
                page.locator(f"[data-key='{self.bob.key}']").click()
                page.get_by_role("button", name="Verify").click()
                expect(page.locator(".code")).to_be_visible()
                self.check(page, scheme, width)

    def test_neither_the_menu_nor_an_empty_conversation_breaks_one(self):
        self.bob.say("alice, see https://a.example/ and `code`")
        lonely = self.served("quiet-otter")
        for scheme in ("light", "dark"):
            self.check(self.page(lonely, color_scheme=scheme), scheme, "first run")
            page = self.page(color_scheme=scheme)
            expect(page.locator("#log .mention")).to_have_count(1)
            page.locator("#log .message").focus()
            page.keyboard.press("Enter")
            expect(page.locator("#actions")).to_be_visible()
            self.check(page, scheme, "menu")

    def check(self, page, scheme, width):
        found = Axe().run(page).response["violations"]
        self.assertEqual([(one["id"], [node["html"][:120] for node in one["nodes"]][:3]) for one in found], [], (scheme, width))

    def test_everything_is_reached_by_the_keyboard_and_told_to_a_screen_reader(self):
        page = self.page()
        self.bob.say("hello")
        expect(self.rows(page)).to_have_count(1)
        log = page.locator("#log")
        self.assertEqual((log.get_attribute("role"), log.get_attribute("aria-live")), ("log", "polite"))
        seen = set()
        for _ in range(30):
            page.keyboard.press("Tab")
            seen.add(page.evaluate("document.activeElement.id || document.activeElement.className || document.activeElement.textContent"))
        self.assertLessEqual({"log", "text", "rename", "join", "make", "wipe", "row"}, seen)

    def test_snapshots_and_live_events_are_one_message_each(self):
        page = self.page()
        result = page.evaluate("""async () => {
            const { Messages } = await import("/messages.js");
            const make = (n) => ({ id: `${n}`, receivedAt: `2026-01-01T00:00:${String(n).padStart(2, "0")}Z` });
            const messages = new Messages([1, 2, 3, 4, 5].map(make));
            for (const n of [6, 7, 8]) messages.add(make(n), null);
            messages.renewed([4, 5, 6, 7, 8, 9].map(make));
            messages.add(make(9), null);
            messages.remove("5");
            const all = messages.all.map((message) => message.id).join(" ");
            // A snapshot without a known message takes the place of all.
            return [all, messages.renewed([make(20)]).all.length, messages.all.length];
        }""")
        self.assertEqual(result, ["1 2 3 4 6 7 8 9", 1, 8])


if __name__ == "__main__":
    unittest.main()

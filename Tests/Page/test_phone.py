"""The page on a narrow screen, for fingers, and beside a keyboard on the screen (Docs/Web.md, section 7)."""

import unittest

from page import PageTest
from playwright.sync_api import expect

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
# The sizes of all that is pressed and shown, but for names and links in the log, which are parts of a text.
SMALL = """() => [...document.querySelectorAll("button, input, textarea")].filter((each) => each.checkVisibility() && !each.closest("#log .head"))
    .map((each) => [each.id || each.textContent || each.className, each.getBoundingClientRect()])
    .filter(([, { width, height }]) => width < 44 || height < 44).map(([name, { width, height }]) => `${name} ${width}x${height}`)"""


class Phone(PageTest):
    def phone(self, **options):
        return self.page(**PHONE, **options)

    def test_the_conversation_has_one_row_above_it_and_targets_for_fingers(self):
        self.befriend()
        self.bob.say("hello")
        page = self.phone()
        expect(self.rows(page)).to_have_count(1)
        head, log = page.locator("#head").bounding_box(), page.locator("#around").bounding_box()
        self.assertEqual((head["y"], head["height"] <= 64, log["y"]), (0, True, head["y"] + head["height"]))
        self.assertEqual(page.evaluate("document.documentElement.scrollWidth"), 390)
        self.assertEqual(page.evaluate(SMALL), [])
        page.locator("#menu").tap()
        expect(page.locator("#side")).to_be_visible()
        expect(page.locator("#head")).to_be_hidden()
        self.assertEqual(page.evaluate(SMALL), [])
        page.locator(f"[data-key='{self.bob.key}']").tap()
        expect(page.locator("#dialog")).to_be_visible()
        self.assertEqual(page.evaluate(SMALL), [])

    def test_a_long_name_leaves_room_for_what_is_beside_it(self):
        self.befriend()
        self.bob.say("/nick " + "w" * 16)
        page = self.phone()
        page.locator("#menu").tap()
        page.locator("#conversations .row").filter(has_text="w" * 16).tap()
        for part in ("#with", "#composer [type=submit]"):
            box = page.locator(part).bounding_box()
            self.assertLessEqual(box["x"] + box["width"], 382, part)

    def test_a_narrow_window_without_a_touch_screen_has_the_same_targets(self):
        self.befriend()
        page = self.page(viewport={"width": 390, "height": 844})
        page.locator("#menu").click()
        self.assertEqual(page.evaluate(SMALL), [])
        page.locator("#conversations .row").filter(has_text="lobby").click()
        self.bob.say("hello")
        page.locator("#text").fill("mine")
        page.keyboard.press("Enter")
        expect(page.locator("#log .message:not(.waiting)")).to_have_count(2)
        for row in page.locator("#log .message").all():
            row.hover()
            self.assertEqual(page.evaluate(SMALL), [])
        # Around the picture of a peer, which is smaller.
        found = page.locator("#log .face").evaluate("""(face) => {
            const { left, top, width, height } = face.getBoundingClientRect();
            const [x, y] = [left + width / 2, top + height / 2];
            return [[0, 0], [-20, 0], [20, 0], [0, -20], [0, 20]].map(([right, down]) => document.elementFromPoint(x + right, y + down).closest(".face") === face);
        }""")
        self.assertEqual(found, [True] * 5)
        page.locator("#emoji").click()
        expect(page.locator("#picker button").first).to_be_visible()
        self.assertEqual(page.evaluate(SMALL), [])

    def test_the_step_back_leads_from_a_conversation_to_the_lists(self):
        self.befriend()
        page = self.phone()
        side, title = page.locator("#side"), page.locator("#title")
        expect(title).to_contain_text("lobby")
        expect(side).to_be_hidden()
        length = page.evaluate("history.length")
        page.go_back()
        expect(side).to_be_visible()
        page.locator("#conversations .row").filter(has_text="bob#").tap()
        expect(side).to_be_hidden()
        expect(title).to_contain_text("bob#")
        page.go_back()
        expect(side).to_be_visible()
        page.go_forward()
        expect(title).to_be_visible()
        page.locator("#menu").tap()
        expect(side).to_be_visible()
        # The steps do not get more, and none of them has the code of the link.
        page.locator("#conversations .row").filter(has_text="lobby").tap()
        expect(title).to_contain_text("lobby")
        self.assertEqual(page.evaluate("history.length"), length)
        self.assertEqual(page.evaluate("location.href"), f"http://127.0.0.1:{self.alice.port}/")
        page.reload()
        expect(page.locator("#state")).to_have_text("connected")
        expect(title).to_contain_text("lobby")
        self.assertEqual(page.evaluate("history.length"), length)

    def test_unread_messages_of_other_conversations_are_counted_above_a_conversation(self):
        self.befriend()
        page = self.phone()
        badge = page.locator("#elsewhere")
        expect(badge).to_be_hidden()
        self.bob.say(f"/msg {self.alice.node.number} psst")
        expect(badge).to_have_text("1")
        self.bob.say(f"/msg {self.alice.node.number} alice!")
        expect(badge).to_have_text("@2")

    def test_a_wide_screen_has_no_steps(self):
        context = self.browser.new_context(locale="en-GB")
        self.addCleanup(context.close)
        page = self.page(context=context)
        self.assertEqual(page.evaluate("history.state"), None)
        # A window that gets narrow shows the conversation.
        page.set_viewport_size({"width": 390, "height": 700})
        expect(page.locator("#side")).to_be_hidden()
        page.locator("#menu").click()
        expect(page.locator("#side")).to_be_visible()
        page.set_viewport_size({"width": 1000, "height": 700})
        expect(page.locator("#title")).to_be_visible()
        expect(page.locator("#side")).to_be_visible()

    def test_a_long_press_shows_the_menu_and_is_no_press_on_a_link(self):
        page = self.phone()
        self.bob.say("https://a.example/ is no address of this test")
        link = page.locator("#log a")
        expect(link).to_be_visible()
        pages = []
        page.context.on("page", lambda opened: pages.append(opened))
        box = link.bounding_box()
        place = {"x": box["x"] + 20, "y": box["y"] + 8}
        session = page.context.new_cdp_session(page)
        menu = page.locator("#actions")
        session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [place]})
        expect(menu).to_be_visible()
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        expect(menu).to_be_visible()
        self.assertEqual(pages, [])
        shown = menu.bounding_box()
        self.assertEqual((shown["x"], shown["width"], shown["y"] + shown["height"]), (0, 390, 844))
        self.assertEqual([height for height in menu.get_by_role("menuitem").evaluate_all("(rows) => rows.map((row) => row.offsetHeight)") if height < 44], [])
        page.touchscreen.tap(200, 100)
        expect(menu).to_be_hidden()
        # A finger that moves scrolls.
        session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [place]})
        session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{**place, "y": place["y"] + 40}]})
        page.evaluate("new Promise((done) => setTimeout(done, 600))")
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        expect(menu).to_be_hidden()

    def test_a_keyboard_on_the_screen_covers_nothing(self):
        for number in range(40):
            self.bob.say(f"message {number}")
        page = self.phone()
        expect(self.rows(page).last).to_have_text("message 39")
        self.assertIn("interactive-widget=resizes-content", page.locator("meta[name=viewport]").get_attribute("content"))

        def keyboard(height):
            page.evaluate("""(height) => {
                Object.defineProperty(visualViewport, "height", { configurable: true, get: () => innerHeight - height });
                visualViewport.dispatchEvent(new Event("resize"));
                return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            }""", height)

        composer = page.locator("#composer")
        below = composer.bounding_box()
        keyboard(300)
        above = composer.bounding_box()
        self.assertLessEqual(above["y"] + above["height"], 844 - 300)
        self.assertEqual(page.locator("#head").bounding_box()["y"], 0)
        # The newest message is still in view.
        last = self.rows(page).last.bounding_box()
        self.assertLess(last["y"] + last["height"], above["y"])
        keyboard(0)
        self.assertEqual(composer.bounding_box(), below)

    def test_the_page_keeps_off_the_edges_that_a_screen_does_not_show(self):
        page = self.phone()
        session = page.context.new_cdp_session(page)
        session.send("Emulation.setSafeAreaInsetsOverride", {"insets": {"top": 40, "bottom": 30, "left": 0, "right": 0}})
        self.assertIn("viewport-fit=cover", page.locator("meta[name=viewport]").get_attribute("content"))
        expect(page.locator("#head")).to_be_visible()
        self.until(page, "document.getElementById('head').getBoundingClientRect().top === 40")
        box = page.locator("#rule").bounding_box()
        self.assertLessEqual(box["y"] + box["height"], 844 - 30)
        page.locator("#menu").tap()
        side = page.locator("#own").bounding_box()
        self.assertGreaterEqual(side["y"], 40)


if __name__ == "__main__":
    unittest.main()

"""A page in a real Chromium, with real nodes."""

from playwright.sync_api import expect, sync_playwright
from web import WebTest

CHROMIUM = "/usr/bin/chromium"
expect.set_options(timeout=20_000)


class PageTest(WebTest):
    @classmethod
    def setUpClass(cls):
        cls.driver = sync_playwright().start()
        cls.browser = cls.driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        cls.addClassCleanup(cls.driver.stop)
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        super().setUp()
        self.alice = self.served("alice")
        self.bob = self.person("bob", self.alice)

    def page(self, served=None, context=None, **options):
        if not context:
            context = self.browser.new_context(locale="en-GB", **options)
            self.addCleanup(context.close)
        page = context.new_page()
        self.errors = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.goto((served or self.alice).link())
        expect(page.locator("#state")).to_have_text("connected")
        expect(page.locator("#me")).not_to_be_empty()
        return page

    def tearDown(self):
        self.assertEqual(getattr(self, "errors", []), [])

    def until(self, page, condition):
        """Waits for an expression in the page: `wait_for_function` evaluates a string there, which the page's policy refuses."""
        page.evaluate(f"() => new Promise((done) => {{ const look = () => (({condition}) ? done() : setTimeout(look, 10)); look(); }})")

    def rows(self, page):
        return page.locator("#log .message .text")

    def befriend(self):
        self.bob.say(f"/msg {self.alice.node.number} may I?")
        self.alice.node.wait(lambda event: event["event"] == "request", "request")
        self.alice.node.say(f"/accept {self.bob.number}")
        self.bob.wait(lambda event: event["event"] == "direct" and event["state"] == "accepted", "acceptance")

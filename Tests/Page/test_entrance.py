"""How a page is let in, and that nothing a browser keeps lets anything in afterwards (Docs/Web.md, section 1)."""

import os
import re
import signal
import sqlite3
import subprocess
import time
import unittest

from display import Display
from page import CHROMIUM, PageTest
from playwright.sync_api import expect
from test_firefox import FIREFOX, Firefox

CONNECTED = "document.getElementById('state').textContent === 'connected'"
# How long a page may take to come back is 20 s; the first start of a browser took 46 s where ten programs waited for a core.
PATIENCE = 300


def unpacked(data):
    """The bytes of a file of Firefox that LZ4 packed (`mozLz4`); others as they are."""
    if not data.startswith(b"mozLz40\0"):
        return data
    packed, place, result = data[12:], 0, bytearray()

    def length(count):
        nonlocal place
        while count >= 15:
            more = packed[place]
            place += 1
            count += more
            if more < 255:
                break
        return count

    while place < len(packed):
        token = packed[place]
        place += 1
        count = length(token >> 4)
        result += packed[place:place + count]
        place += count
        if place >= len(packed):
            break
        start = len(result) - int.from_bytes(packed[place:place + 2], "little")
        place += 2
        for step in range(length(token & 15) + 4):
            result.append(result[start + step])
    return bytes(result)


class Entrance(PageTest):
    def files(self, folder):
        """The bytes of all files of a profile, by their names."""
        found = {}
        for root, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(root, name)
                if os.path.isfile(path) and not os.path.islink(path):
                    with open(path, "rb") as file:
                        found[os.path.relpath(path, folder)] = unpacked(file.read())
        return found

    def code(self, url):
        return re.fullmatch(r"http://127\.0\.0\.1:\d+/#c=([0-9a-f]{32})", url)[1]

    def admits(self, code):
        return self.alice.ask("POST", "/api/v1/session", {"code": code}, token="")[0] == 200

    def is_worthless(self, files, code):
        """No file has the token, and all that could be a code is refused; the code of the link shows that the search finds it."""
        token = self.alice.token
        for name, data in files.items():
            for form in (token.encode(), token.encode("utf-16-le")):
                self.assertNotIn(form, data, name)
        self.assertTrue(any(code.encode() in data for data in files.values()), "the browser keeps no address any more?")
        found = {text.decode() for data in files.values() for text in re.findall(rb"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])", data)}
        found |= {text.decode("utf-16-le") for data in files.values()
                  for text in re.findall(rb"(?:[0-9a-f]\0){32}", data)}
        deadline = time.monotonic() + PATIENCE
        while any(self.admits(one) for one in found):
            # A code of a reload that is let in lives on: each is asked once, and again only when it had its time.
            self.assertLess(time.monotonic(), deadline)
            time.sleep(1)
        return found

    def test_nothing_that_chromium_keeps_lets_anything_in(self):
        display = Display()
        self.addCleanup(display.close)
        profile = os.path.join(self.folder, "chromium")
        context = self.driver.chromium.launch_persistent_context(
            profile, executable_path=CHROMIUM, headless=False, args=["--no-sandbox"], env=display.environment)
        url = self.alice.url
        page = context.pages[0]
        page.goto(url)
        expect(page.locator("#state")).to_have_text("connected")
        self.bob.say("hello")
        expect(self.rows(page)).to_have_text(["hello"])
        # Loading it again needs no link.
        page.reload()
        expect(page.locator("#state")).to_have_text("connected")
        page.reload()
        expect(page.locator("#state")).to_have_text("connected")
        context.close()
        files = self.files(profile)
        self.assertIn("Default/History", files)
        with sqlite3.connect(os.path.join(profile, "Default", "History")) as history:
            self.assertTrue(any(self.code(url) in row[0] for row in history.execute("SELECT url FROM urls")))
        self.is_worthless(files, self.code(url))

    def test_nothing_that_firefox_keeps_lets_anything_in(self):
        firefox = Firefox()
        self.addCleanup(firefox.close)
        url = self.alice.url
        firefox.open(url)
        firefox.wait(CONNECTED)
        firefox.ask("browsingContext.reload", {"context": firefox.context, "wait": "complete"})
        firefox.wait(CONNECTED)
        firefox.quit()
        files = self.files(firefox.profile)
        self.assertTrue(any(name.endswith("places.sqlite") for name in files), sorted(files))
        self.is_worthless(files, self.code(url))

    def test_a_link_lets_one_page_in_and_the_file_has_another_one(self):
        served = self.served("eve", *self.control())
        path = os.path.join(self.folder, "control.web")

        def kept():
            with open(path) as file:
                return file.read().split("\n")[:2]

        self.assertEqual(kept(), [served.url, served.token])
        first = self.page(served)
        self.assertNotEqual(kept()[0], served.url)
        self.assertEqual(kept(), [served.link(), served.token])
        other = self.browser.new_context(locale="en-GB")
        self.addCleanup(other.close)
        page = other.new_page()
        page.goto(served.url)
        expect(page.locator("#entrance")).to_contain_text("The link was used")
        expect(page.locator("#entrance")).to_contain_text("control.web")
        expect(page.locator("#state")).to_have_text("not connected")
        self.assertEqual(page.evaluate("location.hash"), "")
        # A link that is opened in the same tab changes only the part behind #.
        page.goto(kept()[0])
        expect(page.locator("#state")).to_have_text("connected")
        expect(first.locator("#state")).to_have_text("connected")
        # The used link in a tab that was let in is a reload.
        page.goto("about:blank")
        page.goto(served.url)
        expect(page.locator("#state")).to_have_text("connected")

    def test_a_page_that_is_let_in_goes_on_whatever_is_opened_in_its_tab(self):
        page = self.page()
        address = f"http://127.0.0.1:{self.alice.port}/"
        text, unused = page.locator("#text"), self.alice.link()
        text.fill("a draft")
        page.evaluate("window.isSame = true")
        # A used code, a good one, which stays good, and none.
        for place in ("#c=" + "0" * 32, unused[unused.index("#"):], "#"):
            page.evaluate("(place) => { location.hash = place; }", place)
            expect(page).to_have_url(address)
            page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            self.assertTrue(page.evaluate("window.isSame === true"), place)
            expect(page.locator("#state")).to_have_text("connected")
            expect(text).to_have_value("a draft")
        self.assertEqual(self.alice.link(), unused)
        page.goto(address)
        expect(page.locator("#state")).to_have_text("connected")
        # In a tab whose code is not good any more, the bare address asks for a link, and does not call one used.
        page.goto("about:blank")
        other = self.browser.new_context(locale="en-GB")
        self.addCleanup(other.close)
        other.add_init_script("sessionStorage.setItem('reload', '0'.repeat(32))")
        page = other.new_page()
        page.goto(address)
        expect(page.locator("#entrance-title")).to_have_text("Open the link")
        page.goto(address + "#c=" + "1" * 32)
        expect(page.locator("#entrance-title")).to_have_text("The link was used")
        self.assertEqual(page.evaluate("location.href"), address)
        self.assertEqual(page.locator("#entrance").count(), 1)

    def test_a_code_leaves_the_address_whatever_comes_of_it(self):
        context = self.browser.new_context(locale="en-GB")
        self.addCleanup(context.close)
        page = context.new_page()
        address = f"http://127.0.0.1:{self.alice.port}/"
        # The page does not come as a whole.
        page.route("**/main.js", lambda route: route.abort())
        page.goto(self.alice.link())
        expect(page).to_have_url(address)
        page.unroute("**/main.js")
        # The node does not answer.
        page.route("**/api/v1/session", lambda route: route.abort())
        page.goto("about:blank")
        page.goto(self.alice.link())
        expect(page.locator("#entrance-title")).to_have_text("Not connected")
        self.assertEqual(page.evaluate("location.hash"), "")
        page.evaluate("location.hash = '#c=' + '2'.repeat(32)")
        expect(page).to_have_url(address)
        expect(page.locator("#entrance-title")).to_have_text("Not connected")

    def test_a_reload_shows_the_conversation_of_its_tab(self):
        self.befriend()
        self.alice.node.result(f"open {self.bob.number}")
        page, other = self.page(), self.page()
        for each, name in ((page, "lobby"), (other, "bob#")):
            each.locator("#conversations .row").filter(has_text=name).first.click()
            expect(each.locator("#title")).to_contain_text(name)
        self.alice.node.result("join attic")
        for _ in range(2):
            for each, name in ((page, "lobby"), (other, "bob#")):
                each.reload()
                expect(each.locator("#state")).to_have_text("connected")
                expect(each.locator("#title")).to_contain_text(name)
        # Of the chat nothing is in the storage of the tab.
        self.assertEqual(page.evaluate("Object.keys(sessionStorage)"), ["reload"])
        self.assertRegex(page.evaluate("sessionStorage.reload"), "^[0-9a-f]{32}$")
        self.assertEqual(page.evaluate("localStorage.length"), 0)

    def opened(self, name, *command, **environment):
        """A node that opens its page in a real browser, whose process ends with the test."""
        display = Display()
        self.addCleanup(display.close)
        script = os.path.join(self.folder, name)
        record = f"{script}.pid"
        # The browser is not a child of the test; its own session has all of its processes.
        with open(script, "w", encoding="ascii") as file:
            file.write(f'#!/bin/sh\necho $$ > {record}\n{" ".join(command)} "$1"\n')
        os.chmod(script, 0o700)
        variables = {**display.environment, "BROWSER": script, "HOME": self.folder, **environment}
        served = self.served(name, "--open", *self.control(),
                             launch=lambda words, **options: subprocess.Popen(words, env=variables, **options))
        while not os.path.exists(record) or not open(record, encoding="ascii").read().endswith("\n"):
            self.assertIsNone(served.node.process.poll())
        with open(record, encoding="ascii") as file:
            browser = int(file.read())
        self.addCleanup(os.killpg, browser, signal.SIGKILL)
        return served

    def lets_in(self, served):
        """A page exchanges the code of the link, so that the next link is another one, and nothing leads to the used one."""
        deadline = time.monotonic() + PATIENCE
        while served.link() == served.url:
            self.assertLess(time.monotonic(), deadline, "no page came")
            # The browser needs the processor.
            time.sleep(0.1)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "control.web.html")))
        # The page says that it is there: the room is on a screen, as the terminal has looked away.
        row = served.conversation()["id"]
        served.ask("PUT", f"/api/v1/conversations/{row}/active", {"active": False})
        while not served.conversation()["active"]:
            self.assertLess(time.monotonic(), deadline, "no page shows the room")
            time.sleep(0.1)

    def test_chromium_is_opened_with_the_page(self):
        profile = os.path.join(self.folder, "profile")
        self.lets_in(self.opened("eve", CHROMIUM, "--no-sandbox", "--no-first-run", f"--user-data-dir={profile}"))

    def test_firefox_is_opened_with_the_page(self):
        profile, settings = os.path.join(self.folder, "profile"), os.path.join(self.folder, "settings")
        os.mkdir(profile)
        # Where no folder can be made in $XDG_CONFIG_HOME, as with that of the tests, Firefox says that it has no profile, and
        # waits for an answer, also with --profile and without a screen.
        self.lets_in(self.opened("eve", FIREFOX, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0",
                                 XDG_CONFIG_HOME=settings))

    def test_the_file_of_the_link_leads_firefox_to_the_page(self):
        # A new profile asks questions first, but for one that is driven.
        served = self.opened("eve", "sleep 600; true")
        firefox = Firefox()
        self.addCleanup(firefox.close)
        firefox.open(f"file://{self.folder}/control.web.html")
        self.lets_in(served)
        firefox.wait(CONNECTED)

    def test_a_token_that_is_typed_is_in_no_file_of_firefox(self):
        firefox = Firefox()
        self.addCleanup(firefox.close)
        firefox.open(f"http://127.0.0.1:{self.alice.port}/")
        firefox.wait("document.activeElement.id === 'pass'")
        firefox.type(f"{self.alice.token}\ue007")
        firefox.wait(CONNECTED)
        firefox.ask("browsingContext.reload", {"context": firefox.context, "wait": "complete"})
        firefox.wait(CONNECTED)
        firefox.quit()
        for name, data in self.files(firefox.profile).items():
            for form in (self.alice.token.encode(), self.alice.token.encode("utf-16-le")):
                self.assertNotIn(form, data, name)

    def test_the_bare_address_asks_for_the_link(self):
        context = self.browser.new_context(locale="en-GB")
        self.addCleanup(context.close)
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{self.alice.port}/")
        expect(page.locator("#entrance-title")).to_have_text("Open the link")
        self.assertNotIn("anew", page.locator("body").inner_text())
        expect(page.locator("main")).to_be_hidden()


if __name__ == "__main__":
    unittest.main()

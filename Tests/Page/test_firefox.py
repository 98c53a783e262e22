"""The page in a real Firefox, driven by WebDriver BiDi (https://w3c.github.io/webdriver-bidi)."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import unittest

import websocket
from web import WebTest

FIREFOX = "/usr/bin/firefox-esr"


class Firefox:
    def __init__(self):
        self.profile = tempfile.mkdtemp()
        environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        environment |= {"HOME": self.profile, "MOZ_HEADLESS": "1"}
        self.process = subprocess.Popen(
            [FIREFOX, "--headless", "--no-remote", "--profile", self.profile, "--remote-debugging-port", "0", "about:blank"],
            stderr=subprocess.STDOUT, stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True)
        for line in self.process.stdout:
            if "WebDriver BiDi listening on" in line:
                break
        self.socket = websocket.create_connection(line.split()[-1].strip() + "/session", timeout=60, suppress_origin=True)
        self.number = 0
        self.ask("session.new", {"capabilities": {}})
        self.context = self.ask("browsingContext.getTree", {})["contexts"][0]["context"]

    def ask(self, method, parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.number:
                if answer["type"] == "error":
                    raise AssertionError(answer["message"])
                return answer["result"]

    def open(self, url):
        self.ask("browsingContext.navigate", {"context": self.context, "url": url, "wait": "complete"})

    def run(self, expression):
        """The value of an expression, which may be a promise."""
        answer = self.ask("script.evaluate", {"expression": expression, "awaitPromise": True, "target": {"context": self.context}})
        if answer["type"] != "success":
            raise AssertionError(answer["exceptionDetails"]["text"])
        return answer["result"].get("value")

    def wait(self, condition):
        self.run(f"""new Promise((done) => {{
            const look = () => ({condition}) ? done(true) : requestAnimationFrame(look);
            look();
        }})""")

    def type(self, text):
        actions = [{"type": kind, "value": letter} for letter in text for kind in ("keyDown", "keyUp")]
        self.ask("input.performActions", {"context": self.context, "actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def quit(self):
        """Ends it as a user does: it writes its files."""
        self.ask("browser.close", {})
        self.process.wait(timeout=60)

    def close(self):
        self.socket.close()
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()
        shutil.rmtree(self.profile, ignore_errors=True)


class Page(WebTest):
    def test_the_page_connects_says_and_shows_in_firefox(self):
        alice = self.served()
        bob = self.person("bob", alice)
        firefox = Firefox()
        self.addCleanup(firefox.close)
        firefox.open(alice.url)
        firefox.wait("document.getElementById('state').textContent === 'connected'")
        firefox.run("document.getElementById('text').focus()")
        firefox.type("안녕 from Firefox\ue007")
        bob.hears("안녕 from Firefox")
        bob.say("hello 👋 <b>")
        firefox.wait("document.querySelectorAll('.message').length === 2")
        self.assertEqual(firefox.run("[...document.querySelectorAll('.message .text')].map((row) => row.textContent).join('|')"),
                         "안녕 from Firefox|hello 👋 <b>")
        self.assertEqual(firefox.run("location.hash"), "")
        self.assertEqual(firefox.run("getComputedStyle(document.getElementById('log')).overflowY"), "auto")

    def test_groups_pictures_links_and_the_menu_in_firefox(self):
        alice = self.served()
        bob = self.person("bob", alice)
        for text in ("see https://a.example/x", "`code`", "❤️ 👨‍👩‍👧‍👦", "\u0634\u0643\u0631\u0627"):
            bob.say(text)
            alice.node.hears(text)
        firefox = Firefox()
        self.addCleanup(firefox.close)
        firefox.open(alice.url)
        firefox.wait("document.querySelectorAll('.message').length === 4")
        self.assertEqual(firefox.run("document.querySelectorAll('#log .from, #log .avatar').length"), 2)
        self.assertEqual(firefox.run("document.querySelector('#log a').href"), "https://a.example/x")
        self.assertEqual(firefox.run("document.querySelector('#log code').textContent"), "code")
        self.assertEqual(firefox.run("document.querySelector('#log .large').textContent"), "❤️ 👨‍👩‍👧‍👦")
        self.assertEqual(firefox.run("getComputedStyle(document.querySelector('.message:last-child .text')).direction"), "rtl")
        # The colour of a name, as its picture's.
        colors = "['.from', '.avatar'].map((place) => getComputedStyle(document.querySelector('#log ' + place)).color)"
        self.assertEqual(firefox.run(f"new Set({colors}).size"), 1)
        # No long word is wider than the page.
        bob.say("x" * 240)
        firefox.wait("document.querySelectorAll('.message').length === 5")
        self.assertEqual(firefox.run("(log => log.scrollWidth - log.clientWidth)(document.getElementById('log'))"), 0)
        places = "JSON.stringify([...document.querySelectorAll('.message')].map((row) => row.getBoundingClientRect()))"
        before = firefox.run(places)
        firefox.run("document.getElementById('log').focus()")
        # ArrowUp, Enter.
        firefox.type("\ue013\ue007")
        firefox.wait("document.activeElement.getAttribute('role') === 'menuitem'")
        self.assertEqual(firefox.run(places), before)
        self.assertEqual(firefox.run("document.querySelectorAll('#actions [role=menuitem]').length"), 7)
        # Escape gives the focus back; ArrowDown five times leads to the item that mutes.
        firefox.type("\ue00c")
        firefox.wait("document.activeElement.classList.contains('message')")
        firefox.type("\ue007")
        firefox.wait("document.activeElement.getAttribute('role') === 'menuitem'")
        firefox.type("\ue015" * 5)
        firefox.wait("document.activeElement.textContent.startsWith('Mute')")
        firefox.run("document.activeElement.click()")
        firefox.wait("document.getElementById('people').textContent.includes('muted')")

    def test_the_step_back_of_a_narrow_window_in_firefox(self):
        alice = self.served()
        firefox = Firefox()
        self.addCleanup(firefox.close)
        firefox.ask("browsingContext.setViewport", {"context": firefox.context, "viewport": {"width": 390, "height": 700}})
        firefox.open(alice.url)
        firefox.wait("document.getElementById('state').textContent === 'connected'")
        self.assertEqual(firefox.run("document.getElementById('side').checkVisibility()"), False)
        self.assertEqual(firefox.run("document.documentElement.scrollWidth"), 390)
        firefox.ask("browsingContext.traverseHistory", {"context": firefox.context, "delta": -1})
        firefox.wait("document.getElementById('side').checkVisibility()")
        firefox.run("document.querySelector('#conversations .row').click()")
        firefox.wait("document.getElementById('title').checkVisibility() && !document.getElementById('side').checkVisibility()")


if __name__ == "__main__":
    unittest.main()

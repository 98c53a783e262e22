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


if __name__ == "__main__":
    unittest.main()

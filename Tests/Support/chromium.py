"""A real Chromium with a window, driven by its own protocol: playwright tells its pages that they are always in front."""

import json
import subprocess
import tempfile

import websocket
from page import CHROMIUM


class Chromium:
    def __init__(self, display):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.process = subprocess.Popen(
            [CHROMIUM, "--no-sandbox", "--no-first-run", "--remote-debugging-port=0", f"--user-data-dir={self.profile.name}",
             "about:blank"], env=display.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
        for line in self.process.stderr:
            if "DevTools listening on" in line:
                break
        self.browser = websocket.create_connection(line.split()[-1], timeout=60, suppress_origin=True)
        self.number = 0
        targets = self.ask("Target.getTargets")["targetInfos"]
        first = next(target for target in targets if target["type"] == "page")
        self.session = self.attach(first["targetId"])

    def attach(self, target):
        return self.ask("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]

    def ask(self, method, parameters=None, session=None):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters or {}}
        self.browser.send(json.dumps({**message, "sessionId": session} if session else message))
        while True:
            answer = json.loads(self.browser.recv())
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise AssertionError(answer["error"]["message"])
                return answer["result"]

    def open(self, url):
        """In the first tab."""
        self.ask("Page.navigate", {"url": url}, self.session)

    def cover(self):
        """Another tab comes to the front."""
        self.ask("Target.createTarget", {"url": "about:blank"})

    def uncover(self):
        self.ask("Page.bringToFront", session=self.session)

    def run(self, expression):
        """The value of an expression, which may be a promise, in the first tab."""
        answer = self.ask("Runtime.evaluate", {"expression": expression, "awaitPromise": True, "returnByValue": True}, self.session)
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def wait(self, condition):
        """Also in a tab without frames."""
        self.run(f"""new Promise((done) => {{
            const look = () => ({condition}) ? done(true) : setTimeout(look, 20);
            look();
        }})""")

    def close(self):
        self.ask("Browser.close")
        self.process.wait(timeout=60)
        self.browser.close()
        self.process.stderr.close()
        self.profile.cleanup()

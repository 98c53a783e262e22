"""The link of the page in a terminal (Docs/Web.md, section 1)."""

import re
import unittest
import urllib.request

from window import Window

LINK = re.compile(r"http://127\.0\.0\.1:(\d+)/#c=([0-9a-f]{32})")


class PageLink(unittest.TestCase):
    def window(self):
        window = Window(100, 24)
        self.addCleanup(window.close)
        return window

    def links(self, window):
        return [match.groups() for match in LINK.finditer("\n".join(window.everything))]

    def test_it_is_printed_again_and_is_another_one_once_it_was_used(self):
        window = self.window()
        window.start("--web=0")
        window.wait(lambda: len(self.links(window)) == 1, "link")
        window.enter("/web")
        window.wait(lambda: len(self.links(window)) == 2, "the same link")
        first, again = self.links(window)
        self.assertEqual(first, again)
        port, code = first
        request = urllib.request.Request(f"http://127.0.0.1:{port}/api/v1/session", f'{{"code":"{code}"}}'.encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            self.assertEqual(answer.status, 200)
        window.enter("/web")
        window.wait(lambda: len(self.links(window)) == 3, "a new link")
        self.assertNotEqual(self.links(window)[2], first)

    def test_without_a_page_it_says_how_one_is_served(self):
        window = self.window()
        window.start()
        window.enter("/web")
        window.wait_for("no page is served; start earshot with --web")


if __name__ == "__main__":
    unittest.main()

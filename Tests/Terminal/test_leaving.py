"""The program restores the terminal, however it ends."""

import os
import signal
import unittest

import process_faults
from window import Window

FAULTS = ("SIGSEGV", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGQUIT")
POLITE = ("SIGTERM", "SIGHUP", "SIGINT")


class Leaving(unittest.TestCase):
    def window(self):
        window = Window()
        self.addCleanup(window.close)
        return window

    def expect_as_found(self, window):
        self.assertEqual(window.settings(), window.before)
        # Bracketed paste is off, and lines wrap again.
        for off, on in (("[?2004l", "[?2004h"), ("[?7h", "[?7l")):
            window.wait(lambda: window.written.rfind(off) > window.written.rfind(on), off)

    def in_the_middle(self):
        window = self.window()
        window.start()
        window.text("in the middle of a line")
        window.wait_for("of a line")
        window.wait(lambda: "[?2004h" in window.written, "marks around pastes")
        return window

    def test_by_its_keys_and_commands(self):
        for keys, code in ((("C-c", "C-c"), 130), (("C-u", "C-d"), 0), (("C-u", "/quit", "Enter"), 0)):
            with self.subTest(keys=keys):
                window = self.in_the_middle()
                window.type(*keys)
                self.assertEqual(window.code(), code)
                # The prompt and the draft are gone.
                self.assertNotIn("of a line", "\n".join(window.screen))
                self.expect_as_found(window)

    def test_by_a_signal(self):
        for name in FAULTS + POLITE:
            with self.subTest(signal=name):
                window = self.in_the_middle()
                number = getattr(signal, name)
                os.kill(window.program, number)
                self.assertEqual(window.code(), 128 + number)
                self.expect_as_found(window)

    @unittest.skipUnless(process_faults.can_be_caused(), "only where a process may be traced, on x86-64")
    def test_by_a_fault_of_its_own_on_any_of_its_threads(self):
        for cause, number in ((process_faults.trap, signal.SIGILL), (process_faults.lose_stack, signal.SIGSEGV)):
            for thread in (None, "terminal", "signals"):
                with self.subTest(cause=cause.__name__, thread=thread or "the node's"):
                    window = self.in_the_middle()
                    cause(window.program, process_faults.thread(window.program, thread))
                    self.assertEqual(window.code(), 128 + number)
                    self.expect_as_found(window)

    def test_for_a_while(self):
        window = self.in_the_middle()
        window.type("C-z")
        window.wait(lambda: window.screen[-1].rstrip() == "$", "shell")
        self.expect_as_found(window)
        window.enter("fg")
        window.wait(lambda: window.screen[-1].rstrip().endswith("> in the middle of a line"), "line")
        window.text(", again")
        window.wait(lambda: window.screen[-1].rstrip().endswith("> in the middle of a line, again"), "line")
        window.type("C-c", "C-c")
        window.wait(lambda: window.screen[-1].rstrip() == "$", "shell")
        self.expect_as_found(window)


if __name__ == "__main__":
    unittest.main()

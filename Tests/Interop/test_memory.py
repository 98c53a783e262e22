"""The secrets of a link in the program's memory: its keys while it is open, and nothing once it has ended.

The peer at the other end knows both sides' secrets and searches for them: the keys of both directions, and the shared
secrets of the handshake.
"""

import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Support"))

import memory  # noqa: E402
from called_node import CalledNode  # noqa: E402
from earshot_node import HAS_SANITIZER, Node  # noqa: E402
from stranger import PING, PONG, PRESENCE, PUBLIC  # noqa: E402

PATIENCE = 5


@unittest.skipIf(HAS_SANITIZER, "a sanitizer keeps terabytes of its own")
class Memory(CalledNode):
    def setUp(self):
        super().setUp()
        self.node.ready()
        if not memory.may_be_searched(self.node.process.pid):
            self.skipTest("only root may read the program's memory")

    def meet(self):
        stranger = self.stranger()
        stranger.hear(PRESENCE)
        stranger.hear(type=PONG)
        return stranger

    @staticmethod
    def session_keys(stranger):
        protocol = stranger.peer.noise.noise_protocol
        return [bytes(state.k) for state in (protocol.cipher_state_encrypt, protocol.cipher_state_decrypt)]

    @staticmethod
    def exchanges(state):
        """The shared secrets of the tokens ee, es and se of a handshake."""
        pairs = ((state.e, state.re), (state.e, state.rs), (state.s, state.re))
        return [ours.private.exchange(theirs.public) for ours, theirs in pairs]

    def found(self, needles):
        return memory.occurrences(self.node.process.pid, needles)

    def vanish(self, needles):
        """Waits until none is found: the peer sees the end of a link before the node has wiped it."""
        deadline = time.monotonic() + PATIENCE
        while any(self.found(needles)) and time.monotonic() < deadline:
            pass
        self.assertEqual(self.found(needles), [0] * len(needles))

    def test_the_keys_of_a_link_are_in_memory_while_it_is_open_and_wiped_when_it_has_ended(self):
        for end in ("politely", "abruptly", "by what is no record"):
            with self.subTest(end=end):
                stranger = self.meet()
                keys, exchanges = self.session_keys(stranger), self.exchanges(stranger.peer.state)
                self.assertEqual(self.found(keys), [1, 1])
                self.assertEqual(self.found(exchanges), [0, 0, 0])
                if end == "politely":
                    stranger.leave()
                elif end == "abruptly":
                    stranger.peer.stream.close()
                else:
                    stranger.peer.write(bytes(528))
                    self.assertTrue(stranger.is_cut_off())
                self.vanish(keys)
                self.assertEqual(self.found(exchanges), [0, 0, 0])

    def test_keys_that_were_replaced_are_gone(self):
        stranger = self.meet()
        keys = self.session_keys(stranger)
        for number in range(300):
            stranger.send(bytes([PING]) + number.to_bytes(8, "big"))
            self.node.say(f"/away {number}")
            while f"{number}".encode() not in stranger.hear(PRESENCE).body:
                pass
        later = self.session_keys(stranger)
        self.assertFalse(set(keys) & set(later))
        self.assertEqual(self.found(later), [1, 1])
        self.assertEqual(self.found(keys), [0, 0])

    def test_keys_that_a_new_handshake_replaced_are_gone(self):
        stranger = self.meet()
        former = []
        # A responder answers two of them in ten minutes.
        for text in ("under the second keys", "under the third keys"):
            keys = self.session_keys(stranger)
            self.assertEqual(self.found(keys), [1, 1])
            former += keys
            state = stranger.renew()
            later = self.session_keys(stranger)
            self.assertFalse(set(former) & set(later))
            self.node.say(text)
            self.assertTrue(stranger.hear(PUBLIC).body.endswith(text.encode()))
            self.assertEqual(self.found(later), [1, 1])
            self.assertEqual(self.found(former), [0] * len(former))
            # Nor is what the new keys follow from.
            self.assertEqual(self.found(self.exchanges(state)), [0, 0, 0])

    def test_a_wipe_leaves_no_key_of_a_link(self):
        keys = self.session_keys(self.meet())
        self.assertEqual(self.found(keys), [1, 1])
        self.node.result("wipe now")
        self.vanish(keys)


@unittest.skipIf(HAS_SANITIZER, "a sanitizer tells of faults itself")
class Dumps(unittest.TestCase):
    def test_no_core_is_dumped_and_no_other_process_of_the_user_looks_in(self):
        options = {"preexec_fn": unlimited_core} if os.geteuid() != 0 else {"user": 65_534, "group": 65_534,
                                                                         "extra_groups": [], "preexec_fn": unlimited_core}
        node = Node(lambda command, **pipes: subprocess.Popen(command, **pipes, **options), "native", "--discovery", "none")
        control = subprocess.Popen(["sleep", "60"], **options)
        for process in (node.process, control):
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
        self.addCleanup(node.process.stdin.close)
        node.ready()
        limits = {process: Path(f"/proc/{process.pid}/limits").read_text() for process in (node.process, control)}
        self.assertRegex(limits[control], r"Max core file size +unlimited +unlimited")
        self.assertRegex(limits[node.process], r"Max core file size +0 +0")
        # The kernel makes root the owner of the /proc files of such a process.
        self.assertEqual(os.stat(f"/proc/{control.pid}/environ").st_uid, options.get("user", os.geteuid()))
        self.assertNotEqual(os.stat(f"/proc/{node.process.pid}/environ").st_uid, options.get("user", os.geteuid()))
        os.kill(node.process.pid, signal.SIGSEGV)
        _, status = os.waitpid(node.process.pid, 0)
        self.assertEqual((os.WTERMSIG(status), os.WCOREDUMP(status)), (signal.SIGSEGV, False))
        node.process.returncode = -signal.SIGSEGV
        # Swift's runtime does not print registers or the memory that they point to, either.
        self.assertEqual(node.errors.next(time.monotonic() + PATIENCE), None)
        self.assertEqual(node.errors.seen, [])


def unlimited_core():
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


if __name__ == "__main__":
    unittest.main()

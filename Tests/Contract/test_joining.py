"""Late joiners, and identities that are kept or used twice."""

import os
import pathlib
import resource
import shutil
import subprocess
import tempfile
import threading

from people import People


class Joining(People):
    def test_a_late_joiner_receives_the_messages_in_order_in_their_last_state_and_read(self):
        alice, bob = self.pair()
        for line in ("one", "twoo", "/edit two", "gone", "/delete", "three"):
            alice.say(line)
        self.next(bob, "message", text="three")
        carol = self.person("carol", meets=bob)
        told = [self.next(carol, "message") for _ in range(3)]
        self.assertEqual([message["text"] for message in told], ["one", "two", "three"])
        for message in told:
            self.assertEqual((message["history"], message["unread"], message["conversation"]), (True, 0, "public"))
            self.assertEqual((message["from"]["key"], message["isFromCurrentUser"]), (alice.key, False))
        self.assertEqual([message["text"] for message in carol.result("history")["messages"]], ["one", "two", "three"])

    def test_a_node_without_history_neither_receives_nor_sends_it(self):
        alice = self.person("alice", "--no-history")
        alice.say("before")
        self.next(alice, "message", text="before")
        bob = self.person("bob", meets=alice)
        bob.say("from bob")
        self.next(bob, "message", text="from bob")
        carol = self.person("carol", "--no-history", meets=bob)
        alice.say("now")
        bob.say("and now")
        self.next(carol, "message", text="and now")
        self.next(bob, "message", text="now")
        texts = {node: [event["text"] for event in node.events if event["event"] == "message"] for node in (bob, carol)}
        self.assertNotIn("before", texts[bob])
        self.assertNotIn("from bob", texts[carol])


class Traces(People):
    def test_a_node_without_a_kept_identity_leaves_no_file(self):
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        places = {name: str(folder) for name in ("HOME", "TMPDIR", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}

        def launch(command, **options):
            return subprocess.Popen(command, cwd=folder, env={**os.environ, **places}, **options)

        alice = self.person("alice")
        bob = self.person("bob", meets=alice, launch=launch)
        bob.say("not for the disk")
        self.next(alice, "message", text="not for the disk")
        descriptors = pathlib.Path("/proc", str(bob.process.pid), "fd")
        opened = [os.readlink(descriptor) for descriptor in descriptors.iterdir()]
        self.assertEqual([name for name in opened if name.startswith("/") and not name.startswith("/dev/")], [])
        self.assertEqual(bob.quit(), 0)
        self.assertEqual(list(folder.rglob("*")), [])


class Twice(People):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def copy_of(self, name):
        """A second machine with a copy of the files."""
        other = self.folder / "elsewhere"
        other.mkdir(mode=0o700)
        for file in self.folder.glob(name + "*"):
            shutil.copy2(file, other / file.name)
        return str(other / name)

    def test_a_kept_identity_is_the_same_after_a_restart_and_finds_its_own_messages(self):
        kept = str(self.folder / "id")
        alice = self.person("alice", "--identity", kept)
        bob = self.person("bob", meets=alice)
        alice.say("mine")
        self.next(bob, "message", text="mine")
        self.assertEqual(alice.quit(), 0)
        again = self.person("alice", "--identity", kept, meets=bob)
        self.assertEqual(again.key, alice.key)
        found = self.next(again, "message", text="mine")
        self.assertEqual((found["history"], found["isFromCurrentUser"]), (True, True))
        again.say("/edit mine still")
        self.assertEqual(self.next(bob, "edited")["text"], "mine still")

    def test_a_blocked_peer_is_listed_and_unblocked_after_a_restart_by_number_or_key(self):
        kept = str(self.folder / "id")
        alice = self.person("alice", "--identity", kept)
        bob = self.person("bob", meets=alice)
        bob.say("theirs")
        self.next(alice, "message", text="theirs")
        for name in ("number", "key"):
            alice.result(f"block {bob.key}")
            self.assertEqual(alice.result("history")["messages"], [])
            self.assertEqual(alice.result("search theirs")["messages"], [])
            self.assertEqual(alice.quit(), 0)
            alice = self.person("alice", "--identity", kept)
            blocked = alice.result("blocked")["peers"]
            self.assertEqual([peer["who"]["key"] for peer in blocked], [bob.key])
            alice.result(f"unblock {blocked[0]['who'][name]}")
            self.assertEqual(alice.result("blocked")["peers"], [])

    def test_the_limit_of_descriptors_is_raised_for_full_rooms(self):
        def few():
            resource.setrlimit(resource.RLIMIT_NOFILE, (256, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))

        alice = self.person("alice", launch=lambda *words, **options: subprocess.Popen(*words, preexec_fn=few, **options))
        soft, hard = resource.prlimit(alice.process.pid, resource.RLIMIT_NOFILE)
        self.assertEqual(soft, min(hard, 16 * 256 + 512))

    def test_of_two_processes_of_one_identity_exactly_one_goes_on(self):
        bob = self.person("bob")
        to_bob = ("--peer", f"127.0.0.1:{bob.ready()['port']}")
        first = self.person("alice", "--identity", str(self.folder / "id"), *to_bob)
        first.sees(bob)
        second = self.person("alice", "--identity", self.copy_of("id"), *to_bob)
        self.assertEqual(first.key, second.key)
        ended = self.first_to_end(first, second)
        self.assertEqual(ended.process.returncode, 3)
        notice = self.next(ended, "notice", code="signed_out")
        self.assertIn("signed in elsewhere", notice["message"])
        left = second if ended is first else first
        left.say("still here")
        self.assertEqual(self.next(bob, "message", text="still here")["from"]["key"], left.key)
        self.assertEqual(left.quit(), 0)

    def first_to_end(self, *nodes):
        """The one of two processes that ends first: the node that is signed out closes its output."""
        ends, done = [], threading.Event()

        def wait(node):
            node.process.wait()
            ends.append(node)
            done.set()

        for node in nodes:
            threading.Thread(target=wait, args=(node,), daemon=True).start()
        self.assertTrue(done.wait(40), "both go on")
        return ends[0]

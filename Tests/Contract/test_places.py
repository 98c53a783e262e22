"""The path of a control socket: its owner, its clients, and the files that the node leaves alone (Docs/Control.md 1)."""

import contextlib
import os
import pathlib
import signal
import socket
import stat
import subprocess
import unittest

from control import Client, Controlled


class Places(Controlled):
    def test_the_socket_is_for_its_user_alone_and_gone_with_the_node(self):
        alice = self.controlled()
        self.assertEqual(stat.S_IMODE(self.path.parent.stat().st_mode), 0o700)
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o600)
        self.assertTrue(stat.S_ISSOCK(self.path.stat().st_mode))
        self.assertEqual(alice.quit(), 0)
        self.assertFalse(self.path.exists())

    def test_it_is_gone_after_a_polite_signal(self):
        alice = self.controlled()
        alice.process.send_signal(signal.SIGTERM)
        self.assertEqual(alice.process.wait(20), 128 + signal.SIGTERM)
        self.assertFalse(self.path.exists())

    def test_the_socket_of_a_killed_node_is_replaced(self):
        self.controlled().kill()
        self.assertTrue(self.path.exists())
        bob = self.controlled("bob")
        tail = self.client()
        tail.write(b"tail\n")
        self.assertEqual(tail.read()["self"]["key"], bob.key)

    def test_a_node_that_is_reached_there_is_left_alone(self):
        alice = self.controlled()
        bob = self.controlled("bob")
        process = alice.process.pid
        self.assertEqual(
            bob.errors.next(bob.started + 20)[1],
            f"earshot: process {process} is reached at {self.path}, and this node is not; give it another place with --control")
        bob.quit()
        self.assertEqual(self.client().ask("command /unread")[0]["command"], "unread")

    def test_a_socket_of_another_program_is_left_alone(self):
        self.path.parent.mkdir(mode=0o700)
        other = socket.socket(socket.AF_UNIX)
        self.addCleanup(other.close)
        other.bind(str(self.path))
        other.listen()
        alice = self.controlled()
        self.assertIn("another program is reached at", alice.errors.next(alice.started + 20)[1])
        alice.quit()
        self.assertTrue(self.path.exists())

    def test_an_option_names_another_socket_or_none(self):
        named = self.runtime / "here"
        self.controlled("alice", "--control", str(named))
        self.assertFalse(self.path.exists())
        self.assertEqual(self.client(named).ask("command /unread")[0]["command"], "unread")
        self.controlled("bob", "--no-control")
        self.assertFalse(self.path.exists())
        del self.environment["XDG_RUNTIME_DIR"]
        carol = self.controlled("carol")
        self.assertEqual((carol.quit(), carol.errors.next(carol.started + 20)), (0, None))

    def test_a_path_that_can_not_be_used_is_reported(self):
        file = self.runtime / "file"
        file.write_text("kept")
        long = "x" * 120
        (self.runtime / "open").mkdir()
        (self.runtime / "open").chmod(0o777)
        for place, told in ((file, "file exists"), (self.runtime / long, "1 to 107 bytes"),
                            (self.runtime / "nowhere" / "control", "make it, or give"), (self.runtime / "open" / "c", "chmod go-w")):
            errors = self.earshot("--discovery", "none", "--control", str(place), code=1, text="")[1]
            self.assertIn(told, errors)
            self.assertEqual(errors.count("\n"), 1)
        self.assertEqual(file.read_text(), "kept")

    def test_a_folder_that_others_can_change_is_not_used(self):
        self.path.parent.mkdir()
        self.path.parent.chmod(0o777)
        alice = self.controlled()
        self.assertIn("chmod go-w", alice.errors.next(alice.started + 20)[1])
        self.assertFalse(self.path.exists())

    @unittest.skipUnless(os.geteuid() == 0, "only root can be somebody else")
    def test_another_user_is_not_heard(self):
        self.runtime.chmod(0o755)
        named = self.runtime / "open-to-all"
        alice = self.controlled("alice", "--control", str(named))
        named.chmod(0o666)
        script = ("import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]);"
                  "s.settimeout(20); print(s.recv(100))")
        done = subprocess.run(["/usr/bin/python3", "-c", script, str(named)], user=65534, group=65534, extra_groups=[],
                              capture_output=True, text=True, timeout=30)
        self.assertEqual(done.stdout, "b''\n", done.stderr)
        self.assertEqual(self.client(named).ask("command /unread")[0]["command"], "unread")
        self.assertIsNone(alice.process.poll())

    def test_sixteen_clients_are_served_and_the_next_is_refused(self):
        self.controlled()
        clients = [self.client() for _ in range(16)]
        late = Client(self.path)
        self.addCleanup(late.close)
        self.assertEqual([late.read()["code"], late.read(), late.read()], ["busy", {"event": "end"}, None])
        clients.pop().close()
        self.eventually(lambda: clients[0].ask("command /stats")[0]["control_clients"] == 15)
        for client in [*clients, self.client()]:
            self.assertEqual(client.ask("command /unread")[0]["command"], "unread")

    def test_clients_that_come_and_go_leave_nothing_behind(self):
        alice = self.controlled()
        count = lambda: len(list(pathlib.Path(f"/proc/{alice.process.pid}/fd").iterdir()))
        client = self.client()
        before = count()
        for number in range(300):
            other = Client(self.path)
            # The node may have closed it already, as one client too many.
            with contextlib.suppress(BrokenPipeError):
                if number % 3:
                    other.write(b"tail\n" if number % 2 else b"command /who")
            other.close()
        self.eventually(lambda: client.ask("command /stats")[0]["control_clients"] == 1)
        counters, = client.ask("command /stats")
        self.assertEqual((counters["control_tails"], count()), (0, before))


if __name__ == "__main__":
    unittest.main()

"""Faults of a broker and of its settings, each with the sentence for the user."""

import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import bridged  # noqa: E402
from bridged import Bridged  # noqa: E402
from broker import Certificates, await_port, free_port  # noqa: E402
from earshot_node import BINARY  # noqa: E402

setUpModule, tearDownModule = bridged.start, bridged.stop


class Faults(Bridged):
    def fault(self, *options):
        """The sentence of the notice and of /bridge."""
        node = self.node("lost", *options)
        sentence = self.notice(node, "bridge_lost", 30)["message"]
        self.assertEqual(self.stats(node)["bridge_connected"], 0)
        self.assertEqual(node.result("bridge")["bridged"], True)
        node.say("the room works")
        node.hears("the room works")
        doctor = subprocess.run([BINARY, "doctor", "--json", *options], capture_output=True, text=True, timeout=60).stdout
        self.assertIn('"code":"broker"', doctor)
        self.assertIn(sentence.split(": ", 1)[1][:40], doctor)
        return sentence

    def test_a_wrong_password_is_named(self):
        self.password = self.file("wrong", "wrong\n")
        self.assertIn("refuses the user or the password", self.fault(*self.options()))

    def test_a_vhost_that_is_not_there_is_named(self):
        self.assertIn("refuses the vhost", self.fault(*self.options(f"amqps://bridge@localhost:{bridged.broker.secure}/nowhere")))

    def test_a_missing_permission_is_named(self):
        self.assertIn("lacks a permission", self.fault(*self.options(f"amqps://powerless@localhost:{bridged.broker.secure}")))

    def test_a_certificate_of_an_unknown_authority_and_of_another_name_are_named(self):
        stranger = Certificates(bridged.folder.name + "/stranger")
        sentence = self.fault(*self.options(ca=str(stranger.authority)))
        self.assertIn("certificate", sentence)
        self.assertRegex(sentence, "self-signed|unable to get local issuer|signature")
        named = self.fault(*self.options(f"amqps://bridge@127.0.0.2:{bridged.recorder.forward(bridged.broker.secure, '127.0.0.2')}"))
        self.assertIn("another name", named)

    def test_an_expired_certificate_is_named(self):
        expired = Certificates(bridged.folder.name + "/expired", expired=True)
        server = subprocess.Popen(
            ["openssl", "s_server", "-accept", f"127.0.0.1:{(port := free_port())}", "-cert", expired.server, "-key", expired.key,
             "-quiet"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            await_port(port)
            options = self.options(f"amqps://bridge@localhost:{port}", ca=str(expired.authority))
            self.assertIn("expired", self.fault(*options))
        finally:
            server.kill()
            server.wait()
            server.stdin.close()

    def test_a_broker_that_is_not_there_and_a_name_without_address_are_named(self):
        self.assertIn("no connection", self.fault(*self.options(f"amqp://bridge@127.0.0.1:{free_port()}")))
        self.assertIn("has no address", self.fault(*self.options("amqps://bridge@nowhere.invalid")))

    def test_bridges_with_different_keys_hear_nothing_of_each_other(self):
        one, other = self.bridge("ann"), self.bridge("ben", key=self.new_key("other"))
        one.say("sealed for others")
        one.hears("sealed for others")
        self.assertEqual(self.count(other, "sealed for others"), 0)

    def test_a_node_without_a_bridge_loads_nothing_of_it(self):
        without, bridge = self.node("plain"), self.bridge("ann")
        without.ready()
        plain, bridged_maps = (pathlib.Path(f"/proc/{node.process.pid}/maps").read_text() for node in (without, bridge))
        for library in ("librabbitmq", "libssl", "libcrypto"):
            self.assertNotIn(library, plain)
            self.assertIn(library, bridged_maps)

    def test_wrong_settings_are_refused(self):
        for words, reason in ((["--bridge", f"amqp://192.0.2.1", "--bridge-key", self.key], "can not be"),
                              (["--bridge", "amqps://me:secret@host", "--bridge-key", self.key], "can not be"),
                              *[(["--bridge", f"amqps://{part}", "--bridge-key", self.key], "can not be")
                                for part in ("us%+5er@host", "us%-1er@host", "u%2@host", "u%@host", "host/%zz", "host/a%", "host/%ff")],
                              (["--bridge", "amqps://host"], "needs --bridge-key"),
                              (["--bridge-key", self.key], "only behind --bridge"),
                              (["--bridge", "amqps://host", "--bridge-key", self.password], "no bridge key")):
            done = subprocess.run([BINARY, "--no-control", *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=20)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(reason, done.stderr)
        self.assertEqual(os.stat(self.key).st_mode & 0o777, 0o600)
        self.assertRegex(pathlib.Path(self.key).read_text(), re.compile(r"\A[0-9a-f]{64}\n\Z"))
        again = subprocess.run([BINARY, "bridge", "new", self.key], capture_output=True, text=True)
        self.assertEqual(again.returncode, 1)

    def test_a_broker_that_takes_nothing_is_shown_until_it_does(self):
        one, other = self.bridge("ann"), self.bridge("ben")
        broker = bridged.broker
        broker.control("set_vm_memory_high_watermark", "0.0000001")
        self.addCleanup(broker.control, "set_vm_memory_high_watermark", "0.4")
        # The broker says so of a connection on which something is published.
        one.say("before the alarm is known")
        notice = self.notice(one, "bridge_blocked", 30)["message"]
        self.assertRegex(notice, r"is connected, but takes nothing now: low on memory; messages wait\Z")
        for number in range(6):
            one.say(f"waits {number}")
            one.hears(f"waits {number}")
        stats = self.stats(one)
        self.assertEqual((stats["bridge_connected"], stats["bridge_blocked"]), (1, 1))
        self.assertGreaterEqual(stats["bridge_waiting"], 6)
        self.assertEqual(one.result("bridge")["state"], notice)
        late = self.bridge("late")
        self.notice(late, "bridge_blocked", 30)
        options = self.options()
        doctor = subprocess.run([BINARY, "doctor", "--json", *options], capture_output=True, text=True, timeout=60).stdout
        self.assertIn("takes nothing now: low on memory", doctor)
        broker.control("set_vm_memory_high_watermark", "0.4")
        for node in (one, late):
            self.notice(node, "bridge_unblocked", 30)
        for text in ("before the alarm is known", *[f"waits {number}" for number in range(6)]):
            for node in (other, late):
                node.hears(text)
                self.assertEqual(self.count(node, text), 1)
        self.assertEqual(self.stats(one)["bridge_blocked"], 0)
        self.assertEqual([e for node in (one, other, late) for e in node.events if e.get("code") == "bridge_lost"], [])

    def test_a_lost_connection_comes_back_and_loses_nothing(self):
        port = bridged.recorder.forward(bridged.broker.plain, "127.0.0.1")
        self.password = self.file("guest", "guest\n")
        one, other = (self.bridge(name, url=f"amqp://guest@127.0.0.1:{port}") for name in ("ann", "ben"))
        bridged.recorder.cut(port)
        for node in (one, other):
            self.notice(node, "bridge_lost")
        for number in range(4):
            one.say(f"meanwhile {number}")
        bridged.recorder.mend(port)
        for number in range(4):
            other.hears(f"meanwhile {number}", 40)
        other.result("bridge")
        self.assertEqual([self.count(other, f"meanwhile {number}") for number in range(4)], [1] * 4)

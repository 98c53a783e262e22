"""Two rooms of one name that only a RabbitMQ broker joins. The broker is real, and started once for all tests."""

import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import bridged  # noqa: E402
from bridged import Bridged  # noqa: E402

setUpModule, tearDownModule = bridged.start, bridged.stop


class TwoNetworks(Bridged):
    def test_a_line_said_in_one_network_is_heard_once_and_in_order_in_the_other(self):
        one, other = self.bridge("ann"), self.bridge("ben")
        listener = self.node("dora", network=other)
        self.notice(listener, "room_bridged")
        speaker = self.node("carl", network=one)
        self.notice(speaker, "room_bridged")
        self.elsewhere(listener, speaker)
        times = []
        for number in range(12):
            began = time.monotonic()
            speaker.say(f"line {number}")
            listener.hears(f"line {number}")
            times.append((time.monotonic() - began) * 1000)
            other.hears(f"line {number}")
            time.sleep(0.5)  # the speaker's own rate
        for node in (other, listener):
            heard = [(e["text"], e["history"]) for e in node.events if e["event"] == "message"]
            # Live, though bridges that have just come read the stream too.
            self.assertEqual(heard, [(f"line {number}", False) for number in range(12)])
        times.sort()
        print(f"speaker to listener over two bridges: median {statistics.median(times):.1f} ms, longest {times[-1]:.1f} ms")
        row = [row for row in listener.result("who")["peers"] if row["who"]["nickname"] == "carl"]
        self.assertEqual([(r["elsewhere"], r["state"]) for r in row], [(True, "online")])

    def test_nothing_of_an_author_without_consent_leaves_the_network(self):
        one, other = self.bridge("ann"), self.bridge("ben")
        quiet = self.node("quiet", network=one, consent="off")
        notice = self.notice(quiet, "room_bridged")
        self.assertIn("/bridge on", notice["message"])
        quiet.say("only here")
        one.hears("only here")
        one.say("for all")
        other.hears("for all")
        self.assertEqual(self.count(other, "only here"), 0)
        self.assertGreaterEqual(self.stats(one)["bridge_without_consent"], 1)
        self.assertFalse(quiet.result("bridge")["allowed"])
        quiet.say("/bridge on")
        quiet.wait(lambda e: e.get("command") == "bridge" and e["allowed"], "consent")
        quiet.say("now for all")
        other.hears("now for all")

    def test_a_direct_conversation_crosses_the_bridge(self):
        one, other = self.bridge("ann"), self.bridge("ben")
        far, near = self.node("carl", network=one), self.node("dora", network=other)
        far.say("hello")
        near.hears("hello")
        near.say("hello too")
        far.hears("hello too")
        self.elsewhere(near, far)
        near.say("/msg carl may I?")
        far.wait(lambda e: e["event"] == "request" and e["text"] == "may I?", "request")
        far.say("/accept dora")
        near.wait(lambda e: e["event"] == "direct" and e["state"] == "accepted", "acceptance")
        near.wait(lambda e: e["event"] == "delivered", "receipt")
        for bridge in (one, other):
            self.assertEqual(self.count(bridge, "may I?"), 0)

    def test_a_late_bridge_gets_the_latest_messages_from_the_stream(self):
        one = self.bridge("ann")
        for number in range(5):
            one.say(f"early {number}")
            one.hears(f"early {number}")
        one.wait(lambda e: True, "event")
        deadline = time.monotonic() + 20
        while self.stats(one)["bridge_waiting"]:
            self.assertLess(time.monotonic(), deadline)
        one.say("/quit")
        one.process.wait(20)
        late = self.bridge("late")
        for number in range(5):
            self.assertTrue(late.hears(f"early {number}")["history"])

    def test_bridges_that_come_at_once_get_in_without_a_notice_of_a_lost_broker(self):
        nodes = [self.node(f"at-once-{number}", *self.options()) for number in range(8)]
        for node in nodes:
            self.notice(node, "bridge_connected", 60)
        self.assertEqual([e for node in nodes for e in node.events if e.get("code") == "bridge_lost"], [])

    def test_two_bridges_that_come_at_once_to_a_new_room_get_in_without_a_notice_of_a_lost_broker(self):
        # Each round has a stream of its own: it was one round in three in which a bridge consumed before the stream had a leader.
        lost = []
        for number in range(12):
            room = ["--room", f"round-{number}", "--bridgeable", "on"]
            nodes = [self.node(f"at-once-{side}", *room, *self.options()) for side in range(2)]
            for node in nodes:
                self.notice(node, "bridge_connected", 60)
            lost += [e["message"] for node in nodes for e in node.events if e.get("code") == "bridge_lost"]
            for node in nodes:
                node.process.kill()
        self.assertEqual(lost, [])

    def test_two_bridges_of_a_network_double_nothing_and_one_killed_loses_nothing(self):
        one = self.bridge("ann")
        second = self.bridge("al", network=one)
        other = self.bridge("ben")
        speaker = self.node("carl", network=one)
        speaker.sees(one)
        second.process.send_signal(0)
        peer = ["--peer", f"127.0.0.1:{second.ready()['port']}"]
        both = self.node("cleo", *peer, network=one)
        both.sees(one)
        both.sees(second)
        for number in range(6):
            both.say(f"with both {number}")
            other.hears(f"with both {number}")
        one.process.kill()
        both.loses(one)
        for number in range(6):
            both.say(f"with one {number}")
            other.hears(f"with one {number}")
        other.result("bridge")
        for number in range(6):
            self.assertEqual((self.count(other, f"with both {number}"), self.count(other, f"with one {number}")), (1, 1))

    def test_a_capture_at_the_broker_has_no_name_text_key_or_room(self):
        url = f"amqp://guest@127.0.0.1:{bridged.recorder.port}"
        self.password = self.file("guest", "guest\n")
        room = ["--room", "canary-room"]
        one = self.node("canary-ann", *room, *self.options(url))
        other = self.node("canary-ben", *room, *self.options(url))
        for node in (one, other):
            self.notice(node, "bridge_connected", 30)
        one.say("canary text, 안녕하세요")
        other.hears("canary text, 안녕하세요")
        self.elsewhere(other, one)
        other.say("/msg canary-ann canary whisper")
        one.wait(lambda e: e["event"] == "request", "request")
        seen = bridged.recorder.bytes()
        self.assertIn(b"earshot.", seen)
        bridge_key = pathlib.Path(self.key).read_text().strip()
        for secret in ("canary", "안녕하세요", one.key, other.key, bridge_key):
            self.assertNotIn(secret.encode(), seen)
        for key in (one.key, other.key, bridge_key):
            self.assertNotIn(bytes.fromhex(key), seen)

"""Two rooms of one name that only a RabbitMQ broker joins. The broker is real, and started once for all tests."""

import json
import pathlib
import statistics
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import amqp_attack  # noqa: E402
import bridged  # noqa: E402
import hostile_broker  # noqa: E402
from amqp_attack import Attack  # noqa: E402
from bridged import Bridged, percentiles  # noqa: E402

setUpModule, tearDownModule = bridged.start, bridged.stop

# Lines whose times are measured, and the options of nodes that say them faster than a person.
LOCAL, RATE = 120, ["--rate", "20"]


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


class HostileBroker(Bridged):
    """A user of the broker without the bridge key repeats, alters, invents and floods publications."""

    def test_repeated_altered_and_injected_publications_show_nothing_and_cost_little(self):
        one, other = self.bridge("ann"), self.bridge("ben", more=RATE)
        near = self.node("dora", *RATE, network=other)
        near.sees(other)
        one.say("honest")
        other.hears("honest")
        with Attack(bridged.broker.plain) as attack:
            boxes = attack.listen(lambda: one.say("bait"), at_least=1)
            other.hears("bait")
        quiet = self.local_times(other, near, "quiet")
        before = self.stats(other)["resident_bytes"]
        flood = subprocess.Popen([sys.executable, amqp_attack.__file__, str(bridged.broker.plain), "8", "10000"],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(flood.kill)
        flood.stdin.write(json.dumps([(key, body.hex()) for key, body in boxes]))
        flood.stdin.close()
        flooded = self.local_times(other, near, "flooded")
        sent = int(flood.stdout.read())
        flood.stdout.close()
        flood.wait()
        # The broker drops the oldest of a full queue, honest or not: lines are heard again once the flood has passed.
        for number in range(20):
            one.say(f"after {number}")
            try:
                other.hears(f"after {number}", 6)
                break
            except AssertionError:
                continue
        for text in ("last", "very last"):
            one.say(text)
            other.hears(text, 60)
        stats = other.result("stats")
        said = [f"{kind} {number}" for kind in ("quiet", "flooded", "after") for number in range(LOCAL)]
        for node in (other, near):
            heard = [e["text"] for e in node.events if e["event"] == "message"]
            self.assertEqual(len(heard), len(set(heard)))
            self.assertLessEqual(set(heard), {"honest", "bait", "last", "very last", *said})
        self.assertLess(stats["resident_bytes"] - before, 30_000_000)
        self.assertGreater(stats["bridge_unopened"] + stats["bridge_repeated"], 0)
        print(f"{sent} hostile publications; in the network: {percentiles(quiet)} before, {percentiles(flooded)} meanwhile; "
              f"memory +{(stats['resident_bytes'] - before) / 1e6:.1f} MB")

    def hostile(self):
        """A broker that keeps no rule, in front of the real one, and its port."""
        process = subprocess.Popen([sys.executable, hostile_broker.__file__, str(bridged.broker.plain)], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)

        def end():
            process.stdin.close()
            process.kill()
            process.wait()
            process.stdout.close()

        self.addCleanup(end)
        return process, int(process.stdout.readline())

    def order(self, broker, **words):
        broker.stdin.write(json.dumps(words) + "\n")
        broker.stdin.flush()

    def behind(self, port, name, *more):
        """A bridge at the hostile broker."""
        self.password = self.file("guest", "guest\n")
        return self.bridge(name, url=f"amqp://guest@127.0.0.1:{port}", more=more)

    def test_a_broker_that_floods_a_bridge_keeps_it_from_nothing(self):
        one = self.bridge("ann", more=RATE)
        broker, port = self.hostile()
        other = self.behind(port, "ben", *RATE)
        near = self.node("dora", *RATE, network=other)
        near.sees(other)
        with Attack(bridged.broker.plain) as attack:
            boxes = [body.hex() for _, body in attack.listen(lambda: one.say("bait"), at_least=1)]
        other.hears("bait")
        one.say("read")
        other.hears("read")
        quiet, far = self.local_times(other, near, "quiet"), self.local_times(one, near, "far")
        before = self.stats(other)["resident_bytes"]
        self.order(broker, boxes=boxes, seconds=14, rate=10_000)
        flooded, far_flooded = self.local_times(other, near, "flooded"), self.local_times(one, near, "far flooded")
        sent = int(broker.stdout.readline())
        # More than it can take: what others say comes through all the same.
        self.order(broker, boxes=boxes, seconds=8, rate=None)
        for number in range(20):
            one.say(f"meanwhile {number}")
            near.hears(f"meanwhile {number}")
        reading = threading.Thread(target=lambda: most.append(int(broker.stdout.readline())))
        most = []
        reading.start()
        self.assertTrue(reading.is_alive(), "the flood was over before the lines came")
        reading.join()
        refused = self.refused(other, sent + most[0])
        stats = self.stats(other)
        heard = [e["text"] for e in near.events if e["event"] == "message"]
        self.assertEqual(len(heard), len(set(heard)))
        self.assertEqual(len(heard), 4 * LOCAL + 20 + len({"bait", "read"} & set(heard)))
        self.assertLess(stats["resident_bytes"] - before, 30_000_000)
        self.assertEqual([e["code"] for e in other.events if e.get("code") == "bridge_lost"], [])
        print(f"{sent} junk deliveries in 14 s, {most[0]} in 8 s, {refused} refused; in the network: {percentiles(quiet)} before, "
              f"{percentiles(flooded)} meanwhile; from the other: {percentiles(far)}, {percentiles(far_flooded)}; "
              f"memory +{(stats['resident_bytes'] - before) / 1e6:.1f} MB")

    def refused(self, node, count):
        """Waits until the bridge has refused so many deliveries."""
        for _ in range(200):
            stats = self.stats(node)
            refused = stats["bridge_unopened"] + stats["bridge_repeated"]
            if refused >= count:
                return refused
            time.sleep(0.1)
        raise AssertionError(f"{refused} of {count} junk deliveries were refused")

    def test_a_message_of_great_length_ends_the_connection(self):
        one = self.bridge("ann")
        broker, port = self.hostile()
        other = self.behind(port, "ben")
        self.order(broker, size=1 << 31)
        self.assertIn(f"a message of {1 << 31} bytes", self.notice(other, "bridge_lost")["message"])
        other.wait(lambda e: e["event"] == "notice" and "again" in e["message"], "broker")
        one.say("after")
        other.hears("after")

    def local_times(self, speaker, listener, kind):
        """The times that lines within one network take, in milliseconds."""
        times = []
        for number in range(LOCAL):
            began = time.monotonic()
            speaker.say(f"{kind} {number}")
            listener.hears(f"{kind} {number}")
            times.append((time.monotonic() - began) * 1000)
            time.sleep(0.05)  # the speaker's own rate
        return times

"""A broker, or a user of it, that does what it likes: it repeats, alters, invents, withholds and floods."""

import json
import pathlib
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


class HostileBroker(Bridged):
    """None has the bridge key."""

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
        # The broker drops the oldest of a full queue, honest or not: none is dropped once the queues have had the whole flood.
        for text in ("last", "very last"):
            one.say(text)
            other.hears(text, 60)
        stats = other.result("stats")
        said = [f"{kind} {number}" for kind in ("quiet", "flooded") for number in range(LOCAL)]
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
        self.order(broker, boxes=boxes, seconds=300, rate=None)
        most = []
        reading = threading.Thread(target=lambda: most.append(int(broker.stdout.readline())))
        reading.start()
        began = time.monotonic()
        for number in range(20):
            one.say(f"meanwhile {number}")
            near.hears(f"meanwhile {number}")
        self.assertTrue(reading.is_alive(), "the flood was over before the lines came")
        self.order(broker, end=True)
        reading.join()
        seconds = time.monotonic() - began
        refused = self.refused(other, sent + most[0])
        stats = self.stats(other)
        heard = [e["text"] for e in near.events if e["event"] == "message"]
        self.assertEqual(len(heard), len(set(heard)))
        self.assertEqual(len(heard), 4 * LOCAL + 20 + len({"bait", "read"} & set(heard)))
        self.assertLess(stats["resident_bytes"] - before, 30_000_000)
        self.assertEqual([e["code"] for e in other.events if e.get("code") == "bridge_lost"], [])
        print(f"{sent} junk deliveries in 14 s, {most[0]} in {seconds:.0f} s, {refused} refused; in the network: {percentiles(quiet)} before, "
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

    def test_lines_said_while_a_late_bridge_reads_the_stream_are_live(self):
        one = self.bridge("ann", more=RATE)
        said = []

        def speak():
            while len(said) < 80:
                said.append((f"line {len(said)}", time.monotonic()))
                one.say(said[-1][0])
                time.sleep(0.06)  # the speaker's own rate

        speaking = threading.Thread(target=speak)
        speaking.start()
        one.hears("line 9")
        broker, port = self.hostile()
        # The stream comes before the queue: its end is sought, and then the latest are read.
        self.order(broker, hold=2)
        broker.stdout.readline()
        late = self.behind(port, "late", *RATE)
        connected = time.monotonic()
        speaking.join()
        heard = {text: late.hears(text)["history"] for text, _ in said}
        late.result("bridge")
        self.assertTrue(heard["line 0"])
        self.assertEqual([text for text, at in said if at > connected and heard[text]], [])
        self.assertEqual([self.count(late, text) for text, _ in said], [1] * len(said))

    def test_frames_of_no_message_without_end_keep_a_bridge_from_nothing(self):
        one = self.bridge("ann")
        broker, port = self.hostile()
        other = self.behind(port, "ben")
        self.order(broker, frames=30)
        broker.stdout.readline()
        over = threading.Thread(target=broker.stdout.readline)
        over.start()
        other.say("in spite of it")
        one.hears("in spite of it")
        self.assertTrue(over.is_alive())
        broker.kill()
        over.join()

    def test_a_message_of_great_length_ends_the_connection(self):
        one = self.bridge("ann")
        broker, port = self.hostile()
        other = self.behind(port, "ben")
        self.order(broker, size=1 << 31)
        self.assertIn(f"a message of {1 << 31} bytes", self.notice(other, "bridge_lost")["message"])
        other.wait(lambda e: e["event"] == "notice" and "again" in e["message"], "broker")
        one.say("after")
        other.hears("after")

    def test_a_message_on_a_channel_of_the_brokers_choice_ends_the_connection(self):
        broker, port = self.hostile()
        one = self.behind(port, "ann")
        self.order(broker, size=64, channel=3)
        self.assertIn("a message on channel 3", self.notice(one, "bridge_lost")["message"])

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

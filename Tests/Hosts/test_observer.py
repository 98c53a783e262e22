"""An observer of all links of a room of five guesses the receivers of direct messages: the short form of Scripts/observer."""

import argparse
import random
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "Observer"))

import earshot_node
# It starts this program again in a network of its own, before the larger modules are read.
import room
import guesses
import observer
import traces

NODES, WHISPERS = 5, 40
# Seconds from a whisper to the next: most slots have one then.
SPACING, SPACING_OF_SLOTS = 0.8, 1.6
# A guess by chance, of one in four, is right so often in one of a million runs.
BY_CHANCE = 0.6


class Observer(unittest.TestCase):
    has_cover = False

    @classmethod
    def setUpClass(cls):
        options = argparse.Namespace(whispers=WHISPERS, spacing=SPACING_OF_SLOTS if cls.has_cover else SPACING)
        acts = observer.plan(random.Random(1), NODES, options, is_busy=False)
        acts = [act for act in acts if act["kind"] == "whisper"]
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder, "packets"))
            with room.Room(NODES, earshot_node.BINARY, path, ["--cover"] if cls.has_cover else []) as nodes:
                nodes.accept((act["from"], act["to"]) for act in acts)
                nodes.pause(observer.SETTLED)
                cls.acts = nodes.perform(acts)
                nodes.pause(observer.SETTLED)
                nodes.capture.end()
                cls.refused = nodes.refused()
                cls.undelivered = sum(len(node.written) for node in nodes.nodes)
                cls.addresses = nodes.addresses
            cls.seen = traces.read(path, cls.addresses)

    def guesses(self, planted=()):
        """The share of right guesses of each kind, with these records beside the captured ones."""
        records = [(time, *link, size) for link, series in self.seen.records.items()
                   for time, size in zip(series.times, series.sizes)]
        found = guesses.receivers(traces.Trace(NODES, [*records, *planted]), self.acts)
        return {name: guess["share"] for name, guess in found["guesses"].items()}

    def test_each_whisper_is_delivered(self):
        self.assertEqual((self.refused, self.undelivered), ([], 0))

    def test_the_receiver_of_a_whisper_is_not_found(self):
        self.assertLess(max(self.guesses().values()), BY_CHANCE)

    def test_a_record_that_only_receivers_send_is_found(self):
        planted = [(act["time"] + 3, act["to"], act["from"], 530) for act in self.acts]
        self.assertGreater(self.guesses(planted)["boosting"], BY_CHANCE)


class ObserverOfSlots(Observer):
    has_cover = True


if __name__ == "__main__":
    unittest.main()

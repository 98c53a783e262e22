"""Scripts/observer finds the leaks that are planted in traces, and nothing in traces without one."""

import sys
import struct
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests" / "Observer"), str(ROOT / "Scripts")]

import guesses  # noqa: E402
import observer  # noqa: E402
import planted  # noqa: E402
import traces  # noqa: E402

ONE, OTHER = "10.77.0.2", "10.77.0.3"


class Leaks(unittest.TestCase):
    def test_planted_leaks_are_found_and_nothing_is_found_without_one(self):
        lines = []
        self.assertTrue(observer.self_test(lines.append), "\n".join(lines))
        self.assertEqual(len(lines), 1 + len(planted.LEAKS) + 2)

    def test_delays_of_another_distribution_differ_from_equal_ones(self):
        for leak, is_alike in ((None, True), ("sooner", False)):
            whispers = guesses.Whispers(*planted.traffic(leak))
            self.assertEqual(guesses.answers(whispers)["p"] > 0.001, is_alike, leak)
            self.assertEqual(guesses.telling(whispers)["p"] > 0.001, is_alike, leak)

    def test_a_guess_is_found_if_it_is_better_than_chance_by_more_than_three_standard_errors(self):
        self.assertEqual(guesses.judged(50, 200, 1 / 4)["error"], (0.25 * 0.75 / 200) ** 0.5)
        self.assertFalse(guesses.judged(68, 200, 1 / 4)["found"])
        self.assertTrue(guesses.judged(69, 200, 1 / 4)["found"])

    def test_a_guess_that_is_little_better_than_chance_is_compared_with_guesses_of_random_answers(self):
        for spread, is_found in ((0, True), (20, False)):
            numbers = iter([70, *[50 + spread, 50 - spread] * guesses.BOOSTED_DRAWS])
            found = guesses._checked(lambda _: next(numbers), None, lambda _: None, 200, 1 / 4)
            self.assertEqual((found["right"], found["found"]), (70, is_found))
        # A guess that is much better needs no comparison.
        self.assertTrue(guesses._checked(lambda right: right, 150, None, 200, 1 / 4)["found"])


class Captures(unittest.TestCase):
    def segment(self, sequence, data, *, is_syn=False, is_back=False):
        """An Ethernet frame with a TCP segment between the ports 1 and 2."""
        addresses = [bytes(map(int, address.split("."))) for address in (ONE, OTHER)]
        ports = [1, 2]
        if is_back:
            addresses.reverse()
            ports.reverse()
        transport = struct.pack(">HHIIBBHHH", *ports, sequence, 0, 5 << 4, 2 if is_syn else 16, 0, 0, 0) + data
        network = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(transport), 0, 0, 64, 6, 0) + b"".join(addresses)
        return bytes(12) + b"\x08\x00" + network + transport

    def read(self, *frames):
        """The trace of frames that were captured a second after each other."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "packets")
            headers = [struct.pack("=IIII", second, 0, len(frame), len(frame)) for second, frame in enumerate(frames)]
            path.write_bytes(bytes(24) + b"".join(header + frame for header, frame in zip(headers, frames)))
            return traces.read(str(path), [ONE, OTHER])

    def test_records_have_the_time_of_the_segment_that_completes_them_also_out_of_order_and_repeated(self):
        one, two = b"\x00\x03abc", b"\x00\x01d"
        seen = self.read(
            self.segment(99, b"", is_syn=True), self.segment(100, one[:2]), self.segment(105, two), self.segment(102, one[2:]),
            self.segment(100, one), self.segment(108, b"\x00\x00\x00"), self.segment(500, b"", is_back=True))
        link = seen.link(0, 1)
        self.assertEqual((link.times.tolist(), link.sizes.tolist()), ([3, 3, 5], [5, 3, 2]))
        self.assertEqual(seen.bare(1, 0).times.tolist(), [6])
        self.assertEqual(seen.link(1, 0).times.tolist(), [])

    def test_a_window_has_the_records_from_its_begin_to_before_its_end(self):
        counts, sizes = traces.Series([3, 1, 2], [30, 10, 20]).windows([1, 2, 3, 4])
        self.assertEqual((counts.tolist(), sizes.tolist()), ([1, 1, 1], [10, 20, 30]))


if __name__ == "__main__":
    unittest.main()

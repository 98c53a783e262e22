"""Members that ask for history and read nothing: the bytes that the kernel keeps for them are counted."""

import socket
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Support"))

from called_node import CalledNode  # noqa: E402
from stranger import HAVE, WANT, Stranger  # noqa: E402

READERS = 60
# `kernelSendBuffer` of Docs/Protocol.md, section 11.
MOST_KEPT = 262_144
# 13 bytes in a character, so that each message fills a record of the largest size.
LONG = ("a" + "\u20d0" * 4) * 230


class SlowReaders(CalledNode):
    options = ("--rate", "0")

    def setUp(self):
        super().setUp()
        self.port = self.node.ready()["port"]

    def reader(self, number):
        stream = socket.socket()
        self.addCleanup(stream.close)
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        stream.settimeout(20)
        stream.connect(("127.0.0.1", self.port))
        return Stranger("initiator", stream, nickname=f"reader {number}")

    def kept(self):
        """The bytes that the kernel keeps for each of the node's connections until the other side has taken them."""
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        return [int(row[4].split(":")[0], 16) for row in rows if int(row[1].split(":")[1], 16) == self.port and row[3] == "01"]

    def test_sixty_members_that_read_nothing_fill_no_memory_and_are_closed(self):
        for number in range(100):
            self.node.say(f"{number:03}{LONG}")
        self.node.hears(f"099{LONG}")
        readers = []
        for number in range(READERS):
            readers.append(self.reader(number))
            # 40 handshakes at once are accepted, and 20 a second.
            time.sleep(0.05)
        ids = [reader.hear_ids(HAVE) for reader in readers]
        self.assertEqual({len(each) for each in ids}, {100})
        most = []
        for _ in range(3):
            for reader, wanted in zip(readers, ids):
                try:
                    reader.list_ids(WANT, wanted)
                except OSError:
                    continue
            time.sleep(2.1)
            most.append(max(self.kept(), default=0))
        self.assertGreater(most[0], MOST_KEPT // 4, "the members read")
        self.assertLessEqual(max(most), MOST_KEPT, most)
        deadline = time.monotonic() + 20
        while self.node.result("stats")["link_too_slow"] < READERS:
            self.assertLess(time.monotonic(), deadline, "links of members that read nothing are still open")
            time.sleep(0.5)
        self.assertEqual(sum(self.kept()), 0)

    def test_a_member_that_reads_slowly_gets_all_that_it_asked_for(self):
        for number in range(100):
            self.node.say(f"{number:03}{LONG}")
        self.node.hears(f"099{LONG}")
        reader = self.reader(0)
        ids = reader.hear_ids(HAVE)
        reader.list_ids(WANT, ids)
        given = []
        # The last third is read after longer than the node waits for one that reads nothing.
        for id in ids:
            payload = reader.hear(1)
            self.assertEqual(payload.id[:8], id)
            given.append(payload)
            time.sleep(0.13)
        self.assertEqual(len(given), 100)
        self.assertEqual(self.node.result("stats")["link_too_slow"], 0)


if __name__ == "__main__":
    unittest.main()

"""Nodes that follow each other on one host, each started as soon as the one before has left, with an Avahi daemon on each host.

EARSHOT_JOINS sets how many there are (30). The times are printed and not judged: the machine may be busy.
"""

import json
import os
import statistics
import tempfile
import unittest

import mdns
import wire
from earshot_node import Node, all_meet, on
from hosts import Hosts

COUNT = int(os.environ.get("EARSHOT_JOINS", "30"))
# A dial that was under way, its second address, and the clocks of the capture.
CROSSING = 0.4


class Joins(unittest.TestCase):
    def join(self, hosts, present, number):
        """Seconds from the start of a node until it has a link with each that is present; it leaves then."""
        node = Node(on(hosts, 3), f"guest-{number}", "--discovery", "daemon")
        for other in present:
            node.sees(other)
        met = [when for event, when in zip(node.events, node.times) if event["event"] == "peer"]
        self.assertEqual(node.quit(), 0)
        return max(met) - node.started

    def test_no_run_that_has_left_is_dialled_so_that_the_next_one_is_dialled_at_once(self):
        with Hosts(3) as hosts, tempfile.TemporaryDirectory() as folder:
            present = [Node(on(hosts, host), f"host-{host}", "--discovery", "daemon") for host in (1, 2)]
            all_meet(present)
            (card,) = json.loads(hosts.run(3, ["ip", "-j", "link", "show", "eth0"]))
            mac = bytes.fromhex(card["address"].replace(":", ""))
            path = os.path.join(folder, "joins.pcap")
            capture = hosts.capture(path)
            times = sorted(self.join(hosts, present, number) for number in range(COUNT))
            capture.end()
            print(f"{COUNT} joins: median {statistics.median(times):.3f} s, nine of ten {times[COUNT * 9 // 10]:.3f} s, "
                  f"worst {times[-1]:.3f} s", flush=True)
            told = mdns.timed_ports(path, mac)
            self.assertGreaterEqual(len(told), 2 * COUNT)
            late = []
            for when, port in wire.dials(path):
                # A port may be drawn again.
                before = [(then, ttl) for then, other, ttl in told if other == port and then < when]
                if before and before[-1][1] == 0 and when > min(then for then, ttl in before[-2:] if ttl == 0) + CROSSING:
                    late.append(round(when - before[-1][0], 1))
            self.assertEqual(late[:20], [], "seconds from a goodbye to a dial")
            for node in present:
                self.assertEqual(node.quit(), 0)


if __name__ == "__main__":
    unittest.main()

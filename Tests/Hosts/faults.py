"""faults.py FILE [NAME...]: runs the tests of faults and keeps their results in FILE. Scripts/faults calls it.

A test of a fault is a method of a class that is `Measured`, with nodes of the class `Node` of this module: the messages
that they sent, received and lost are counted when the test ends. The test adds remarks of its own with `remark`.
"""

import datetime
import json
import statistics
import sys
import unittest
from pathlib import Path

import earshot_node

# The nodes and the remarks of the current test; the figures of all tests by their names.
nodes, remarks = [], []
figures = {}


class Node(earshot_node.Node):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        nodes.append(self)


def seconds(time):
    return datetime.datetime.fromisoformat(time).timestamp()


def rounded(delay):
    return f"{delay * 1000:.0f} ms" if delay < 1 else f"{delay:.1f} s"


def deliveries():
    """The numbers of messages sent, shown to others and shown twice, and the delays, as phrases."""
    shown = [(node.name, event) for node in nodes for event in node.events if event["event"] == "message"]
    said = {event["id"] for _, event in shown}
    others = [(name, event) for name, event in shown if not event["isFromCurrentUser"]]
    if not others:
        return ["nothing said"]
    delays = [seconds(event["receivedAt"]) - seconds(event["sentAt"]) for _, event in others]
    repaired = sum(event["history"] for _, event in others)
    twice = len(others) - len({(name, event["id"]) for name, event in others})
    words = [f"{len(said)} said, {len(others)} shown to others" + (f", {repaired} of them as history" if repaired else "")]
    # With a shifted clock the difference is no delay.
    if max(map(abs, delays)) < 300:
        words.append(f"after {rounded(statistics.median(delays))} in the median, {rounded(max(delays))} at most")
    return [*words, f"{twice} twice"]


class Measured(unittest.TestCase):
    def setUp(self):
        nodes.clear()
        remarks.clear()

    def tearDown(self):
        figures[self.id()] = "; ".join([*deliveries(), *remarks])

    def remark(self, text):
        remarks.append(text)


BAD, CLOCKS, FAILING = "test_bad_networks.BadNetworks.", "test_clocks.Clocks.", "test_faults.Faults."
CABLE = "three hosts, one of them behind a cable with this fault; each sends 20 lines"
ROWS = [
    (BAD + "test_1_percent_is_lost", "1 % of packets is lost", CABLE.replace("20", "100")),
    (BAD + "test_5_percent_are_lost", "5 % are lost", CABLE),
    (BAD + "test_20_percent_are_lost", "20 % are lost", CABLE),
    (BAD + "test_20_ms_with_jitter", "20 ms each way, with 10 ms of jitter", CABLE),
    (BAD + "test_200_ms_with_jitter", "200 ms each way, with 80 ms of jitter", CABLE),
    (BAD + "test_a_tenth_is_out_of_order", "every tenth packet overtakes 30 ms of others", CABLE),
    (BAD + "test_64_kbit_per_second", "64 kbit/s", CABLE),
    (BAD + "test_all_of_it_at_once", "5 % lost, 100 ms with 50 ms of jitter, 5 % out of order, 512 kbit/s", CABLE),
    (BAD + "test_an_interface_comes_back_with_another_address", "an interface is removed and returns with another address",
     "one of two hosts; one line is sent meanwhile, and five by each afterwards"),
    (BAD + "test_two_interfaces_to_one_neighbour_are_one_peer", "two interfaces to one neighbour, and one of them fails",
     "two hosts on two networks"),
    (BAD + "test_ipv4_only_with_ipv6_too", "IPv4 only", "with a host that has both"),
    (BAD + "test_ipv6_only_with_ipv4_too", "IPv6 only", "with a host that has both"),
    (BAD + "test_ipv4_only_and_ipv6_only_meet_through_one_that_has_both", "IPv4 only with IPv6 only",
     "they receive each other's lines through a third host that has both"),
    (BAD + "test_without_multicast_a_given_address_will_do", "multicast is dropped", "one has the other's address by `--peer`"),
    (BAD + "test_isolated_hosts_hear_each_other_through_one_that_is_not", "hosts are isolated, as on a guest network",
     "two isolated hosts and a third that both reach"),
    (BAD + "test_parted_rooms_go_on_and_agree_when_they_meet_again", "a network is partitioned and joined again",
     "two hosts on each side; each sends five lines meanwhile"),
    (BAD + "test_ghosts_are_gone_within_80_s", "a cable is cut: no FIN, no RST, no goodbye", "one of two hosts"),
    (FAILING + "test_a_pulled_cable_is_forgiven", "a cable is pulled and put back", "a line is sent meanwhile"),
    (FAILING + "test_a_killed_node_is_gone_and_returns_with_a_new_key", "a node is killed", "and started again"),
    (FAILING + "test_after_a_restart_of_the_daemon_newcomers_are_found_again", "the Avahi daemon is killed and started again",
     "a newcomer on a third host"),
    (FAILING + "test_after_a_restart_of_the_bus_newcomers_are_found_again", "the bus is killed and started again",
     "a newcomer on a third host"),
    (FAILING + "test_a_daemon_that_hangs_delays_no_newcomer", "the Avahi daemon hangs", "a newcomer on a third host"),
    (FAILING + "test_a_daemon_that_dies_for_good_is_replaced", "the Avahi daemon dies for good", "a newcomer on another host"),
    (CLOCKS + "test_a_machine_that_slept_for_ten_minutes_goes_on", "a machine is suspended for ten minutes",
     "SIGSTOP, clocks ten minutes ahead, SIGCONT; a line is sent meanwhile"),
    (CLOCKS + "test_a_wall_clock_that_jumps_by_a_day_breaks_nothing", "a wall clock jumps by a day, forwards and back",
     "lines by both, and a newcomer"),
    (CLOCKS + "test_sixty_lines_said_in_turn_are_in_order_for_a_late_joiner", "two wall clocks are 1.5 s apart",
     "sixty lines by two hosts in turn, which a third receives in order afterwards"),
]


def run(name):
    """The figures of a test, and the reason why it failed; None if it passed."""
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromName(name).run(result)
    problems = [text for _, text in result.failures + result.errors]
    if problems:
        print(problems[0], file=sys.stderr)
    missed = [problem.strip().splitlines()[-1][:200] for problem in problems]
    return kept.figures.get(name, ""), missed[0] if missed else None


def main(file, wanted):
    file = Path(file)
    rows = {row["test"]: row for row in json.loads(file.read_text())} if file.exists() else {}
    for test, fault, tried in ROWS:
        if wanted and not any(word in test for word in wanted):
            continue
        told, missed = run(test)
        rows[test] = {"test": test, "fault": fault, "tried": tried, "figures": told, "missed": missed}
        print(json.dumps(rows[test]), flush=True)
    kept_rows = [rows[test] for test, _, _ in ROWS if test in rows]
    file.write_text(json.dumps(kept_rows, indent=1) + "\n")
    return 1 if any(row["missed"] for row in kept_rows) else 0


if __name__ == "__main__":
    # The tests import this module by its name, which makes a second copy of it.
    import faults as kept
    sys.exit(main(sys.argv[1], sys.argv[2:]))

"""The cost of several rooms in one program: memory, threads, descriptors, processor and traffic at rest."""

import json
import os
import time
from pathlib import Path

from candidates import Candidate, grouped
from drivers import DriverFailure

COUNTS = [1, 8]
# In seconds: after all have met, discovery asks often for a while; then the time that is measured.
REST, SECONDS = 60, 60
# The discovery on each network: hosts with cards have no daemon.
DISCOVERY = {"flat": "daemon", "lan": "embedded"}
MEETING = 60


def measure(binary, network, rooms, seconds=SECONDS):
    """Two programs that are in the same rooms; the figures of one of them."""
    os.environ.update(EARSHOT_ALLOW_ROOT="true", XDG_CONFIG_HOME="/proc/none")
    options = [word for room in range(rooms) for word in ("--room", f"room-{room}")]
    command = [str(binary), "--json", "--no-control", "--discovery", DISCOVERY[network], *options]
    with grouped(Candidate("earshot", command), 2, network) as group:
        for number in range(2):
            group.spawn(number)
        wait(group, lambda node: told(node, "peer") == rooms, "all rooms have met")
        group.wait(lambda: False, REST)
        node = group.nodes[0]
        before = sample(node, network)
        group.wait(lambda: False, seconds)
        after = sample(node, network)
        row = {name: (after[name] - before[name]) / (after["at"] - before["at"]) for name in after if name != "at"}
        row["cpu_percent"] = row.pop("cpu") * 100
        row |= {"pss_mb": node.memory() / 1e6, "private_mb": node.private_memory() / 1e6,
                "threads": len(os.listdir(f"/proc/{node.pid}/task")), "descriptors": len(os.listdir(f"/proc/{node.pid}/fd"))}
        node.send("/stats")
        wait(group, lambda one: one is not node or told(one, "result"), "counters")
        (counters,) = [json.loads(line) for line in node.events if '"command":"stats"' in line]
        return row | {"start_ms": counters["start_to_ready_us"] / 1e3}


def told(node, event):
    """The number of such lines: none of them has a space, so each is a word of its own."""
    return sum(line.startswith(f'{{"event":"{event}"') for line in node.events)


def wait(group, holds, what):
    if not group.wait(lambda: all(holds(node) for node in group.nodes.values()), MEETING):
        raise DriverFailure(f"not in time: {what}")


def sample(node, network):
    """The processor time in seconds and, with a card of its own, what was sent so far."""
    counters = {"at": time.monotonic(), "cpu": node.processor_time() / 1e9}
    if network == "lan":
        counters["sent_bytes"], counters["sent_packets"] = node.traffic()[2:]
    return counters


def rows(binary, rounds):
    """(network, rooms, figures) of each round."""
    for number in range(rounds):
        for network in DISCOVERY:
            for count in COUNTS:
                yield {"round": number, "discovery": DISCOVERY[network], "rooms": count} | measure(binary, network, count)


def program(root):
    return Path(root) / ".build" / "program" / "earshot"

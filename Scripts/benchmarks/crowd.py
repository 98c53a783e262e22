"""Crowds of real nodes: many hosts on one switch, each with a node, in one room that is larger than its nodes have links."""

import random
import time
from pathlib import Path

import measurements
from candidates import grouped
from drivers import DriverFailure, clock

# Given addresses of other nodes that each node starts with.
PEERS = 8
PORT = 47000
# Nodes start so many seconds apart.
START_GAP = 0.05
# Links count as steady when their number stayed within 2 % for so many seconds: it is never still, as nodes replace links.
STEADY, STEADY_LIMIT = 10, 240
SPEAKERS, RATE, SECONDS = 50, 10, 20
# A half-open or closing connection is no link: the state of an established one in /proc/net/tcp.
ESTABLISHED = "01"


def links(node):
    """The established TCP connections of the node's host."""
    lines = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/{node.pid}/net/{name}").read_text().splitlines()[1:]]
    return sum(fields[3] == ESTABLISHED for fields in lines)


def start(group, discovery, seed):
    """Starts all nodes, one after the other, and returns the seconds until their links were steady."""
    choice, began = random.Random(seed), time.monotonic()
    base = list(group.candidate.command)
    for number in range(group.size):
        words = ["--port", str(PORT)]
        if discovery == "peers":
            words += ["--discovery", "none"]
            for other in choice.sample(range(number), min(PEERS, number)):
                words += ["--peer", f"{group.network.address(other)}:{PORT}"]
        group.candidate.command = base + words
        group.spawn(number)
        group.wait(lambda: False, START_GAP)
    group.candidate.command = base
    if not group.wait(lambda: all("ready" in node.events for node in group.nodes.values()), STEADY_LIMIT):
        raise DriverFailure("not all became ready")
    steady, last = 0, 0
    while steady < STEADY and time.monotonic() - began < STEADY_LIMIT:
        group.wait(lambda: False, 1)
        count = sum(map(links, group.nodes.values()))
        steady = steady + 1 if abs(count - last) * 50 <= count else 0
        last = count if steady == 0 else last
    return time.monotonic() - began - STEADY


def talk(group, seed):
    """Lets some nodes speak in turn, and waits until deliveries cease."""
    choice = random.Random(seed)
    speakers = choice.sample(sorted(group.nodes), min(SPEAKERS, group.size))
    group.reset()
    before, everybody, began = group.processor_time(), measurements.machine_time(), clock()
    said = 0
    while said < RATE * SECONDS:
        group.nodes[choice.choice(speakers)].send("pub 1 0")
        said += 1
        group.wait(lambda: False, max(0, began / 1e9 + said / RATE - clock() / 1e9))
    expected, received, last = said * (group.size - 1), 0, -1
    while received not in (last, expected):
        group.wait(lambda: False, measurements.PATIENCE)
        last, counts = received, group.statistics().values()
        received = sum(count["recv"] for count in counts)
    took = clock() - began
    ours, everybody = group.processor_time() - before, measurements.machine_time() - everybody
    times, history = group.latencies(), sum(count["history"] for count in counts)
    return {"said": said, "expected": expected, "delivered": received, "live": received - history,
            "repeated": sum(count["dup"] for count in counts), "cpu_us": ours / 1e3 / max(1, received),
            "others": max(0, everybody - ours) / took,
            **{f"{name}_ms": measurements.share(times, part) / 1e6 for name, part in (("p50", 0.5), ("p99", 0.99), ("max", 1))}}


def measure(candidate, size, discovery, seed=1):
    """One crowd: its start, its rest, its talk."""
    with grouped(candidate, size, "lan") as group:
        met = start(group, discovery, seed)
        counts, nodes = list(map(links, group.nodes.values())), list(group.nodes.values())
        busy, began = group.processor_time(), clock()
        group.wait(lambda: False, 20)
        idle = (group.processor_time() - busy) / (clock() - began)
        private = sorted(node.private_memory() for node in nodes)
        row = {"nodes": size, "discovery": discovery, "met_s": met, "links_mean": sum(counts) / size, "links_most": max(counts),
               "links_least": min(counts), "idle_ms_per_s": idle * 1e3 / size, "private_mb": private[size // 2] / 1e6,
               "private_most_mb": private[-1] / 1e6}
        return row | talk(group, seed)


def line(row):
    return (f"{row['nodes']} nodes ({row['discovery']}): {row['delivered']} of {row['expected']} delivered, {row['live']} live, "
            f"p50 {row['p50_ms']:.1f} ms, p99 {row['p99_ms']:.1f} ms, longest {row['max_ms']:.0f} ms; links {row['links_mean']:.1f}, "
            f"{row['links_least']} to {row['links_most']}; {row['cpu_us']:.0f} us per delivery, idle {row['idle_ms_per_s']:.2f} ms/s, "
            f"{row['private_mb']:.1f} MB private ({row['private_most_mb']:.1f} at most); met after {row['met_s']:.0f} s; "
            f"others' cores {row['others']:.2f}")

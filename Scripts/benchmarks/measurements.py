"""The measurements of a group, by their names in the table of Docs/Benchmarks.md."""

import os
import statistics
import time

from drivers import REST, DriverFailure, clock

BURST = 20_000
JOINS = 20
# Seconds without a delivery after which missing texts count as lost.
PATIENCE = 5


def share(values, part):
    """The value that this fraction of the sorted values does not exceed."""
    return values[min(len(values) - 1, int(len(values) * part))]


def machine_time():
    """The busy time of all processors of this machine so far, in nanoseconds."""
    with open("/proc/stat") as file:
        ticks = [int(word) for word in file.readline().split()[1:9]]
    # All states but idle and iowait.
    return (sum(ticks) - ticks[3] - ticks[4]) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")


def burst(group, senders, each, gap=0, limit=300):
    """Lets `senders` send `each` texts, `gap` microseconds apart, and waits until all have arrived or deliveries cease."""
    group.reset()
    wanted = {number: each * (len(senders) - (number in senders)) for number in group.nodes}
    for number, node in group.nodes.items():
        node.answers.clear()
        node.send(f"expect {wanted[number]}")
    group.wait(lambda: all(node.answers for node in group.nodes.values()), 30)
    waiting = [node for number, node in group.nodes.items() if wanted[number]]
    ours, everybody, began = group.processor_time(), machine_time(), clock()
    for number in senders:
        group.nodes[number].send(f"pub {each} {gap}")
    await_arrival(group, senders, waiting, limit)
    ours, everybody, took = group.processor_time() - ours, machine_time() - everybody, clock() - began
    for number in senders:
        group.nodes[number].send("stop")
    counts = group.statistics().values()
    delivered = sum(count["recv"] for count in counts)
    if not delivered:
        raise DriverFailure("nothing was delivered")
    seconds = (max(count["last"] for count in counts) - began) / 1e9
    return {
        "delivered": delivered, "lost": sum(wanted.values()) - delivered,
        "repeated": sum(count["dup"] for count in counts), "seconds": seconds, "per_second": delivered / seconds,
        "cpu_us": ours / 1e3 / delivered, "others": max(0, everybody - ours) / took}


def await_arrival(group, senders, waiting, limit):
    end = time.monotonic() + limit
    last = -1
    while not group.wait(lambda: all("done" in node.events for node in waiting), PATIENCE):
        received = sum(count["recv"] for count in group.statistics().values())
        have_sent = all("pubdone" in group.nodes[number].events for number in senders)
        if (received == last and have_sent) or time.monotonic() > end:
            return
        last = received


def fan_out(group, count=BURST):
    """B1: one sends 20,000 texts flat out, all others receive them."""
    return burst(group, [0], count)


def latency(group):
    """B2: one sends 100 texts a second."""
    result = burst(group, [0], 1_000, gap=10_000)
    times = group.latencies()
    return result | {f"p{name}_ms": share(times, part) / 1e6 for name, part in (("50", 0.5), ("99", 0.99))}


def join(group):
    """B3: a newcomer, from the start of its process to its first received text; one node sends a text every 5 ms."""
    newcomer = group.size - 1
    group.drop(newcomer)
    group.reset(epoch=0)
    group.nodes[0].send("pub 100000000 5000")
    times, ready = [], []
    for _ in range(JOINS):
        group.wait(lambda: False, 0.5)
        node = group.spawn(newcomer)
        if not group.wait(lambda: "first" in node.events and "ready" in node.events, 30):
            raise DriverFailure("a newcomer heard nothing for 30 s")
        times.append((int(node.events["first"]) - node.started) / 1e6)
        ready.append((int(node.events["ready"].split()[0]) - node.started) / 1e6)
        group.drop(newcomer)
    group.nodes[0].send("stop")
    group.wait(lambda: "pubdone" in group.nodes[0].events, 10)
    group.spawn(newcomer)
    return {"median_ms": statistics.median(times), "worst_ms": max(times), "ready_ms": statistics.median(ready)}


def memory(group):
    """B4: the proportional set size of an idle node, and its private memory with all links before any text."""
    group.wait(lambda: False, REST)
    values = [node.memory() for node in group.nodes.values()]
    result = {"pss_mb": statistics.median(values) / 2**20, "worst_mb": max(values) / 2**20}
    if group.silent_memory:
        result["silent_kib"] = statistics.median(group.silent_memory) / 2**10
    return result


def memory_of_a_centre(group, rest=40):
    """B4 of the centre of a star: idle before any text, and `rest` seconds after all nodes have sent a text at once, which
    the centre passes on to all."""
    centre = group.spawn(0)
    if not group.wait(lambda: "ready" in centre.events, 30):
        raise DriverFailure("the centre did not become ready")
    for number in range(1, group.size):
        group.spawn(number)
    if not group.wait(lambda: centre.events.get("peers", "0").split()[0] == str(group.size - 1), 120):
        raise DriverFailure(f"not all have come: {centre.events.get('peers')}")
    group.wait(lambda: False, REST)
    silent = centre.memory(), centre.private_memory()
    for node in group.nodes.values():
        node.send("pub 1 0")
    group.wait(lambda: False, rest)
    heard = group.statistics()[0]["senders"]
    if heard != group.size - 1:
        raise DriverFailure(f"the centre heard {heard} of {group.size - 1}")
    return {"silent_mb": silent[0] / 2**20, "silent_kib": silent[1] / 2**10, "pss_mb": centre.memory() / 2**20}


def idle_traffic(group, rest=10, seconds=20):
    """B5: the traffic of a node's card without texts, from `rest` seconds after all nodes have met."""
    group.wait(lambda: False, rest)
    before = {number: node.traffic() for number, node in group.nodes.items()}
    computed, began = group.processor_time(), clock()
    group.wait(lambda: False, seconds)
    took = (clock() - began) / 1e9
    rates = [
        [(now - then) / took for now, then in zip(node.traffic(), before[number])]
        for number, node in group.nodes.items()]
    mean = [statistics.mean(column) for column in zip(*rates)]
    return {
        "received_bytes": mean[0], "received_packets": mean[1], "sent_bytes": mean[2], "sent_packets": mean[3],
        "cpu_ms": (group.processor_time() - computed) / 1e6 / took / len(group.nodes)}


def all_to_all(group):
    """B6: all nodes but one send 200 texts each at once."""
    result = burst(group, list(range(group.size - 1)), 200)
    if group.candidate.keeps_messages:
        # One if all nodes keep the same messages.
        result["rings"] = len(set(group.ask("ring", "ring").values()))
    return result


# In the order of least mutual disturbance.
TESTS = {
    "B4": memory, "B5": idle_traffic, "B2": latency, "B6": all_to_all, "B1": fan_out, "B3": join}
# The network of each measurement: traffic needs a card for each node, and joining needs multicast.
NETWORK = {"B3": "lan", "B5": "lan"}

"""attack.py [--seconds N] [--windows N] [--runs N] [--keep FILE] [NAME...]: attacks a running room and measures the effects.

Calm and attack alternate, so that other load of the machine affects both. Prints a line of JSON for each run; --keep
replaces the results of those attacks in FILE: of several runs, each in a room of its own, the one with the slowest newcomer, with
the latency in all of them and the number of those that held. The program is $EARSHOT_BINARY. Exits with 1 if a pass line was missed.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[0] / "Hosts"), str(HERE.parents[0] / "Interop")]

from hosts import Hosts  # noqa: E402
from catalogue import CATALOGUE, gateway_plan  # noqa: E402
from crowd import Crowd  # noqa: E402
from noise_peer import Room  # noqa: E402

MEMBERS = 8
NEWCOMER, BYSTANDER, ATTACKER = 9, 10, 11
PROGRAM = os.environ.get("EARSHOT_BINARY", str(HERE.parents[1] / ".build/program/earshot"))
TAG = Room("lobby").tag
LISTENER = """
import socket, selectors, sys
selector, count = selectors.DefaultSelector(), 0
for port in range(9000, 9003):
    selector.register(socket.create_server(("", port), backlog=1000), selectors.EVENT_READ)
selector.register(sys.stdin, selectors.EVENT_READ)
while True:
    for key, _ in selector.select():
        if key.fileobj is sys.stdin:
            print(count, flush=True)
            sys.exit()
        key.fileobj.accept()[0].close()
        count += 1
"""


class Attacker:
    """The attacking process, on a host of its own."""

    def __init__(self, hosts, name, plan, host=ATTACKER):
        command = [sys.executable, str(HERE / "attacker.py"), name, json.dumps(plan)]
        self.process = hosts.start(host, command, stderr=None, start_new_session=True)
        give_way(self.process.pid)
        self.await_line("ready", 60)

    def await_line(self, expected, patience=30):
        line = self.process.stdout.readline().strip()
        assert line == expected, f"the attacker said {line!r}"

    def order(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def end(self):
        self.order("end")
        return json.loads(self.process.stdout.readlines()[-1])


def give_way(process):
    """Gives the members precedence on the processors. A real attacker has a machine of its own; here its packets still come
    as fast, and the measurement is the cost for their receivers."""
    os.setpriority(os.PRIO_PROCESS, process, 10)
    group = Path(f"/proc/{process}/autogroup")
    # The kernel divides processor time between sessions first.
    if group.exists():
        group.write_text("10")


class Run:
    """One attack on a room of its own."""

    def __init__(self, hosts, entry, options):
        self.hosts, self.entry = hosts, entry
        self.seconds = options.seconds or entry.seconds
        self.windows = options.windows or entry.windows
        self.isAlone = (options.runs or entry.runs) == 1
        self.crowd = Crowd(hosts, MEMBERS, PROGRAM, entry.options)
        self.calm, self.attacked, self.calm_cpu, self.attacked_cpu = [], [], [], []
        # Public messages sent while under attack, counted once for each link.
        self.sends = 0

    def window(self, numbers, processor):
        before, begun = self.crowd.victim.processor_time(), time.monotonic()
        numbers += self.crowd.chat(self.seconds)
        processor.append((self.crowd.victim.processor_time() - before) / (time.monotonic() - begun))

    def measure(self):
        crowd, victim = self.crowd, self.crowd.victim
        crowd.chat(3)
        if self.entry.prepare:
            self.entry.prepare(crowd)
        listener = self.hosts.start(BYSTANDER, [sys.executable, "-c", LISTENER])
        like = crowd.members[1].ready["self"]
        plan = {
            "victim": self.hosts.address(1), "port": victim.port, "offset": 0, "tag": TAG, "address": self.hosts.address(ATTACKER),
            "bystander": self.hosts.address(BYSTANDER), "likeNumber": like["number"], "likeName": like["nickname"]}
        if self.entry.options:
            plan |= gateway_plan(crowd.expect(victim, lambda event: event["event"] == "listening"))
        attacker = Attacker(self.hosts, self.entry.name, plan, host=1 if self.entry.options else ATTACKER)
        victim.forget_peak()
        resident, before = victim.memory("VmRSS"), crowd.counters()
        for left in reversed(range(self.windows)):
            self.window(self.calm, self.calm_cpu)
            attacker.order("on")
            sends = crowd.sends()
            self.window(self.attacked, self.attacked_cpu)
            self.sends += crowd.sends() - sends
            if left == 0:
                found = self.entry.look(crowd) if self.entry.look else {}
                joined = self.newcomer()
            attacker.order("off")
        peak = victim.memory("VmHWM")
        crowd.chat(1)
        after = crowd.counters()
        tally = attacker.end()
        listener.stdin.write("\n")
        listener.stdin.flush()
        tally["connections_elsewhere"] = int(listener.stdout.readline())
        moved = {name: after[name] - before.get(name, 0) for name in after}
        return self.result(moved, tally, resident, peak, joined, found)

    def newcomer(self):
        """Seconds until a newcomer that starts during the attack and the victim meet; None if they do not."""
        begun = time.monotonic()
        member = self.crowd.join(NEWCOMER)
        self.crowd.members.remove(member)
        member.ready = self.crowd.expect(member, lambda event: event["event"] == "ready", 30)
        member.key = member.ready["self"]["key"]
        both = self.crowd.knows(self.crowd.victim, member, 30) and self.crowd.knows(member, self.crowd.victim, 30)
        joined = round(time.monotonic() - begun, 2) if both else None
        self.crowd.selector.unregister(member.process.stdout)
        member.process.kill()
        member.process.wait()
        return joined

    def result(self, moved, tally, resident, peak, joined, found):
        calm, calm_missing = self.crowd.latencies(self.calm)
        attacked, missing = self.crowd.latencies(self.attacked)
        told = {
            "attack": self.entry.name, "tried": self.entry.tried, "required": self.entry.counted,
            "seconds": self.seconds * self.windows,
            "calm_ms": quantiles(calm), "attack_ms": quantiles(attacked),
            "deliveries": len(attacked), "missing": missing + calm_missing, "repaired": self.crowd.repaired,
            "links_lost": self.crowd.lost(),
            "sends_per_message": round(self.sends / max(1, len(self.attacked)), 1),
            "cpu_percent": [percent(self.calm_cpu), percent(self.attacked_cpu)],
            "memory_kib": [resident, peak],
            "newcomer_seconds": joined,
            "counted": {name: by for name, by in moved.items() if by and name.startswith(self.entry.counters)},
            "attacker": tally,
            "found": found,
        }
        told["missed"] = self.entry.missed(told, isAlone=self.isAlone)
        return told, calm, attacked


def quantiles(latencies):
    ordered = sorted(latencies) or [0]
    return [round(1000 * ordered[min(len(ordered) - 1, int(len(ordered) * share))], 2) for share in (0.5, 0.99)]


def percent(shares):
    return round(100 * sum(shares) / len(shares), 1)


def together(entry, runs):
    """Of several runs, the one with the slowest newcomer, or that missed most; with the latency in all, and how many held."""
    def key(told):
        joined = told["newcomer_seconds"]
        return len(told["missed"]), float("inf") if joined is None else joined

    told = max((run[0] for run in runs), key=key)
    if len(runs) == 1:
        return told
    newcomers = [run[0]["newcomer_seconds"] for run in runs]
    told |= {"runs": len(runs), "held": sum(not run[0]["missed"] for run in runs), "newcomers": newcomers}
    told |= {"calm_ms": quantiles(sum((run[1] for run in runs), [])), "attack_ms": quantiles(sum((run[2] for run in runs), []))}
    return told | {"deliveries": sum(run[0]["deliveries"] for run in runs), "missed": entry.missed(told)}


def attack(entry, options):
    with Hosts() as hosts:
        for host in range(1, ATTACKER + 1):
            hosts.add(host, daemon=False)
        hosts.run(ATTACKER, ["ip", "route", "add", "local", "10.78.0.0/16", "dev", "lo"])
        for host in range(1, MEMBERS + 1):
            hosts.run(host, ["ip", "route", "add", "10.78.0.0/16", "via", hosts.address(ATTACKER)])
        run = Run(hosts, entry, options)
        try:
            return run.measure()
        finally:
            run.crowd.close()


def keep(path, told):
    known = json.loads(path.read_text()) if path.exists() else []
    rows = {row["attack"]: row for row in known}
    rows[told["attack"]] = told
    ordered = [rows[entry.name] for entry in CATALOGUE if entry.name in rows]
    path.write_text("[\n" + ",\n".join(json.dumps(row) for row in ordered) + "\n]\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--windows", type=int)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    chosen = [entry for entry in CATALOGUE if not options.names or entry.name in options.names]
    failed = False
    for entry in chosen:
        runs = []
        for _ in range(options.runs or entry.runs):
            runs.append(attack(entry, options))
            print(json.dumps(runs[-1][0]), flush=True)
        told = together(entry, runs)
        if len(runs) > 1:
            print(json.dumps(told), flush=True)
        failed = failed or bool(told["missed"]) or any(run[0]["missed"] for run in runs)
        if options.keep:
            keep(options.keep, told)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Honest members that chat at a steady rate, and the delays from the author's input to the receiver's output."""

import json
import os
import re
import selectors
import subprocess
import time

SAID = re.compile(rb'"text":"said-(\d+)-(\d+)"')
PAUSE = 1 / 1.8
TICKS = os.sysconf("SC_CLK_TCK")


class Member:
    def __init__(self, hosts, host, program, *options):
        self.host, self.rest, self.events, self.offline = host, b"", [], []
        command = [program, "--json", "--no-config", "--allow-root", "--nick", f"honest-{host}", "--discovery", "embedded",
                   *options]
        self.process = hosts.start(host, command, text=False, stderr=subprocess.DEVNULL)
        os.set_blocking(self.process.stdout.fileno(), False)

    def write(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def lines(self):
        data = self.process.stdout.read(1 << 20)
        if data == b"":
            raise RuntimeError(f"member {self.host} ended with {self.process.wait()}")
        *lines, self.rest = (self.rest + (data or b"")).split(b"\n")
        return lines

    def memory(self, name):
        """A figure of the process, in KiB: VmRSS is its resident memory, VmHWM the maximum since `forget_peak`."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(name + ":"))

    def forget_peak(self):
        with open(f"/proc/{self.process.pid}/clear_refs", "w", encoding="ascii") as file:
            file.write("5")

    def processor_time(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS


class Crowd:
    """Members on the hosts 1, 2, ...; the first one is the victim."""

    def __init__(self, hosts, count, program, options=()):
        """The victim has further options."""
        self.hosts, self.program = hosts, program
        self.selector = selectors.DefaultSelector()
        self.members, self.said, self.heard, self.repaired = [], {}, {}, 0
        self.number, self.turn = 0, 0
        for host in range(1, count + 1):
            self.join(host, *(options if host == 1 else ()))
        self.victim = self.members[0]
        for member in self.members:
            member.ready = self.expect(member, lambda event: event["event"] == "ready")
            member.key, member.number = member.ready["self"]["key"], member.ready["self"]["number"]
            member.port = member.ready["port"]
        for member in self.members:
            for other in self.members:
                if member is not other:
                    self.sees(member, other)

    def join(self, host, *options):
        member = Member(self.hosts, host, self.program, *options)
        self.members.append(member)
        self.selector.register(member.process.stdout, selectors.EVENT_READ, member)
        return member

    def sees(self, member, other, patience=30):
        return self.expect(member, lambda event: event["event"] == "peer" and event["state"] == "online"
                           and event["who"]["key"] == other.key, patience)

    def knows(self, member, other, patience=30):
        """Whether a member knows the other as here in time: in a large room, no event tells of each newcomer."""
        deadline, name = time.monotonic() + patience, other.ready["self"]["displayName"]
        while time.monotonic() < deadline:
            answer = self.ask(member, f"whois {name}")
            if answer["event"] == "result" and answer["who"]["key"] == other.key and answer["state"] != "offline":
                return True
            self.read(0.02)
        return False

    def expect(self, member, matches, patience=30, looked=0):
        """The first event of a member that matches, behind the first `looked` ones; None if there is none in time."""
        deadline = time.monotonic() + patience
        while True:
            for event in member.events[looked:]:
                if matches(event):
                    return event
            looked = len(member.events)
            if time.monotonic() > deadline:
                return None
            self.read(0.1)

    def say(self, member, line):
        member.write(line)

    def ask(self, member, command):
        """The answer to a command."""
        known = len(member.events)
        member.write("/" + command)
        name = command.split()[0]
        answer = self.expect(member, lambda event: event["event"] in ("result", "error")
                             and event.get("command", name) == name, looked=known)
        assert answer, f"no answer to {command}"
        return answer

    def read(self, patience):
        for key, _ in self.selector.select(max(0, patience)):
            if not isinstance(key.data, Member):
                key.data()
                continue
            now = time.perf_counter()
            for line in key.data.lines():
                self.take(key.data, line, now)

    def take(self, member, line, now):
        found = SAID.search(line)
        if found:
            author, number = int(found[1]), int(found[2])
            if author != member.host:
                self.repaired += b'"history":true' in line and member in self.members
                self.heard.setdefault((number, member.host), now)
            return
        event = json.loads(line)
        member.events.append(event)
        if event["event"] == "peer" and event["state"] == "offline":
            member.offline.append(event["who"]["key"])

    def chat(self, seconds):
        """All members send lines in turn, each 1.8 a second; the numbers of the lines."""
        end, first = time.perf_counter() + seconds, self.number
        due = time.perf_counter()
        while time.perf_counter() < end:
            due += PAUSE / len(self.members)
            while (wait := due - time.perf_counter()) > 0:
                self.read(wait)
            member = self.members[self.turn % len(self.members)]
            self.turn += 1
            self.said[self.number] = (member, time.perf_counter())
            member.write(f"said-{member.host}-{self.number}")
            self.number += 1
        return range(first, self.number)

    def latencies(self, numbers):
        """The delay of each delivery to or from the victim, in seconds, and the number of lost ones."""
        found, missing = [], 0
        for number in numbers:
            author, begun = self.said[number]
            listeners = self.members[1:] if author is self.victim else [self.victim]
            for listener in listeners:
                heard = self.heard.get((number, listener.host))
                if heard is None:
                    missing += 1
                else:
                    found.append(heard - begun)
        return found, missing

    def counters(self, member=None):
        answer = self.ask(member or self.victim, "stats")
        return {name: value for name, value in answer.items() if isinstance(value, int)}

    def sends(self):
        """The public messages that honest members have sent, counted once for each link."""
        return sum(self.counters(member).get("sent_public_message", 0) for member in self.members)

    def lost(self):
        """The number of events in which an honest member saw another one leave."""
        keys = {member.key for member in self.members}
        return sum(key in keys for member in self.members for key in member.offline)

    def close(self):
        self.selector.close()
        for member in self.members:
            member.process.kill()
            member.process.wait()

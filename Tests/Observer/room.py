"""A room of real nodes on hosts of their own, driven by their standard input, while every packet between them is captured.

Importing this module moves the process into an empty network; see Tests/Hosts/hosts.py.
"""

import contextlib
import json
import os
import random
import selectors
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "Hosts"), str(HERE.parent / "Support")]

from hosts import Hosts  # noqa: E402

# The events that the observer's script reads; the others are skipped unparsed.
READ = tuple(f'"event":"{name}"'.encode() for name in ("ready", "peer", "request", "direct", "delivered", "error", "notice"))
OWN_DIRECT = (b'"conversation":"direct"', b'"isFromCurrentUser":true')
# A peer sends two messages a second at most (`--rate`); requests stay below it.
PAUSE_OF_REQUESTS = 0.7


class Node:
    """One process of the program. `events` has those of `READ`, `delays` the seconds until a whisper was marked as delivered."""

    def __init__(self, hosts, host, program, options):
        self.host, self.rest, self.events = host, b"", []
        self.written, self.ids, self.delays = {}, {}, []
        command = [program, "--json", "--no-config", "--no-control", "--allow-root", "--nick", f"node-{host}",
                   "--discovery", "embedded", *options]
        self.process = hosts.start(host, command, text=False, stderr=subprocess.DEVNULL)
        os.set_blocking(self.process.stdout.fileno(), False)

    def write(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def whisper(self, other, text):
        """Sends a direct message; `text` is unique. The time, in seconds since 1970."""
        self.written[text] = now = time.time()
        self.write(f"/msg {other.number} {text}")
        return now

    def read(self):
        data = self.process.stdout.read(1 << 20)
        if data == b"":
            raise RuntimeError(f"node {self.host} ended with {self.process.wait()}")
        now = time.time()
        *lines, self.rest = (self.rest + (data or b"")).split(b"\n")
        for line in lines:
            if all(word in line for word in OWN_DIRECT):
                message = json.loads(line)
                self.ids[message["id"]] = message["text"]
            elif any(word in line for word in READ):
                self._take(json.loads(line), now)

    def _take(self, event, now):
        if event["event"] != "delivered":
            self.events.append(event)
            return
        for text in map(self.ids.get, event["ids"]):
            if text in self.written:
                self.delays.append(now - self.written.pop(text))

    def processor_seconds(self):
        """The time on a processor of all threads, to a nanosecond."""
        tasks = Path(f"/proc/{self.process.pid}/task")
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir()) / 1e9


class Room:
    """`count` nodes that have met, on the hosts 1, 2, ...; a context. The nodes are numbered from 0 in `nodes`."""

    def __init__(self, count, program, capture, options=(), seed=1):
        self.count, self.program, self.path, self.options = count, program, capture, list(options)
        self.random = random.Random(f"{seed} {count}")
        self.selector = selectors.DefaultSelector()
        self.nodes = []

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        try:
            self.hosts = self.stack.enter_context(Hosts(self.count, daemon=False, family="ipv4"))
            self._introduce_hosts()
            self.capture = self.hosts.capture(self.path)
            self.nodes = [self._join(host) for host in range(1, self.count + 1)]
            self._meet()
        except BaseException:
            self.stack.close()
            raise
        return self

    def __exit__(self, *_):
        self.selector.close()
        # On a busy machine a host may end late; all of them end with this process, and no result is lost for it.
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.stack.close()

    @property
    def addresses(self):
        """The IPv4 address of each node."""
        return [self.hosts.address(node.host) for node in self.nodes]

    def _introduce_hosts(self):
        """Enters all hosts as neighbours for good: the kernel's table has 1,024 others, for all namespaces together."""
        cards = {host: json.loads(self.hosts.run(host, ["ip", "-j", "link", "show", "eth0"]))[0]["address"]
                 for host in self.hosts.hosts}
        for host in cards:
            lines = [f"neigh replace {self.hosts.address(other)} lladdr {card} dev eth0 nud permanent"
                     for other, card in cards.items() if other != host]
            subprocess.run(self.hosts.command(host, ["ip", "-batch", "-"]), input="\n".join(lines), text=True, check=True)

    def _join(self, host):
        node = Node(self.hosts, host, self.program, self.options)
        self.selector.register(node.process.stdout, selectors.EVENT_READ, node)
        return node

    def _meet(self):
        for node in self.nodes:
            ready = self.expect(node, "ready", lambda event: True)
            node.number, node.key = ready["self"]["number"], ready["self"]["key"]
        for node in self.nodes:
            for other in self.nodes:
                if other is not node:
                    self.expect(node, "peer", lambda event: event["who"]["key"] == other.key)

    def read(self, seconds):
        """Reads events for so long, or until the first ones."""
        for key, _ in self.selector.select(max(0, seconds)):
            key.data.read()

    def expect(self, node, name, matches, patience=60):
        """The first event of a node with that name that matches."""
        deadline = time.monotonic() + patience
        while True:
            for event in node.events:
                if event["event"] == name and matches(event):
                    return event
            if time.monotonic() > deadline:
                raise RuntimeError(f"node {node.host} saw no {name}; its last events: {node.events[-5:]}")
            self.read(0.1)

    def accept(self, pairs):
        """Each pair of node numbers gets an accepted direct conversation."""
        wanted = {}
        for pair in {tuple(sorted(pair)) for pair in pairs}:
            wanted.setdefault(pair[0], []).append(pair[1])
        rounds = max(map(len, wanted.values()), default=0)
        for turn in range(rounds):
            asked = [(self.nodes[one], self.nodes[others[turn]]) for one, others in wanted.items() if turn < len(others)]
            for one, other in asked:
                one.write(f"/msg {other.number} may I?")
            for one, other in asked:
                self.expect(other, "request", lambda event: event["from"]["key"] == one.key)
                other.write(f"/accept {one.number}")
            for one, other in asked:
                self.expect(one, "direct", lambda event: event["state"] == "accepted" and event["with"]["key"] == other.key)
            self.pause(PAUSE_OF_REQUESTS)
        for node in self.nodes:
            node.events.clear()

    def pause(self, seconds):
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.read(left)

    def text(self, mark):
        """A text that begins with the unique `mark`; one of five is in letters of three bytes, and long."""
        if self.random.random() < 0.2:
            return mark + " " + "안" * self.random.randint(150, 200)
        return mark + " " + "x" * self.random.randint(1, 150)

    def perform(self, plan):
        """Performs the acts of a plan: dictionaries with `at` (in seconds from now), `kind`, `from` and, of a whisper, `to`.
        Returns them with `time`, in seconds since 1970, in place of `at`."""
        begun, performed = time.monotonic(), []
        for act in sorted(plan, key=lambda act: act["at"]):
            self.pause(begun + act["at"] - time.monotonic())
            performed.append(self._perform({key: value for key, value in act.items() if key != "at"}))
        return performed

    def _perform(self, act):
        self.mark = getattr(self, "mark", 0) + 1
        text = self.text(f"{act['kind']}-{self.mark}")
        now = time.time()
        if act["kind"] == "public":
            self.nodes[act["from"]].write(text)
        elif act["kind"] in ("whisper", "conversation"):
            now = self.nodes[act["from"]].whisper(self.nodes[act["to"]], text)
        return act | {"time": now}

    def refused(self):
        """The errors that nodes reported since all had met."""
        return [event for node in self.nodes for event in node.events if event["event"] == "error"]

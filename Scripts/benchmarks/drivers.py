"""Processes that implement the driver protocol, each a node of one group (Docs/Benchmarks.md)."""

import contextlib
import array
import json
import os
import selectors
import subprocess
import time
from pathlib import Path


# Seconds after which a node without input is idle.
REST = 2


class DriverFailure(Exception):
    """A node ended, or did not answer in time."""


def clock():
    """The monotonic clock in nanoseconds, with which nodes stamp their texts."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


class Driver:
    """One node. Its process calls `enter` first."""

    def __init__(self, number, command, environment, enter, log):
        self.number = number
        self.events, self.answers = {}, []
        self.started = clock()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
            env={**os.environ, **environment}, preexec_fn=enter)
        os.set_blocking(self.process.stdout.fileno(), False)
        self._rest = b""

    @property
    def pid(self):
        return self.process.pid

    def send(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def read(self):
        """Reads the node's output; false once it has ended."""
        try:
            data = os.read(self.process.stdout.fileno(), 65536)
        except BlockingIOError:
            return True
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            word, _, rest = line.decode(errors="replace").partition(" ")
            if word in ("ok", "stat", "ring"):
                self.answers.append((word, rest))
            else:
                self.events[word] = rest
        return bool(data)

    def end(self):
        # A node that ended early has not read its last command.
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def processor_time(self):
        """The processor time so far, in nanoseconds, ended threads included."""
        # The number of the process's clock (clock_getcpuclockid(3)).
        return time.clock_gettime_ns(~self.pid << 3 | 2)

    def memory(self):
        """The proportional set size (PSS), in bytes: a shared page counts in parts."""
        return self._memory("Pss")

    def private_memory(self):
        """The private memory, in bytes."""
        return self._memory("Private_Clean", "Private_Dirty")

    def _memory(self, *kinds):
        fields = dict(line.split(":", 1) for line in Path(f"/proc/{self.pid}/smaps_rollup").read_text().splitlines()[1:])
        return sum(int(fields[kind].split()[0]) for kind in kinds) * 1024

    def traffic(self):
        """The bytes and packets that the node's network card has received and sent; needs a network of its own."""
        for line in Path(f"/proc/{self.pid}/net/dev").read_text().splitlines():
            name, _, counters = line.partition(":")
            if name.strip() == "eth0":
                fields = [int(field) for field in counters.split()]
                return fields[0], fields[1], fields[8], fields[9]
        raise DriverFailure("no eth0")


class Group:
    """Nodes of one kind, on one network."""

    def __init__(self, candidate, network, size, folder):
        self.candidate, self.network, self.size, self.folder = candidate, network, size, Path(folder)
        self.nodes = {}
        self.epoch = 0
        # The private memory of each node, in bytes, when all have links and nothing was sent yet; empty if nodes do
        # not report their links.
        self.silent_memory = []
        self._log = open(self.folder / "log", "ab")
        self._selector = selectors.DefaultSelector()

    def spawn(self, number):
        address = self.network.address(number)
        words = {"id": number, "n": self.size, "ip": address, "dir": self.folder}
        own = self.candidate.centre if number == 0 and self.candidate.centre else self.candidate.command
        command = [word.format(**words) for word in own]
        environment = {
            "PB_ID": str(number), "PB_N": str(self.size), "PB_IP": address, "PB_HUB": address, "PB_PORT": "47000",
            "PB_DIR": str(self.folder), "PB_VARIANT": f"{self.candidate.variant} {self.network.variant}".strip()}
        node = Driver(number, command, environment, self.network.enter(number), self._log)
        self.nodes[number] = node
        self._selector.register(node.process.stdout, selectors.EVENT_READ, node)
        return node

    def drop(self, number):
        node = self.nodes.pop(number)
        self._selector.unregister(node.process.stdout)
        node.send("quit")
        node.end()

    def wait(self, condition, timeout):
        """Waits for the condition; false if it did not become true in time."""
        end = time.monotonic() + timeout
        while not condition():
            left = end - time.monotonic()
            if left <= 0:
                return False
            for key, _ in self._selector.select(left):
                if not key.data.read():
                    raise DriverFailure(f"node {key.data.number} ended; see {self.folder}/log")
        return True

    def ask(self, line, answer="ok", timeout=30):
        """Node number -> its answer."""
        for node in self.nodes.values():
            node.answers.clear()
            node.send(line)

        def found(node):
            return next((rest for word, rest in node.answers if word == answer), None)

        if not self.wait(lambda: all(found(node) is not None for node in self.nodes.values()), timeout):
            raise DriverFailure(f"{line!r} was not answered by all")
        return {number: found(node) for number, node in self.nodes.items()}

    def statistics(self):
        return {number: json.loads(text) for number, text in self.ask("stat", "stat").items()}

    def reset(self, epoch=None):
        """Clears all counts. Each measurement has an epoch; a node starts with epoch 0."""
        self.epoch = self.epoch + 1 if epoch is None else epoch
        for node in self.nodes.values():
            for word in ("done", "pubdone"):
                node.events.pop(word, None)
        self.ask(f"reset {self.epoch}")

    def begin(self, timeout=300):
        """Starts all nodes at once and returns when each has received a text of each: seconds until all were ready, and until
        all had met, without the rest in which memory is measured."""
        began = time.monotonic()
        for number in range(self.size):
            self.spawn(number)
        nodes = self.nodes.values()
        if not self.wait(lambda: all("ready" in node.events for node in nodes), timeout):
            raise DriverFailure("not all became ready")
        ready = time.monotonic() - began
        if self.candidate.tells_links:
            began += self.look_at_silence(began + timeout)
        while True:
            self.settle(began + timeout)
            for node in nodes:
                node.send("pub 1 0")
            self.wait(lambda: False, 0.5)
            heard, linked = [statistics["senders"] for statistics in self.statistics().values()], self.linked()
            if all(count >= self.size - 1 for count in heard + linked):
                return ready, time.monotonic() - began
            if time.monotonic() - began > timeout:
                raise DriverFailure(f"not all have met: they heard {spread(heard)} and have links with {spread(linked)}")

    def linked(self):
        """The number of links of each node that reports them; texts also arrive over other nodes."""
        return [int(node.events["peers"].split()[0]) for node in self.nodes.values() if "peers" in node.events]

    def look_at_silence(self, end):
        """Waits for all links, then rests and measures their memory; the seconds that it rested."""
        def all_linked():
            counts = self.linked()
            return len(counts) == self.size and min(counts) >= self.size - 1

        if not self.wait(all_linked, end - time.monotonic()):
            return 0
        began = time.monotonic()
        self.wait(lambda: False, REST)
        self.silent_memory = [node.private_memory() for node in self.nodes.values()]
        return time.monotonic() - began

    def settle(self, end):
        """Waits while nodes report new links, because texts sent meanwhile would slow down a large group."""
        peers, last = None, []
        while peers != last and time.monotonic() < end:
            last = peers
            self.wait(lambda: False, 0.25)
            peers = self.linked()

    def latencies(self):
        """The latencies of all deliveries since the last reset, in nanoseconds, sorted."""
        file = self.folder / "latencies"
        file.unlink(missing_ok=True)
        self.ask(f"lat {file}")
        return sorted(array.array("Q", file.read_bytes()))

    def processor_time(self):
        return sum(node.processor_time() for node in self.nodes.values())

    def end(self):
        for node in self.nodes.values():
            try:
                node.send("quit")
            except OSError:
                pass
        for node in self.nodes.values():
            node.end()
        self._selector.close()
        self._log.close()


def spread(counts):
    """The least, the median and the most of some counts, in words."""
    counts = sorted(counts)
    return f"{counts[0]} to {counts[-1]} others ({counts[len(counts) // 2]} in the middle)" if counts else "none"

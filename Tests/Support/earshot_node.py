"""A running earshot node, driven by its standard input and read by its JSON events."""

import json
import os
import pathlib
import queue
import signal
import subprocess
import threading
import time
from datetime import datetime

import contract

# A shell's background processes ignore SIGINT, and programs started here would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The configuration of this machine's user is no part of a test; no process can make a folder in /proc.
os.environ["XDG_CONFIG_HOME"] = "/proc/none"
# Keeps the tests away from the control socket of a node that this machine's user runs.
os.environ.pop("XDG_RUNTIME_DIR", None)
# Tests may run as root, such as in a container, where the program would refuse to start.
os.environ["EARSHOT_ALLOW_ROOT"] = "true"

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("EARSHOT_BINARY", str(ROOT / ".build" / "debug" / "earshot"))
# By how much the clocks by which two nodes of one machine sign may differ, in seconds (Docs/Protocol.md, clockShiftMilliseconds).
CLOCK_SHIFT = 1
# True if the program was built with a sanitizer, which uses much memory and delays freeing it.
HAS_SANITIZER = bool(os.environ.get("ASAN_OPTIONS") or os.environ.get("TSAN_OPTIONS"))


def on(hosts, host):
    """Launches on a host of `hosts`."""
    return lambda command, **options: hosts.start(host, command, text=False, **options)


class Lines:
    """The lines of a pipe. A thread of its own reads them, so that waiting has a limit."""

    def __init__(self, pipe):
        self.seen = []
        self._queue = queue.Queue()
        self._thread = threading.Thread(target=self._read, args=(pipe,), daemon=True)
        self._thread.start()

    def _read(self, pipe):
        for line in pipe:
            self._queue.put((time.monotonic(), line.decode("utf-8").rstrip("\n")))
        self._queue.put(None)
        pipe.close()

    def next(self, deadline):
        """(monotonic time, line), or None at the end of the pipe or at the deadline."""
        try:
            item = self._queue.get(timeout=max(0, deadline - time.monotonic()))
        except queue.Empty:
            return None
        if item is None:
            self._queue.put(None)
            return None
        self.seen.append(item[1])
        return item


class Node:
    """One earshot process. `launch` starts a command on any host and returns its Popen; see `on`."""

    def __init__(self, launch, name, *options, json_mode=True):
        self.name = name
        mode = ["--json"] if json_mode else ["--plain"]
        self.started = time.monotonic()
        self.process = launch([BINARY, *mode, "--nick", name, *options],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.lines = Lines(self.process.stdout)
        self.errors = Lines(self.process.stderr)
        self.events = []
        self.times = []
        self._read = 0

    def say(self, line):
        self.write(line.encode("utf-8") + b"\n")

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def wait(self, matches, what, timeout=20.0, from_start=True):
        """The first event that matches, including those already read if `from_start`; fails with the last lines read."""
        deadline = time.monotonic() + timeout
        if from_start:
            for event in self.events:
                if matches(event):
                    return event
        while True:
            item = self.lines.next(deadline)
            if item is None:
                read = "\n".join(self.lines.seen[-30:])
                errors = "\n".join(self.errors.seen[-10:])
                raise AssertionError(f"{self.name}: no {what} within {timeout} s; it said:\n{read}\n{errors}")
            event = json.loads(item[1])
            contract.check(event)
            self.events.append(event)
            self.times.append(item[0])
            if matches(event):
                return event

    def wait_line(self, text, timeout=20.0):
        """The first plain line that contains `text`."""
        for line in self.lines.seen:
            if text in line:
                return line
        deadline = time.monotonic() + timeout
        while True:
            item = self.lines.next(deadline)
            if item is None:
                raise AssertionError(f"{self.name}: no line with {text!r}; it said:\n" + "\n".join(self.lines.seen))
            if text in item[1]:
                return item[1]

    def ready(self):
        return self.wait(lambda e: e["event"] == "ready", "ready")

    @property
    def key(self):
        return self.ready()["self"]["key"]

    @property
    def number(self):
        return self.ready()["self"]["number"]

    def uses_discovery(self, mode, timeout=30.0):
        """Waits until the node's discovery is `mode`, which on a machine with a slow daemon is not the first one."""
        if self.ready()["discovery"] != mode:
            self.wait(lambda e: e["event"] == "notice" and e["code"] == "discovery_changed" and f"is now {mode}:" in e["message"],
                      f"change to {mode}", timeout)

    def sees(self, other, timeout=20.0):
        return self.wait(lambda e: e["event"] == "peer" and e["state"] == "online" and e["who"]["key"] == other.key,
                         f"sight of {other.name}", timeout)

    def loses(self, other, timeout=20.0):
        return self.wait(lambda e: e["event"] == "peer" and e["state"] == "offline" and e["who"]["key"] == other.key,
                         f"leaving of {other.name}", timeout)

    def hears(self, text, timeout=20.0):
        return self.wait(lambda e: e["event"] == "message" and e["text"] == text, f"message {text!r}", timeout)

    def result(self, command, timeout=10.0):
        """Runs a command and returns its result event."""
        self.say("/" + command)
        name = command.split()[0]
        return self.wait(lambda e: e["event"] == "result" and e["command"] == name, f"result of {command}", timeout,
                         from_start=False)

    def counts(self, name, value, timeout=20.0):
        """Waits until a counter of `/stats` has a value: a server learns of a closed connection after its client."""
        deadline = time.monotonic() + timeout
        while (count := self.result("stats")[name]) != value:
            if time.monotonic() > deadline:
                raise AssertionError(f"{self.name}: {name} is {count}, not {value}, after {timeout} s")

    def quit(self, timeout=15.0):
        """Leaves with /quit; the exit code."""
        if self.process.poll() is None:
            try:
                self.say("/quit")
                self.process.stdin.close()
            except BrokenPipeError:
                pass
        return self.process.wait(timeout)

    def kill(self):
        self.process.kill()
        self.process.wait()


def outlast(message):
    """Returns when a message that any node of this machine says from now on is signed with a later time than this one, whether or not
    it was heard there."""
    later = datetime.fromisoformat(message["sentAt"]).timestamp() + CLOCK_SHIFT
    # Wall clocks have no event.
    while time.time() <= later + 0.001:
        time.sleep(0.01)


def all_meet(nodes, timeout=30.0):
    for node in nodes:
        node.ready()
    for node in nodes:
        for other in nodes:
            if other is not node:
                node.sees(other, timeout)


def all_talk(nodes):
    """Each node sends a line, and each receives all of them, its own too."""
    for node in nodes:
        node.say(f"hello from {node.name}")
    for node in nodes:
        for other in nodes:
            node.hears(f"hello from {other.name}")

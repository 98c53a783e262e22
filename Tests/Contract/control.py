"""Programs that talk to a running node over its control socket."""

import json
import os
import pathlib
import socket
import subprocess
import tempfile
import time

import contract
from earshot_node import BINARY, Lines
from people import People

# The lines of the socket that standard output does not have.
OWN_EVENTS = {
    "control": {"event": contract.one_of("control"), "protocol": lambda value: value == 1,
                "version": contract.matching(r"\d+\.\d+\.\d+")},
    "end": {"event": contract.one_of("end")},
    "parted": {"event": contract.text, "room": contract.text},
    "requestEnded": {"event": contract.text, "room": contract.text, "key": contract.matching(r"[0-9a-f]{64}")},
    "line": {"event": contract.one_of("line"), "text": contract.matching(r"[^\n]+")},
}
OWN_CODES = ("bad_request", "busy", "leaving")


def check(event):
    """Raises Breach unless `value` is a line of a control socket."""
    shape = OWN_EVENTS.get(event["event"])
    if event["event"] == "message" and event.get("snapshot") is True:
        event = {name: value for name, value in event.items() if name != "snapshot"}
    if event["event"] == "error" and event["code"] in OWN_CODES:
        shape = {"event": contract.text, "code": contract.text, "message": contract.SENTENCE}
    if event["event"] == "result" and event["command"] == "prometheus":
        shape = {"event": contract.text, "command": contract.text, "text": contract.text}
    odd = contract.breaches(event, shape) if shape else contract.check(event)
    if odd:
        raise contract.Breach("; ".join(odd))


class Client:
    """A program at the other end of a control socket."""

    def __init__(self, path, timeout=20.0):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.socket.settimeout(timeout)
        self.file = self.socket.makefile("rb")

    def write(self, data):
        self.socket.sendall(data)

    def read(self):
        """The next event; None at the end."""
        line = self.file.readline()
        if not line:
            return None
        event = json.loads(line)
        check(event)
        return event

    def answer(self):
        """All events up to the next end."""
        events = []
        while (event := self.read()) != {"event": "end"}:
            if event is None:
                raise AssertionError(f"no end behind {events}")
            events.append(event)
        return events

    def ask(self, request):
        self.write(request.encode() + b"\n")
        return self.answer()

    def next(self, name, **fields):
        """The next event of that name with these fields."""
        while (event := self.read()) is not None:
            if event["event"] == name and all(event.get(key) == value for key, value in fields.items()):
                return event
        raise AssertionError(f"no {name} {fields}")

    def close(self):
        self.file.close()
        self.socket.close()


class Controlled(People):
    """Nodes with a control socket, in a folder of their own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="earshot-control-")
        self.addCleanup(folder.cleanup)
        self.runtime = pathlib.Path(folder.name)
        self.path = self.runtime / "earshot" / "control"
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=str(self.runtime), TZ="UTC")

    def controlled(self, name="alice", *options, **more):
        """A node with its control socket at the default path."""
        return self.person(name, *options, launch=self.launch, **more)

    def launch(self, command, **options):
        return subprocess.Popen(command, env=self.environment, **options)

    def client(self, path=None):
        client = Client(path or self.path)
        self.addCleanup(client.close)
        self.assertEqual(client.read()["event"], "control")
        return client

    def earshot(self, *words, code=0, text=None, timeout=30):
        """Runs a command to its end; standard output and standard error."""
        done = subprocess.run([BINARY, *words], env=self.environment, input=text, text=True, capture_output=True, timeout=timeout)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout, done.stderr

    def eventually(self, holds, patience=20):
        """Polls until `holds` returns true."""
        deadline = time.monotonic() + patience
        while not holds():
            self.assertLess(time.monotonic(), deadline)

    def tailing(self, *words):
        """`earshot tail` with its lines, once it receives events."""
        process = subprocess.Popen([BINARY, "tail", *words], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process, Lines(process.stdout)

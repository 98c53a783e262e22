"""A client of a running node's control socket (Docs/Control.md), for Python programs, and a small program of it.

    python3 control.py            prints events as they happen
    python3 control.py say hello  says a text to the open room
"""

import json
import os
import socket
import sys


class Refused(Exception):
    """The node refuses a request: `code` is one of Docs/JSON.md or Docs/Control.md."""

    def __init__(self, line):
        super().__init__(f"{line.get('message')} ({line.get('code')})")
        self.code = line.get("code")


class Node:
    """A connection to a node. Its calls wait; a program that also reads events uses a second connection for them."""

    def __init__(self, path=None):
        self.path = path or os.path.join(os.environ["XDG_RUNTIME_DIR"], "earshot", "control")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(self.path)
        self.lines = self.socket.makefile("r", encoding="utf-8", newline="\n")
        greeting = self.line()
        if greeting["event"] == "error":
            raise Refused(greeting)
        if greeting.get("protocol") != 1:
            raise ConnectionError(f"the node at {self.path} is of another version")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lines.close()
        self.socket.close()

    def line(self):
        """The next line, as a dictionary."""
        text = self.lines.readline()
        if not text:
            raise ConnectionError("the node has closed the connection")
        return json.loads(text)

    def answer(self):
        """The lines up to the end of an answer, as they come."""
        while (line := self.line())["event"] != "end":
            yield line

    def request(self, text):
        """The lines that answer a request; raises `Refused` for the first error among them."""
        if "\n" in text:
            raise ValueError("a request is one line")
        self.socket.sendall(text.encode() + b"\n")
        lines = list(self.answer())
        for line in lines:
            if line["event"] == "error":
                raise Refused(line)
        return lines

    def say(self, text, to=None, room=None):
        """Says a text to a room, or to a person by number, nickname or key. Returns the message; it waits for the pace of the node."""
        receiver = f"to {quoted(to)} " if to else ""
        return next(line for line in self.request(f"{place(room)}{receiver}say {text}") if line["event"] == "message")

    def command(self, line, room=None):
        """Performs a command of the chat, such as `/who`; returns its events and its result."""
        return self.request(f"{place(room)}command {line}")

    def metrics(self):
        """The counters in Prometheus' text format."""
        return self.request("prometheus")[-1]["text"]

    def events(self, history=False):
        """Events as they happen, until the node leaves. The connection is for nothing else then."""
        self.socket.sendall(b"tail history\n" if history else b"tail\n")
        return self.answer()


def quoted(name):
    """A name as a word of a request."""
    if name and not any(character.isspace() or character == '"' for character in name):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def place(room):
    return f"in {quoted(room)} " if room else ""


def main(words):
    with Node() as node:
        if words[:1] == ["say"]:
            print(node.say(" ".join(words[1:]))["id"])
            return
        for event in node.events():
            if event["event"] == "message":
                print(event["from"]["displayName"], event["text"], flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

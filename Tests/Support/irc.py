"""Clients of the IRC face that share no code with it: raw lines over TCP and over WebSocket (Docs/IRC.md)."""

import base64
import re
import socket
import time
from dataclasses import dataclass, field

import websocket
from web import Served, WebTest, started

UNESCAPED = {":": ";", "s": " ", "\\": "\\", "r": "\r", "n": "\n"}
PATIENCE = 20
# The capabilities that Docs/IRC.md lists.
CAPABILITIES = (
    "account-notify", "account-tag", "away-notify", "batch", "cap-notify", "chghost", "draft/chathistory", "draft/event-playback",
    "draft/message-editing", "draft/message-redaction", "draft/metadata-2", "draft/read-marker", "echo-message", "extended-join",
    "extended-monitor", "invite-notify", "labeled-response", "message-tags", "multi-prefix", "sasl", "server-time", "setname",
    "standard-replies", "userhost-in-names",
)
# Those of a client that shows everything.
MODERN = tuple(name for name in CAPABILITIES if name not in ("sasl", "chghost"))


def unescaped(value):
    """The value of a tag (IRCv3, message tags)."""
    return re.sub(r"\\(.?)", lambda match: UNESCAPED.get(match[1], match[1]), value, flags=re.S)


def escaped(value):
    for letter, name in (("\\", "\\\\"), (";", "\\:"), (" ", "\\s"), ("\r", "\\r"), ("\n", "\\n")):
        value = value.replace(letter, name)
    return value


@dataclass
class Line:
    """A line from a server; no grammar of a server is more lenient than this parser."""

    raw: str
    command: str
    params: list
    source: str = ""
    tags: dict = field(default_factory=dict)

    @property
    def nick(self):
        return self.source.split("!")[0]

    @property
    def text(self):
        return self.params[-1] if self.params else ""


LINE = re.compile(r"(?:@(?P<tags>[^ ]+) +)?(?::(?P<source>[^ ]+) +)?(?P<command>[A-Z]+|\d{3})(?P<rest>(?: +[^: ][^ ]*)*(?: +:.*)?) *")


def parsed(raw):
    found = LINE.fullmatch(raw)
    assert found, f"no line of IRC: {raw!r}"
    assert not re.search(r"[\0\r\n]", raw), raw
    tags = dict(pair.partition("=")[::2] for pair in (found["tags"] or "").split(";") if pair)
    middle, mark, last = found["rest"].partition(" :")
    params = middle.split() + ([last] if mark else [])
    return Line(raw, found["command"], params, found["source"] or "", {name: unescaped(value) for name, value in tags.items()})


class Stream:
    """Lines over TCP."""

    def __init__(self, port, host="127.0.0.1"):
        self.socket = socket.create_connection((host, port), timeout=PATIENCE)
        self.rest = b""

    def write(self, data):
        self.socket.sendall(data)

    def send(self, line):
        self.write(line.encode() + b"\r\n")

    def read(self):
        """The next line, None at the end."""
        while b"\n" not in self.rest:
            try:
                data = self.socket.recv(65536)
            except ConnectionResetError:
                return None
            if not data:
                assert not self.rest, f"the end is within a line: {self.rest!r}"
                return None
            self.rest += data
        line, _, self.rest = self.rest.partition(b"\n")
        assert line.endswith(b"\r"), line
        tags, space, body = line.partition(b" ") if line.startswith(b"@") else (b"", b"", line)
        # A text of 240 characters needs more than the 512 bytes of RFC 1459: ISUPPORT has LINELEN. The tags have 8,191 more.
        assert len(body) + 1 <= 4096, f"{len(body) + 1} bytes: {body!r}"
        assert len(tags + space) <= 8191, len(tags)
        return line[:-1].decode()

    def close(self):
        self.socket.close()


class WebStream:
    """Lines over WebSocket, one in each message."""

    def __init__(self, port, protocol="text.ircv3.net", **options):
        self.client = websocket.create_connection(f"ws://127.0.0.1:{port}/irc", timeout=PATIENCE, subprotocols=[protocol], **options)
        self.is_binary = protocol.startswith("binary")

    def send(self, line):
        if self.is_binary:
            self.client.send_binary(line.encode())
        else:
            self.client.send(line)

    def read(self):
        code, data = self.client.recv_data()
        if code == websocket.ABNF.OPCODE_CLOSE:
            return None
        assert code == (websocket.ABNF.OPCODE_BINARY if self.is_binary else websocket.ABNF.OPCODE_TEXT), code
        return data.decode()

    def close(self):
        self.client.shutdown()


class IRC:
    """A client of the face."""

    def __init__(self, stream):
        self.stream = stream
        self.seen = []
        self.marks = 0

    def send(self, *lines):
        for line in lines:
            self.stream.send(line)

    def read(self):
        """The next line, None at the end; answers a ping of the server."""
        raw = self.stream.read()
        if raw is None:
            return None
        line = parsed(raw)
        self.seen.append(line)
        if line.command == "PING":
            self.send(f"PONG :{line.params[0]}")
        return line

    def wait(self, matches, what):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                line = self.read()
            except (TimeoutError, websocket.WebSocketTimeoutException):
                break
            if line is None:
                raise AssertionError(f"the connection ended before {what}; it said\n" + self.said())
            if matches(line):
                return line
        raise AssertionError(f"no {what} within {PATIENCE} s; it said\n" + self.said())

    def said(self):
        return "\n".join(line.raw for line in self.seen[-30:])

    def next(self, command, *start, text=None, nick=None, **tags):
        """The next line of a command with these first parameters, this last one, this source and these tags."""
        names = {name.replace("_", "-"): value for name, value in tags.items()}
        return self.wait(lambda line: line.command == command and line.params[:len(start)] == list(start)
                         and (text is None or line.text == text) and (nick is None or line.nick == nick)
                         and all(line.tags.get(name) == value for name, value in names.items()), f"{command} {start} {text or ''}")

    def ask(self, *lines):
        """Sends lines; the lines that come before the answer to a PING behind them."""
        self.marks += 1
        mark = f"mark-{self.marks}"
        self.send(*lines, f"PING {mark}")
        found = len(self.seen)
        self.wait(lambda line: line.command == "PONG" and line.text == mark, f"answer to {lines}")
        return [line for line in self.seen[found:-1] if line.command != "PING"]

    def answer(self, line, *commands):
        """The first line of these commands in the answer."""
        told = self.ask(line)
        found = [one for one in told if one.command in commands]
        assert found, f"{line}: no {commands} in " + "\n".join(one.raw for one in told)
        return found[0]

    def ends(self):
        """The lines up to the end of the connection."""
        found = len(self.seen)
        while self.read():
            pass
        return self.seen[found:]

    def close(self):
        self.stream.close()


def plain(token, name="x", authority=""):
    return base64.b64encode(f"{authority}\0{name}\0{token}".encode()).decode()


def batch(lines):
    """The lines of the only batch among `lines`, and its parameters."""
    begin = next(line for line in lines if line.command == "BATCH" and line.params[0].startswith("+"))
    name = begin.params[0][1:]
    inner = [line for line in lines if line.tags.get("batch") == name]
    assert any(line.command == "BATCH" and line.params[0] == "-" + name for line in lines), lines
    return begin.params[1:], inner


class IRCTest(WebTest):
    """Nodes with an IRC face, and clients of it."""

    def irc_served(self, name="alice", *options, launch=started):
        served = Served(name, "--irc", "0", *options, launch=launch)
        self.addCleanup(lambda: served.node.process.poll() is None and served.node.kill())
        place = served.node.wait(lambda event: event["event"] == "listening" and event["face"] == "irc", "listening")
        self.assertEqual(place["token"], served.token)
        served.irc_port = int(place["address"].rsplit(":", 1)[1])
        return served

    def stranger(self, served):
        """A client that has sent nothing."""
        client = IRC(Stream(served.irc_port))
        self.addCleanup(client.close)
        return client

    def web_stranger(self, served, protocol="text.ircv3.net"):
        client = IRC(WebStream(served.port, protocol))
        self.addCleanup(client.close)
        return client

    def registered(self, client, served, *capabilities, nick=None):
        """A client that has come in, with these capabilities, and has read what comes with it."""
        client.name = nick or served.node.name
        ask = ["CAP LS 302", f"CAP REQ :{' '.join(capabilities)}", "CAP END"] if capabilities else []
        client.send(f"PASS {served.token}", *ask[:2], f"NICK {client.name}", f"USER {client.name} 0 * :a real name", *ask[2:])
        client.name = client.next("001").params[0]
        client.first = [client.seen[-1], *client.ask()]
        return client

    def client(self, served, *capabilities, nick=None):
        return self.registered(self.stranger(served), served, *capabilities, nick=nick)

    def pair(self, *capabilities, options=()):
        """A node with a client, and another node."""
        alice = self.irc_served("alice", *options)
        bob = self.person("bob", alice)
        return alice, bob, self.client(alice, *capabilities)

    def friends(self, *capabilities):
        """As `pair`, with an accepted direct conversation."""
        alice, bob, client = self.pair(*capabilities)
        bob.say(f"/msg {alice.node.key} may I?")
        alice.node.wait(lambda event: event["event"] == "request", "request")
        alice.node.say(f"/accept {bob.key}")
        bob.wait(lambda event: event["event"] == "direct", "acceptance")
        client.ask()
        return alice, bob, client

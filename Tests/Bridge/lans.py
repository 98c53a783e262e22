"""Local networks that do not see each other, each with a route to the network of the brokers, and what is said in them.

Importing this module moves the process into a new, empty network (Tests/Hosts/hosts.py).
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests" / "Hosts"), str(ROOT / "Tests" / "Support")]

from hosts import Hosts  # noqa: E402

from amqp import PERSISTENT, Client  # noqa: E402
from broker import Broker, Certificates  # noqa: E402
from earshot_node import BINARY, Node, on  # noqa: E402

LAN_SIZE = 3
BROKER_ADDRESS = "10.99.0.1"
QUORUM = {"x_queue_type": "quorum", "x_max_length": 1_000, "x_expires": 600_000}


def ip(*words):
    subprocess.run(["ip", *map(str, words)], check=True, capture_output=True, text=True)


class Lans:
    """Two local networks of three hosts each: 1 to 3 and 4 to 6. `names` are host names with addresses of brokers."""

    def __init__(self, names=((BROKER_ADDRESS, "broker"),)):
        self.folder = tempfile.TemporaryDirectory(prefix="earshot-lans.")
        self.nodes = []
        # Hosts that are added later see this file, too.
        self.names = pathlib.Path(self.folder.name) / "names"
        self.names.write_text("127.0.0.1 localhost\n" + "".join(f"{address} {name}\n" for address, name in names))
        subprocess.run(["mount", "--bind", self.names, "/etc/hosts"], check=True)
        self.hosts = Hosts(2 * LAN_SIZE, daemon=False)

    def __enter__(self):
        self.hosts.__enter__()
        try:
            self.part()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.hosts.close()
        for address, network in (("10.77.255.254/16", "net0"), ("10.80.255.254/16", "net1")):
            subprocess.run(["ip", "addr", "del", address, "dev", network], capture_output=True)
        subprocess.run(["umount", "/etc/hosts"], capture_output=True)
        self.folder.cleanup()

    def part(self):
        """The second three hosts get a network and addresses of their own; both get routes to the brokers, none to each other."""
        second = range(LAN_SIZE + 1, 2 * LAN_SIZE + 1)
        self.hosts.partition(second)
        for host in second:
            self.hosts.set_address(host, f"10.80.0.{host}/16")
        ip("addr", "add", "10.77.255.254/16", "dev", "net0")
        ip("addr", "add", "10.80.255.254/16", "dev", "net1")
        for host in range(1, 2 * LAN_SIZE + 1):
            gateway = "10.77.255.254" if host <= LAN_SIZE else "10.80.255.254"
            self.hosts.run(host, ["ip", "route", "add", "10.99.0.0/16", "via", gateway])

    def see_each_other(self):
        """Whether a host of one network reaches a host of the other."""
        listener = self.hosts.start(4, [sys.executable, "-c", "import socket; s = socket.create_server(('', 9)); print('x', flush=True); s.accept()"])
        listener.stdout.readline()
        caller = self.hosts.start(1, [sys.executable, "-c", "import socket; socket.create_connection(('10.80.0.4', 9), 1)"])
        caller.wait(20)
        listener.kill()
        return caller.returncode == 0

    def file(self, name, text):
        path = pathlib.Path(self.folder.name) / name
        path.write_text(text)
        path.chmod(0o600)
        return str(path)

    def prepare(self, brokers, authority):
        """Makes the key and the password; `brokers` are `HOST:PORT`, joined by commas."""
        self.key = str(pathlib.Path(self.folder.name) / "key")
        subprocess.run([BINARY, "bridge", "new", self.key], check=True, capture_output=True)
        self.bridge_options = ["--bridge", f"amqps://bridge@{brokers}", "--bridge-key", self.key, "--bridge-ca", str(authority),
                               "--bridge-password", self.file("password", "secret\n")]

    def start(self, bridges=1, rate=20):
        """Starts a node on each host; the first of each network are bridges. Waits until all know each other."""
        common = ["--discovery", "embedded", "--no-control", "--bridgeable", "on", "--rate", str(rate)]
        for host in range(1, 2 * LAN_SIZE + 1):
            is_bridge = (host - 1) % LAN_SIZE < bridges
            node = Node(on(self.hosts, host), f"{'bridge' if is_bridge else 'node'}-{host}", *common, *(self.bridge_options if is_bridge else []))
            node.lan, node.is_bridge = (host - 1) // LAN_SIZE, is_bridge
            self.nodes.append(node)
        for node in self.nodes:
            for other in self.nodes:
                if other.lan == node.lan and other is not node:
                    node.sees(other, 60)
        for node in self.nodes:
            for other in self.nodes:
                if other.lan != node.lan:
                    node.wait(lambda e: e["event"] == "peer" and e["elsewhere"] and e["who"]["key"] == other.key and e["state"] != "offline",
                              f"sight of {other.name} elsewhere", 90)
        return self.nodes

    def lan(self, number):
        return [node for node in self.nodes if node.lan == number]


class Talk:
    """Lines that are said at a steady rate, by speakers in turn, and the account of them."""

    def __init__(self, speakers, listeners, name="line"):
        self.speakers, self.listeners, self.name = speakers, listeners, name
        self.said = {}
        self.first = {node: len(node.lines.seen) for node in listeners}

    def go_on(self, seconds, per_second, meanwhile=lambda elapsed: None):
        began = time.monotonic()
        count = 0
        while (elapsed := time.monotonic() - began) < seconds:
            meanwhile(elapsed)
            if count > elapsed * per_second:
                time.sleep(0.001)
                continue
            speaker = self.speakers[count % len(self.speakers)]
            text = f"{self.name} {len(self.said)}"
            self.said[text] = (speaker, time.monotonic())
            speaker.say(text)
            count += 1

    def drain(self):
        for node in self.listeners:
            while (item := node.lines.next(0)) is not None:
                node.events.append(json.loads(item[1]))
                node.times.append(item[0])

    def settle(self, timeout, since=None):
        """Waits until each listener has all that was said, or those said from a time on; the seconds that took."""
        began = time.monotonic()
        while True:
            account = self.account(since)
            if not account.missing or time.monotonic() - began > timeout:
                return time.monotonic() - began
            time.sleep(0.2)

    def account(self, since=None):
        self.drain()
        return Account(self, since)


class Account:
    """The result of a talk: missing and doubled lines, lines out of their author's order, and times."""

    def __init__(self, talk, since):
        self.said = {text: place for text, place in talk.said.items() if since is None or place[1] >= since}
        self.missing, self.doubled, self.disordered = [], [], []
        self.near, self.far, self.live, self.history = [], [], 0, 0
        for node in talk.listeners:
            heard = collections.Counter()
            latest = {}
            for event, at in zip(node.events, node.times):
                place = talk.said.get(event["text"]) if event["event"] == "message" else None
                if place is None:
                    continue
                heard[event["text"]] += 1
                speaker, said_at = place
                if speaker is node or event["text"] not in self.said:
                    continue
                if event["history"]:
                    self.history += 1
                    continue
                self.live += 1
                number = int(event["text"].rsplit(" ", 1)[1])
                if number < latest.get(speaker, -1):
                    self.disordered.append((node.name, event["text"]))
                latest[speaker] = number
                (self.near if node.lan == speaker.lan else self.far).append((at - said_at) * 1000)
            self.missing += [(node.name, text) for text in self.said if not heard[text]]
            self.doubled += [(node.name, text) for text in self.said if heard[text] > 1]

    def __str__(self):
        return (f"{len(self.said)} said, {self.live} shown live and {self.history} as history to others, {len(self.missing)} missing, "
                f"{len(self.doubled)} doubled, {len(self.disordered)} out of order")


def broker_times(port, count=200, pause=0.01, address="127.0.0.1"):
    """The times from publication to delivery over the broker alone, with confirms and a queue like that of a bridge."""
    times = []
    with Client(port, address=address) as sender, Client(port, address=address) as receiver:
        sender.exchange("earshot")
        sender.confirm()
        name = f"earshot.probe.{os.getpid()}"
        receiver.queue(name, "earshot", "earshot.probe.*", **QUORUM)
        receiver.consume(name)
        for _ in range(count):
            began = time.monotonic()
            sender.publish("earshot.probe.x", os.urandom(552), properties=PERSISTENT)
            receiver.delivery()
            times.append((time.monotonic() - began) * 1000)
            sender.confirmation()
            time.sleep(pause)
    return times


def single_broker(address=BROKER_ADDRESS):
    """A broker, started, at an address that the hosts of both networks reach."""
    subprocess.run(["ip", "addr", "add", f"{address}/32", "dev", "lo"], capture_output=True)
    folder = tempfile.mkdtemp(prefix="earshot-certificates.")
    certificates = Certificates(folder, names=("broker", "broker-1", "broker-2", "broker-3"))
    everything = ("^earshot", "^earshot", "^earshot")
    broker = Broker(certificates=certificates, secure_address=address,
                    users=(("bridge", "secret", "/", everything), ("guest", "guest", "/", everything)))
    broker.certificates = certificates
    broker.start()
    return broker

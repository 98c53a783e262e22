"""Networks of network namespaces for groups of nodes. Whoever uses them is in a namespace of its own already, with
nothing in it: no packet leaves this machine (Scripts/bench sees to that)."""

import os
import subprocess
import time

PREFIX = 16


def ip(*words):
    subprocess.run(["ip", *words], check=True)


class Flat:
    """All nodes on one host. What they say to each other goes over its loopback, in packets of 1,500 bytes."""

    name, variant = "flat", ""

    def __init__(self, size):
        ip("link", "set", "lo", "up", "mtu", "1500")
        ip("link", "add", "eth0", "type", "veth", "peer", "name", "cable")
        ip("link", "set", "cable", "up")
        ip("address", "add", f"{self.address(0)}/{PREFIX}", "broadcast", "+", "dev", "eth0")
        ip("link", "set", "eth0", "up")

    def address(self, number):
        return "10.77.0.2"

    def place(self, number):
        return self

    def wrap(self, command):
        return command

    def enter(self, process):
        pass

    def end(self):
        ip("link", "delete", "eth0")


class Lan:
    """Each node on a host of its own, all on one switch."""

    name, variant = "lan", "lan"

    def __init__(self, size):
        ip("link", "set", "lo", "up")
        # Without snooping: it would drop multicast until somebody has joined.
        ip("link", "add", "switch", "type", "bridge", "mcast_snooping", "0")
        ip("link", "set", "switch", "up")

    def address(self, number):
        return f"10.77.{1 + number // 200}.{10 + number % 200}"

    def place(self, number):
        return Host(self.address(number), f"port{number}")

    def end(self):
        ip("link", "delete", "switch")


class Host:
    """A namespace that one process is started in, and that ends with it."""

    # The process waits for its cable, then becomes the node.
    SCRIPT = 'read -r _; ip link set lo up; ip address add "$1" broadcast + dev eth0; ip link set eth0 up; shift; exec "$@"'

    def __init__(self, address, port):
        self.address, self.port = address, port

    def wrap(self, command):
        return ["unshare", "--net", "sh", "-c", self.SCRIPT, "sh", f"{self.address}/{PREFIX}", *command]

    def enter(self, process):
        ours = os.readlink("/proc/self/ns/net")
        # A new process needs a moment until it is in its namespace; nothing tells of it.
        while os.readlink(f"/proc/{process.pid}/ns/net") == ours:
            time.sleep(0.0005)
        ip("link", "add", self.port, "type", "veth", "peer", "name", "eth0", "netns", str(process.pid))
        ip("link", "set", self.port, "master", "switch", "up")
        process.stdin.write(b"\n")
        process.stdin.flush()


NETWORKS = {network.name: network for network in (Flat, Lan)}

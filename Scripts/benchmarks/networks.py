"""Networks of network namespaces for groups of nodes. Whoever uses them is in a namespace of its own already, with
nothing in it: no packet leaves this machine (Scripts/bench sees to that)."""

import ctypes
import os
import subprocess
import time
from pathlib import Path

from avahi import Avahi

PREFIX = 16
LIBRARY = ctypes.CDLL(None, use_errno=True)


def ip(*words):
    subprocess.run(["ip", *words], check=True)


class Flat:
    """All nodes on one host, which has Avahi's daemon. What they say to each other goes over its loopback, in packets of
    1,500 bytes."""

    name, variant = "flat", ""

    def __init__(self, size):
        # Programs that listen where they are told to find their ports taken by connections otherwise, or dial themselves.
        Path("/proc/sys/net/ipv4/ip_local_port_range").write_text("10000 39999")
        ip("link", "set", "lo", "up", "mtu", "1500")
        ip("link", "add", "eth0", "type", "veth", "peer", "name", "cable")
        ip("link", "set", "cable", "addrgenmode", "none", "up")
        ip("address", "add", f"{self.address(0)}/{PREFIX}", "broadcast", "+", "dev", "eth0")
        ip("link", "set", "eth0", "up")
        self.avahi = Avahi()

    def address(self, number):
        return "10.77.0.2"

    def enter(self, number):
        """What a process does first to be on the host of that node; None where it is there."""
        return None

    def end(self):
        self.avahi.end()
        ip("link", "delete", "eth0")


class Lan:
    """Each node on a host of its own, all on one switch.

    The kernel keeps the neighbours of all namespaces in one table, which has room for 1,024 unless the whole machine is
    told otherwise; 33 hosts have 1,056. Permanent entries are not counted: so every host knows every other from the
    start, and nobody asks for addresses (ARP, or ICMPv6's neighbour solicitation)."""

    name, variant = "lan", "lan"

    def __init__(self, size):
        ip("link", "set", "lo", "up")
        # Without snooping: it would drop multicast until somebody has joined.
        ip("link", "add", "switch", "type", "bridge", "mcast_snooping", "0")
        ip("link", "set", "switch", "up")
        self.hosts = [Host(number, f"{self.address(number)}/{PREFIX}") for number in range(size)]
        for host in self.hosts:
            host.batch(f"neighbour add {address} lladdr {mac(other)} dev eth0 nud permanent"
                       for other in range(size) if other != host.number
                       for address in (self.address(other), link_local(other)))

    def address(self, number):
        return f"10.77.{1 + number // 200}.{10 + number % 200}"

    def enter(self, number):
        return self.hosts[number].enter

    def end(self):
        for host in self.hosts:
            host.end()
        ip("link", "delete", "switch")


def mac(number):
    """Of the card of that host: locally administered."""
    return f"02:00:00:00:{number >> 8:02x}:{number & 255:02x}"


def link_local(number):
    """The address that the host of that card gives itself (RFC 4291, appendix A)."""
    return f"fe80::ff:fe00:{number:x}"


class Host:
    """A network namespace with a cable to the switch. It lasts as long as the process that holds it."""

    def __init__(self, number, address):
        self.number = number
        self.holder = subprocess.Popen(["unshare", "--net", "cat"], stdin=subprocess.PIPE)
        namespace = f"/proc/{self.holder.pid}/ns/net"
        ours = os.readlink("/proc/self/ns/net")
        # A new process needs a moment until it is in its namespace; nothing tells of it.
        while os.readlink(namespace) == ours:
            time.sleep(0.0005)
        self.namespace = os.open(namespace, os.O_RDONLY)
        self.port = f"port{number}"
        ip("link", "add", self.port, "type", "veth", "peer", "name", "eth0", "address", mac(number),
           "netns", str(self.holder.pid))
        ip("link", "set", self.port, "master", "switch", "up")
        self.batch(["link set eth0 addrgenmode eui64", "link set lo up",
                    f"address add {address} broadcast + dev eth0", "link set eth0 up"])

    def run(self, *words, text=""):
        subprocess.run(words, check=True, preexec_fn=self.enter, text=True, input=text)

    def batch(self, lines):
        """Gives ip(8) several commands."""
        self.run("ip", "-batch", "-", text="".join(f"{line}\n" for line in lines))

    def enter(self):
        # Python has os.setns only from 3.12 on.
        if LIBRARY.setns(self.namespace, 0) != 0:
            raise OSError(ctypes.get_errno(), "setns")

    def end(self):
        ip("link", "delete", self.port)
        os.close(self.namespace)
        self.holder.stdin.close()
        self.holder.wait()


NETWORKS = {network.name: network for network in (Flat, Lan)}

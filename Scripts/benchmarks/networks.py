"""Networks of network namespaces for groups of nodes. The caller is already in an empty namespace of its own, so that no
packet leaves this machine; Scripts/bench makes it."""

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
    """All nodes on one host with an Avahi daemon. Their packets of 1,500 bytes pass over its loopback interface."""

    name, variant = "flat", ""

    def __init__(self, size):
        # Outgoing connections would otherwise take the ports of programs that listen on given ports, or dial themselves.
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
        """A function by which a process enters the host of that node; None if it is there already."""
        return None

    def end(self):
        self.avahi.end()
        ip("link", "delete", "eth0")


class Lan:
    """Each node on a host of its own, all on one switch.

    The kernel keeps the neighbours of all namespaces in one table, which has room for 1,024 unless the whole machine is
    configured otherwise; 33 hosts have 1,056. Permanent entries do not count, so every host has entries of all others from
    the start, and no host sends ARP requests or ICMPv6 neighbour solicitations."""

    name, variant = "lan", "lan"

    def __init__(self, size):
        ip("link", "set", "lo", "up")
        # Snooping would drop multicast until a host has joined the group.
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
    """The locally administered MAC of the host's card."""
    return f"02:00:00:00:{number >> 8:02x}:{number & 255:02x}"


def link_local(number):
    """The link-local address of the host with that MAC (RFC 4291, appendix A)."""
    return f"fe80::ff:fe00:{number:x}"


class Host:
    """A network namespace with a cable to the switch, which a process holds."""

    def __init__(self, number, address):
        self.number = number
        self.holder = subprocess.Popen(["unshare", "--net", "cat"], stdin=subprocess.PIPE)
        namespace = f"/proc/{self.holder.pid}/ns/net"
        ours = os.readlink("/proc/self/ns/net")
        # A new process needs a moment to enter its namespace, and no event reports it.
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
        """Runs several commands in one process of ip(8)."""
        self.run("ip", "-batch", "-", text="".join(f"{line}\n" for line in lines))

    def enter(self):
        # os.setns needs Python 3.12.
        if LIBRARY.setns(self.namespace, 0) != 0:
            raise OSError(ctypes.get_errno(), "setns")

    def end(self):
        ip("link", "delete", self.port)
        os.close(self.namespace)
        self.holder.stdin.close()
        self.holder.wait()


NETWORKS = {network.name: network for network in (Flat, Lan)}

"""A cluster of three RabbitMQ nodes, each on a host of its own, in a network that those of `Lans` have a route to."""

import pathlib
import shutil
import subprocess

from broker import Broker, Certificates
from lans import ip
from earshot_node import on

HOSTS = {101: "10.99.0.11", 102: "10.99.0.12", 103: "10.99.0.13"}
NAMES = tuple((address, f"broker-{host - 100}") for host, address in HOSTS.items())
URL = ",".join(f"broker-{host - 100}" for host in HOSTS)
EVERYTHING = ("^earshot", "^earshot", "^earshot")
PORTS = (5672, 5671, 25672, 4369)
SETTINGS = "\n".join(["cluster_partition_handling = pause_minority", "net_ticktime = 8", "cluster_formation.peer_discovery_backend = classic_config"]
                     + [f"cluster_formation.classic_config.nodes.{number} = rabbit@broker-{number}" for number in (1, 2, 3)])


class Cluster:
    def __init__(self, networks):
        self.hosts = networks.hosts
        folder = pathlib.Path(networks.folder.name) / "cluster"
        self.certificates = Certificates(folder / "certificates", names=[name for _, name in NAMES])
        self.brokers = []
        for host, address in HOSTS.items():
            self.hosts.add(host, daemon=False)
            self.hosts._script("attach", host, "net9")
            self.hosts.set_address(host, f"{address}/16")
            self.hosts.run(host, ["ip", "route", "add", "default", "via", "10.99.255.254"])
            own = folder / str(host)
            own.mkdir()
            self.brokers.append(Broker(
                f"rabbit@broker-{host - 100}", certificates=self.certificates, launch=on(self.hosts, host), secure_address="0.0.0.0",
                folder=own, ports=PORTS, epmd_address=None, users=(("bridge", "secret", "/", EVERYTHING),), settings=SETTINGS))
        ip("addr", "add", "10.99.255.254/16", "dev", "net9")
        pathlib.Path("/proc/sys/net/ipv4/ip_forward").write_text("1")

    def start(self):
        # The first makes the cluster, which the others join.
        for broker in self.brokers:
            broker.start()
        members = self.brokers[0].control("cluster_status")
        for number in (1, 2, 3):
            assert f"rabbit@broker-{number}" in members, members

    def kill(self, number):
        self.brokers[number - 1].kill()

    def restart(self, *numbers):
        for number in numbers:
            self.brokers[number - 1].launch_server()

    def await_all(self):
        for broker in self.brokers:
            broker.await_connections()

    def part(self, number):
        """Netfilter drops all packets between one broker and the others; those of bridges pass."""
        others = ", ".join(address for host, address in HOSTS.items() if host - 100 != number)
        chains = "\n".join(f"chain {hook} {{\ntype filter hook {hook} priority 0;\nip {end} {{ {others} }} drop\n}}"
                           for hook, end in (("input", "saddr"), ("output", "daddr")))
        rules = f"table ip partition {{\n{chains}\n}}"
        self.hosts.run(100 + number, ["nft", rules])

    def heal(self, number):
        self.hosts.run(100 + number, ["nft", "delete table ip partition"])

    def close(self):
        for broker in self.brokers:
            broker.kill()

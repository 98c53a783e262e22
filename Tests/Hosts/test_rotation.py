"""The names of a node in mDNS change with its network, without an effect on its links."""

import json
import os
import subprocess
import tempfile
import time
import unittest

import mdns
import wire
from capture import Capture
from earshot_node import Node, all_talk, all_meet, on
from hosts import Hosts

PATIENCE = 20


class Rotation(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def mac(self, hosts, host):
        (card,) = json.loads(hosts.run(host, ["ip", "-j", "link", "show", "eth0"]))
        return bytes.fromhex(card["address"].replace(":", ""))

    def wait(self, path, mac, condition, what):
        """Waits until the services that a machine announced meet a condition; all of them."""
        deadline = time.monotonic() + PATIENCE
        while True:
            told = mdns.services(path, mac)
            if condition(told):
                return told
            self.assertLess(time.monotonic(), deadline, f"no {what}; told was {told}")
            time.sleep(0.1)

    def change(self, hosts, *commands):
        hosts.run(2, ["sh", "-ec", "; ".join(commands)])

    def two_nodes(self, hosts, daemon):
        for host in (1, 2):
            hosts.add(host, daemon=daemon, quiet=True)
        alice, bob = nodes = [Node(on(hosts, host), name) for host, name in ((1, "alice"), (2, "bob"))]
        all_meet(nodes)
        for node in nodes:
            node.uses_discovery("daemon" if daemon else "embedded")
        return alice, bob

    def test_new_names_when_an_address_changes_or_an_interface_comes_and_goes_and_the_old_ones_are_withdrawn(self):
        for daemon in (True, False):
            with self.subTest(daemon=daemon), Hosts() as hosts:
                path = os.path.join(self.folder, f"{daemon}.pcap")
                capture = hosts.capture(path)
                alice, bob = self.two_nodes(hosts, daemon)
                mac = self.mac(hosts, 2)
                steps = (
                    ("ip -6 addr flush dev eth0 scope link", "ip -6 addr add fe80::1234/64 dev eth0 nodad"),
                    ("ip link add more type veth peer name other", "ip addr add 10.99.0.1/24 dev more",
                     "ip link set more up", "ip link set other up"),
                    ("ip link del more",),
                    ("ip link set eth0 down && ip link set eth0 up",),
                )
                for step in steps:
                    # Two announcements, over IPv4 and IPv6: a name that is not announced yet is not withdrawn either.
                    before = self.wait(path, mac, lambda told: told and told[-1][2] and told.count(told[-1]) > 3, "names")[-1]
                    self.change(hosts, *step)
                    told = self.wait(path, mac, lambda told: told[-1][0] != before[0] and told[-1][2], f"names after {step}")
                    self.assertNotEqual(told[-1][1], before[1], "the name of the host")
                    # Avahi withdraws nothing while an interface is removed; there the names expire.
                    if step in steps[:2]:
                        self.wait(path, mac, lambda told: (*before[:2], 0) in told, f"goodbye after {step}")
                all_talk([alice, bob])
                self.assertEqual([event for event in alice.events if event["event"] == "peer"][1:], [])
                capture.end()
                self.assert_each_name_is_of_one_time(mdns.services(path, mac))

    def test_a_newcomer_announces_before_it_queries_and_withdraws_however_soon_it_leaves(self):
        with Hosts(1, daemon=False) as hosts:
            path = os.path.join(self.folder, "soon.pcap")
            capture = hosts.capture(path)
            node = Node(on(hosts, 1), "brief")
            mac = self.mac(hosts, 1)
            self.wait(path, mac, lambda told: len(told) >= 2, "announcements")
            self.assertEqual(node.quit(), 0)
            capture.end()
            told = mdns.services(path, mac)
            # Over IPv4 and IPv6.
            self.assertEqual({service[:2] for service in told}, {told[0][:2]})
            self.assertEqual([ttl for _, _, ttl in told[:2]], [120, 120])
            self.assertEqual([ttl for _, _, ttl in told[-2:]], [0, 0])
            messages = [mdns.read(data) for sender, protocol, data in wire.payloads(path)
                        if sender == mac and protocol == 17]
            first = [is_response for is_response, asked, records in messages if "_earshot" in "".join(
                asked + [record.name for record in records])]
            self.assertTrue(first[0], "it asked first")

    def assert_each_name_is_of_one_time(self, told):
        """The instance and the host change together, and no earlier name returns."""
        times = [names for index, names in enumerate(told) if names[2] and (index == 0 or names[:2] != told[index - 1][:2])]
        current = [names[:2] for names in times]
        self.assertEqual(len({instance for instance, _ in current}), len({host for _, host in current}))
        self.assertEqual(len(set(current)), len({instance for instance, _ in current}))

    def test_names_announced_on_one_network_are_not_announced_on_the_next(self):
        for daemon in (True, False):
            with self.subTest(daemon=daemon), Hosts() as hosts:
                paths = [os.path.join(self.folder, f"{daemon}-{network}.pcap") for network in range(2)]
                first = hosts.capture(paths[0])
                self.two_nodes(hosts, daemon)
                mac = self.mac(hosts, 2)
                self.wait(paths[0], mac, bool, "names")
                hosts.link_down(2)
                if daemon:
                    # As NetworkManager does. A daemon alone ignores the cable, and for a minute repeats on the next
                    # network the records of the previous one.
                    self.change(hosts, "ip addr flush dev eth0", "ip addr add 10.77.0.99/16 dev eth0")
                first.end()
                hosts.partition([2])
                second = Capture(paths[1], "net1")
                hosts.captures.append(second)
                hosts.link_up(2)
                self.wait(paths[1], mac, bool, "names on the other network")
                second.end(settle=1)
                names = [{word for service in mdns.services(path, mac) for word in service[:2]} for path in paths]
                self.assertFalse(names[0] & names[1])
                for word in names[0]:
                    self.assertEqual([data for _, _, data in wire.payloads(paths[1]) if word.encode() in data], [])

    def test_the_hardware_address_and_the_tcp_port_are_the_same_on_the_next_network(self):
        """An accepted limit (Docs/Threats.md)."""
        with Hosts() as hosts:
            paths = [os.path.join(self.folder, f"port-{network}.pcap") for network in range(2)]
            first = hosts.capture(paths[0])
            self.two_nodes(hosts, daemon=False)
            mac = self.mac(hosts, 2)
            self.wait(paths[0], mac, bool, "names")
            hosts.link_down(2)
            first.end()
            hosts.partition([2])
            second = Capture(paths[1], "net1")
            hosts.captures.append(second)
            hosts.link_up(2)
            self.wait(paths[1], mac, bool, "names on the other network")
            second.end(settle=1)
            ports = [mdns.ports(path, mac) for path in paths]
            self.assertEqual(len(ports[0]), 1)
            self.assertEqual(ports[0], ports[1])

    def containers(self, hosts):
        """Six containers of a bridge start and stop on host 2, each after the one before; a seventh cable is left alone."""
        for number in range(6):
            inside, outside = f"in{number}", f"out{number}"
            self.change(hosts, f"ip link add {outside} type veth peer name {inside}", f"ip link set {outside} master docker0 up",
                        f"ip addr add 172.17.0.{number + 2}/16 dev {inside}", f"ip link set {inside} up",
                        f"until ip link show dev {outside} | grep -q 'state UP'; do :; done")
            self.change(hosts, f"ip link del {outside}")

    def packets_sent(self, hosts):
        """The UDP datagrams and TCP segments that host 2 has sent."""
        lines = [line.split() for line in hosts.run(2, ["cat", "/proc/net/snmp", "/proc/net/snmp6"]).splitlines()]
        sent = {line[0]: int(line[1]) for line in lines if len(line) == 2}
        # The names of the counters of a protocol and their values are on two lines.
        for names, values in zip(lines, lines[1:]):
            if names[0] == values[0]:
                sent |= {names[0] + name: int(value) for name, value in zip(names[1:], values[1:])}
        return sent["Udp:OutDatagrams"] + sent["Udp6OutDatagrams"], sent["Tcp:OutSegs"]

    def test_containers_that_start_and_stop_rename_nothing_and_probe_nothing(self):
        for daemon in (True, False):
            with self.subTest(daemon=daemon), Hosts() as hosts:
                path = os.path.join(self.folder, f"containers-{daemon}.pcap")
                capture = hosts.capture(path)
                for host in (1, 2):
                    hosts.add(host, daemon=daemon, quiet=True)
                self.change(hosts, "ip route add default via 10.77.0.200", "ip link add docker0 type bridge",
                            "ip addr add 172.17.0.1/16 dev docker0", "ip link set docker0 up")
                nodes = alice, bob = [Node(on(hosts, host), name) for host, name in ((1, "alice"), (2, "bob"))]
                all_meet(nodes)
                all_talk(nodes)
                mac = self.mac(hosts, 2)
                first = self.wait(path, mac, lambda told: told and told.count(told[-1]) > 3, "names")[-1]
                before = self.packets_sent(hosts)
                self.containers(hosts)
                datagrams, segments = (after - sent for after, sent in zip(self.packets_sent(hosts), before))
                # The daemon itself speaks to containers.
                if not daemon:
                    self.assertEqual(datagrams, 0, "packets of mDNS")
                self.assertLess(segments, 10, "packets of links")
                # A change of the true network is noticed, and only that one.
                self.change(hosts, "ip -6 addr flush dev eth0 scope link", "ip -6 addr add fe80::1234/64 dev eth0 nodad")
                self.wait(path, mac, lambda told: told[-1][0] != first[0] and told[-1][2], "new names")
                capture.end()
                self.assertEqual(len({instance for instance, _, _ in mdns.services(path, mac)}), 2)
                all_talk(nodes)

    def test_rooms_of_one_process_come_and_go_at_different_times(self):
        for daemon in (True, False):
            with self.subTest(daemon=daemon), Hosts() as hosts:
                hosts.add(1, daemon=daemon, quiet=True)
                path = os.path.join(self.folder, f"rooms-{daemon}.pcap")
                capture = hosts.capture(path)
                rooms = [word for number in range(8) for word in ("--room", f"room-{number}")]
                node = Node(on(hosts, 1), "bob", *rooms, "--no-control")
                mac = self.mac(hosts, 1)
                self.wait(path, mac, lambda told: len({instance for instance, _, _ in told}) == 8, "names of eight rooms")
                self.assertEqual(node.quit(), 0)
                capture.end()
                came, went = {}, {}
                for when, instance, ttl in mdns.timed_services(path, mac):
                    (came if ttl else went).setdefault(instance, when)
                self.assertEqual((len(came), set(went)), (8, set(came)))
                # Seven even draws of 10 s and of 0.8 s: all lie within a tenth by chance one time in 150,000.
                first, *others = sorted(came.values())
                self.assertGreater(others[-1] - others[0], 1, came)
                self.assertLess(others[-1] - first, 12, came)
                first, *others = sorted(went.values())
                self.assertGreater(others[-1] - others[0], 0.08, went)
                self.assertLess(others[-1] - first, 3, went)

    def test_rooms_of_one_process_rename_themselves_at_different_times(self):
        with Hosts(2, daemon=False) as hosts:
            path = os.path.join(self.folder, "rooms.pcap")
            capture = hosts.capture(path)
            rooms = [word for number in range(8) for word in ("--room", f"room-{number}")]
            node = Node(on(hosts, 2), "bob", *rooms, "--no-control")
            mac = self.mac(hosts, 2)

            def names(told):
                return list(dict.fromkeys(instance for instance, _, ttl in told if ttl))

            old = names(self.wait(path, mac, lambda told: len(names(told)) == 8, "names of eight rooms"))
            self.change(hosts, "ip -6 addr flush dev eth0 scope link", "ip -6 addr add fe80::1234/64 dev eth0 nodad")
            self.wait(path, mac, lambda told: len(names(told)) == 16, "new names of eight rooms")
            capture.end()
            withdrawn, announced = {}, {}
            for when, instance, ttl in mdns.timed_services(path, mac):
                (announced if ttl else withdrawn).setdefault(instance, when)
            self.assertEqual(set(withdrawn), set(old))
            new = [when for instance, when in announced.items() if instance not in old]
            gone = [withdrawn[instance] for instance in old]
            self.assertLess(max(gone), min(new) + 0.2, "names of the former network beside new ones")
            # All within half a second by chance: one time in thirty thousand.
            self.assertGreater(max(new) - min(new), 0.5, "all new names at one time")
            self.assertLess(max(new) - min(gone), 5)
            self.assertEqual(node.quit(), 0)

    def test_a_change_that_is_over_at_once_is_noticed_all_the_same(self):
        with Hosts() as hosts:
            path = os.path.join(self.folder, "short.pcap")
            capture = hosts.capture(path)
            alice, bob = self.two_nodes(hosts, daemon=True)
            mac = self.mac(hosts, 2)
            before = self.wait(path, mac, bool, "names")[-1]
            subprocess.run("ip link set veth2 down && ip link set veth2 up", shell=True, check=True)
            self.wait(path, mac, lambda told: told[-1][0] != before[0] and told[-1][2], "new names")
            all_talk([alice, bob])
            capture.end()


if __name__ == "__main__":
    unittest.main()

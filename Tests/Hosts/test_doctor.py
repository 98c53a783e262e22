"""The findings of `earshot doctor` on hosts with each of the faults."""

import json
import os
import subprocess
import tempfile
import unittest

from earshot_node import BINARY, Node, on
from hosts import Hosts


class Doctor(unittest.TestCase):
    def examine(self, hosts, host, *options):
        """The codes of the findings on a host: problems, notes, and all."""
        process = hosts.start(host, [BINARY, "doctor", "--json", *options])
        output, errors = process.communicate(timeout=20)
        self.assertEqual(errors, "")
        *findings, summary = [json.loads(line) for line in output.splitlines()]
        self.assertEqual(summary["event"], "summary")
        codes = {"problem": set(), "note": set(), "ok": set()}
        for finding in findings:
            self.assertEqual(finding["event"], "finding")
            self.assertEqual(finding["advice"] is None, finding["severity"] == "ok", finding)
            codes[finding["severity"]].add(finding["code"])
        problems = sum(finding["severity"] == "problem" for finding in findings)
        self.assertEqual((summary["problems"], process.returncode), (problems, min(problems, 1)), output)
        self.findings = findings
        return codes

    def message(self, code):
        return next(finding["message"] for finding in self.findings if finding["code"] == code)

    def firewall(self, hosts, host, *rules, policy="accept", hook="input"):
        chain = f"add table inet t; add chain inet t c {{ type filter hook {hook} priority 0; policy {policy}; }}"
        hosts.run(host, ["/usr/sbin/nft", "; ".join([chain] + [f"add rule inet t c {rule}" for rule in rules])])

    def tunnel(self, hosts, host):
        """Adds an interface `tun0`, as VPNs do; a process of its own holds it."""
        if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
            self.skipTest("this user may not make tunnels")
        script = ("import fcntl, struct; f = open('/dev/net/tun', 'r+b', buffering=0); "
                  "fcntl.ioctl(f, 0x400454ca, struct.pack('16sH22x', b'tun0', 0x1001)); print('x', flush=True); input()")
        self.assertEqual(hosts.start(host, ["python3", "-c", script]).stdout.readline(), "x\n")
        hosts.run(host, ["ip", "addr", "add", "10.99.0.1/24", "dev", "tun0"])
        hosts.run(host, ["ip", "link", "set", "tun0", "up"])

    def test_two_hosts_with_a_quiet_daemon_each_are_well(self):
        with Hosts(2, quiet=True) as hosts:
            other = Node(on(hosts, 2), "other")
            other.uses_discovery("daemon")
            codes = self.examine(hosts, 1)
            self.assertEqual(codes["problem"], set())
            self.assertEqual(codes["note"], set())
            self.assertEqual(codes["ok"], {"interface", "mdns", "daemon", "host_name", "port", "timestamps", "peers"})
            self.assertEqual(self.message("peers"), "1 node of the room lobby answered")
            self.assertEqual(self.examine(hosts, 1, "--room", "attic")["note"], {"empty_room"})
            self.assertEqual(self.message("empty_room"),
                             "other rooms are heard, with 1 node on other machines; the room attic is empty")

    def test_tcp_timestamps_are_a_note_where_they_tell_when_the_machine_was_started(self):
        with Hosts(2, quiet=True) as hosts:
            Node(on(hosts, 2), "other").uses_discovery("daemon")
            for value, severity in (("2", "note"), ("0", "ok"), ("1", "ok")):
                hosts.run(1, ["sysctl", "-qw", f"net.ipv4.tcp_timestamps={value}"])
                self.assertIn("timestamps", self.examine(hosts, 1)[severity])
                self.assertIn(f"net.ipv4.tcp_timestamps is {value}", self.message("timestamps"))

    def test_hosts_without_a_daemon_are_well(self):
        with Hosts(2, daemon=False) as hosts:
            Node(on(hosts, 2), "other").uses_discovery("embedded")
            codes = self.examine(hosts, 1)
            self.assertEqual((codes["problem"], codes["note"]), (set(), {"no_daemon"}))
            self.assertIn("bus", self.message("no_daemon"))
            self.assertIn("peers", codes["ok"])

    def test_a_bus_without_a_daemon_differs_from_no_bus(self):
        with Hosts(2, quiet=True) as hosts:
            Node(on(hosts, 2), "other").uses_discovery("daemon")
            hosts.kill_daemon(1)
            codes = self.examine(hosts, 1)
            self.assertEqual((codes["problem"], codes["note"]), (set(), {"no_daemon"}))
            self.assertIn("no Avahi daemon runs", self.message("no_daemon"))

    def test_a_daemon_that_hangs(self):
        with Hosts(2, quiet=True) as hosts:
            Node(on(hosts, 2), "other").uses_discovery("daemon")
            hosts.stop_daemon(1)
            codes = self.examine(hosts, 1)
            self.assertEqual((codes["problem"], codes["note"]), ({"daemon_hangs"}, set()))
            hosts.continue_daemon(1)

    def test_a_daemon_that_publishes_the_name_of_the_host(self):
        with Hosts(2) as hosts:
            Node(on(hosts, 2), "other").uses_discovery("daemon")
            codes = self.examine(hosts, 1)
            self.assertEqual((codes["problem"], codes["note"]), (set(), {"host_name"}))
            advice = next(finding["advice"] for finding in self.findings if finding["code"] == "host_name")
            self.assertIn("publish-addresses=no", advice)
            self.assertIn("no longer find this one by that name", advice)
            self.assertIn(f"{hosts.host_name(1)}.local", self.message("host_name"))

    def test_a_node_with_addresses_of_another_network_alone(self):
        for daemon in (False, True):
            with self.subTest(daemon=daemon), Hosts(daemon=False) as hosts:
                for host in (1, 2):
                    hosts.add(host, daemon=daemon, quiet=daemon, family="ipv4")
                hosts.set_address(2, "10.88.0.2/16")
                Node(on(hosts, 2), "other").ready()
                self.assertEqual(self.examine(hosts, 1)["problem"], {"unreachable"})
                self.assertTrue(self.message("unreachable").startswith(
                    "1 node of the room lobby is heard, but at no address that can be reached"))

    def test_a_daemon_that_is_kept_from_an_interface(self):
        with Hosts(1, quiet=True) as hosts:
            hosts.configure_daemon(1, "[server]\ndeny-interfaces=eth0\n[publish]\npublish-addresses=no\n")
            self.assertEqual(self.examine(hosts, 1)["problem"], {"responder_silent"})

    def test_only_loopback(self):
        with Hosts(daemon=False) as hosts:
            hosts.add(1, card=False, daemon=False)
            codes = self.examine(hosts, 1)
            self.assertEqual(codes["problem"], {"only_loopback"})
            hosts.add(2, daemon=False)
            hosts.link_down(2)
            codes = self.examine(hosts, 2)
            self.assertEqual(codes["problem"], {"only_loopback"})
            self.assertIn("eth0 has no carrier", self.message("only_loopback"))

    def test_an_interface_without_multicast(self):
        with Hosts(1, daemon=False) as hosts:
            hosts.run(1, ["ip", "link", "set", "eth0", "multicast", "off"])
            codes = self.examine(hosts, 1)
            self.assertEqual(codes["problem"], {"no_multicast"})
            self.assertIn("eth0 has multicast switched off", self.message("no_multicast"))

    def test_no_route_for_multicast(self):
        with Hosts(2, daemon=False) as hosts:
            Node(on(hosts, 2), "other").ready()
            hosts.run(1, ["ip", "-6", "route", "del", "multicast", "ff00::/8", "dev", "eth0", "table", "local"])
            codes = self.examine(hosts, 1)
            self.assertEqual((codes["problem"], codes["note"]), (set(), {"no_daemon", "no_multicast_route"}))
            hosts.run(1, ["ip", "-4", "addr", "flush", "dev", "eth0"])
            self.assertEqual(self.examine(hosts, 1)["problem"], {"no_multicast_route"})

    def test_a_firewall_that_drops_mdns(self):
        for daemon in (False, True):
            with Hosts(2, daemon=daemon, quiet=True) as hosts:
                Node(on(hosts, 2), "other").ready()
                self.firewall(hosts, 1, "udp dport 5353 drop")
                self.assertEqual(self.examine(hosts, 1)["problem"], {"firewall"})

    def test_a_firewall_that_drops_all_without_a_rule(self):
        with Hosts(2, daemon=False) as hosts:
            Node(on(hosts, 2), "other").ready()
            usual = ("iif lo accept", "ct state established,related accept", "meta l4proto ipv6-icmp accept")
            self.firewall(hosts, 1, *usual, policy="drop")
            self.assertEqual(self.examine(hosts, 1)["problem"], {"firewall"})
            self.firewall(hosts, 2, *usual, "udp dport 5353 accept", policy="drop")
            codes = self.examine(hosts, 2)
            self.assertEqual((codes["problem"], codes["note"] - {"nobody_heard", "virtual_interface"}),
                             (set(), {"no_daemon", "firewall_default"}))

    def test_a_firewall_that_lets_no_mdns_out(self):
        with Hosts(1, daemon=False) as hosts:
            self.firewall(hosts, 1, "udp dport 5353 drop", hook="output")
            self.assertEqual(self.examine(hosts, 1)["problem"], {"firewall"})
            self.assertIn("nothing may be sent", self.message("firewall"))

    def test_a_firewall_that_drops_the_port(self):
        with Hosts(2, daemon=False) as hosts:
            Node(on(hosts, 2), "other").ready()
            self.firewall(hosts, 1, "tcp dport 40000 drop")
            self.assertEqual(self.examine(hosts, 1, "--port", "40000")["problem"], {"firewall_port"})
            self.assertEqual(self.examine(hosts, 1, "--port", "40001")["problem"], set())

    def test_guests_that_are_kept_apart_look_like_an_empty_network(self):
        with Hosts(2, quiet=True) as hosts:
            Node(on(hosts, 2), "other").uses_discovery("daemon")
            for host in (1, 2):
                subprocess.run(["bridge", "link", "set", "dev", f"veth{host}", "isolated", "on"], check=True)
            codes = self.examine(hosts, 1)
            self.assertEqual((codes["problem"], codes["note"]), (set(), {"nobody_heard", "virtual_interface"}))
            self.assertIn("look the same", self.message("nobody_heard"))

    def test_a_tunnel_beside_a_network(self):
        with Hosts(2, daemon=False) as hosts:
            Node(on(hosts, 2), "other").ready()
            self.tunnel(hosts, 1)
            codes = self.examine(hosts, 1)
            self.assertEqual((codes["problem"], codes["note"]), (set(), {"no_daemon", "tunnel"}))
            self.assertEqual(self.examine(hosts, 1, "--interface", "tun0")["problem"], {"no_multicast"})

    def test_a_program_that_keeps_the_port_of_mdns(self):
        with Hosts(1, daemon=False) as hosts:
            hosts.keep_mdns_port(1)
            codes = self.examine(hosts, 1)
            self.assertEqual(codes["problem"], set())
            # For IPv6 the port is free.
            self.assertIn("mdns_port_taken", codes["note"])

    def test_a_chat_on_this_machine_is_no_other_node(self):
        for daemon in (False, True):
            with Hosts(1, daemon=daemon, quiet=True) as hosts:
                Node(on(hosts, 1), "alice", "--port", "40000").uses_discovery("daemon" if daemon else "embedded")
                codes = self.examine(hosts, 1, "--port", "40000")
                self.assertEqual(codes["problem"], set())
                self.assertEqual(self.message("own_node"), "1 node of the room lobby runs on this machine")
                self.assertNotIn("peers", codes["ok"])
                self.assertIn("nobody_heard", codes["note"])
                self.examine(hosts, 1, "--room", "attic")
                self.assertEqual(self.message("own_node"), "1 node of other rooms runs on this machine")

    def test_a_room_that_is_empty_beside_another_one(self):
        with Hosts(2, daemon=False) as hosts:
            Node(on(hosts, 2), "other").uses_discovery("embedded")
            Node(on(hosts, 1), "alice", "--room", "attic").uses_discovery("embedded")
            codes = self.examine(hosts, 1, "--room", "attic")
            self.assertEqual((codes["problem"], codes["note"]), (set(), {"no_daemon", "empty_room"}))
            self.assertEqual(self.message("own_node"), "1 node of the room attic runs on this machine")
            self.assertIn("but for this machine, the room attic is empty", self.message("empty_room"))

    def test_it_sends_no_name_of_the_host_or_the_user(self):
        with Hosts(2, quiet=True) as hosts, tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "all.pcap")
            capture = hosts.capture(path)
            self.examine(hosts, 1)
            capture.end()
            with open(path, "rb") as file:
                everything = file.read()
            # As a control, the search finds a text that must be there.
            self.assertTrue(b"_earshot" in everything)
            self.assertFalse(hosts.host_name(1).encode() in everything)
            # The doctor asks for the owner of an address on this machine alone.
            for name in (b"\x07in-addr\x04arpa", b"\x03ip6\x04arpa"):
                self.assertFalse(name in everything, name)

    def test_plain_lines_say_what_to_do(self):
        with Hosts(1) as hosts:
            process = hosts.start(1, [BINARY, "doctor"])
            output, errors = process.communicate(timeout=20)
            self.assertEqual((process.returncode, errors), (0, ""))
            self.assertIn("publish-addresses=no under [publish] in /etc/avahi/avahi-daemon.conf", output)
            self.assertRegex(output, r"(?m)^ok       eth0 is up")
            self.assertIn("\nno problems, 3 notes\n", output)


if __name__ == "__main__":
    unittest.main()

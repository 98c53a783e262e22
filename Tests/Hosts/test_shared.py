"""Several rooms in one process share its mDNS: each meets its own peers, and an observer sees nothing that they have in common."""

import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

import mdns
import wire
from earshot_node import BINARY, Node, on
from hosts import Hosts

PATIENCE = 30
SERVICE = "._earshot._tcp.local"
SUBTYPE = "._sub" + SERVICE

# Asks one question for all names of the arguments behind the address of this host, by multicast and as a one-shot question, until
# both ways have brought as many PTR records as names; prints each answer in hexadecimal digits.
ASK = r"""
import select, socket, struct, sys
import mdns
group, own, names = ("224.0.0.251", 5353), socket.inet_aton(sys.argv[1]), sys.argv[2:]
ears = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
for ear in ears:
    ear.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, own)
    ear.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
    ear.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 0)
ears[0].bind(("", 5353))
ears[0].setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(group[0]) + own)
labels = [b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0" for name in names]
question = struct.pack(">HHHHHH", 0, 0, len(names), 0, 0, 0) + b"".join(label + struct.pack(">HH", 12, 1) for label in labels)
listed = [set(), set()]
for _ in range(20):
    for ear, found in zip(ears, listed):
        if len(found) < len(names):
            ear.sendto(question, group)
    while ready := select.select(ears, [], [], 1)[0]:
        for ear in ready:
            data = ear.recv(9000)
            is_response, _, records = mdns.read(data)
            if is_response:
                print(data.hex())
                listed[ears.index(ear)] |= {record.target for record in records if record.name in names}
    if all(len(found) == len(names) for found in listed):
        sys.exit()
sys.exit(f"not all rooms were answered for: {listed}")
"""


class Rooms(Node):
    """A program with a node in each of `count` rooms, `room-0`, `room-1`, and so on, that listens to no other program."""

    def __init__(self, hosts, host, count, *options):
        rooms = [word for number in range(count) for word in ("--room", f"room-{number}")]
        super().__init__(on(hosts, host), f"host-{host}", *rooms, "--no-control", *options)
        self.rooms = names(count)
        # A room that is looked at is entered at once; the first one is open again at the end.
        for room in reversed(self.rooms):
            self.say(f"/open {room}")

    def next(self, event, rooms, timeout=PATIENCE, **members):
        """Waits until such an event has come from each of these rooms, from the next line on; the events by room."""
        came = {}

        def matches(item):
            if item["event"] == event and item["room"] in rooms and members.items() <= item.items():
                came[item["room"]] = item
            return set(came) == set(rooms)

        self.wait(matches, f"{event} {members} of {set(rooms)}", timeout, from_start=False)
        return came

    def all(self, event, **members):
        """The rooms of such events, one for each, so far."""
        return [item["room"] for item in self.events if item["event"] == event and members.items() <= item.items()]

    def read_rest(self):
        """Reads all events up to the end."""
        while (item := self.lines.next(time.monotonic() + PATIENCE)) is not None:
            self.events.append(json.loads(item[1]))

    def quit(self):
        """The exit code."""
        self.process.stdin.close()
        code = self.process.wait(timeout=PATIENCE)
        self.read_rest()
        return code


def names(count):
    return [f"room-{number}" for number in range(count)]


class Shared(unittest.TestCase):
    def mac(self, hosts, host):
        (card,) = json.loads(hosts.run(host, ["ip", "-j", "link", "show", "eth0"]))
        return bytes.fromhex(card["address"].replace(":", ""))

    def two_programs(self, hosts, daemon, count, *options, links_by_ipv6=True):
        """Two programs on quiet hosts, that have met in each room, and the ports of each by room."""
        for host in (1, 2):
            hosts.add(host, daemon=daemon, quiet=True)
            if not links_by_ipv6:
                hosts.run(host, ["/usr/sbin/nft", "add table ip6 t; "
                                                  "add chain ip6 t c { type filter hook input priority 0; }; "
                                                  "add rule ip6 t c meta l4proto tcp reject with tcp reset"])
        programs = [Rooms(hosts, host, count, *options) for host in (1, 2)]
        return programs, self.meet(programs, daemon, 1)

    def meet(self, programs, daemon, online):
        """Waits until `online` peers are in each room of each program; the ports of each program by room."""
        ports = []
        for program in programs:
            program.wait(lambda _: set(program.all("ready")) == set(program.rooms), "ready")
            ready = [event for event in program.events if event["event"] == "ready"]
            self.assertEqual({event["discovery"] for event in ready}, {"daemon" if daemon else "embedded"})
            ports.append({event["room"]: event["port"] for event in ready})
        for program in programs:
            program.wait(lambda _: all(program.all("peer", state="online").count(room) == online
                                       for room in program.rooms), "peers")
        return ports

    def test_a_room_ends_and_begins_again_while_the_others_keep_their_peers(self):
        for daemon in (True, False):
            with self.subTest(daemon=daemon), Hosts() as hosts:
                (alice, bob), _ = self.two_programs(hosts, daemon, 3)
                alice.result("part room-1")
                bob.next("peer", ["room-1"], state="offline")
                alice.result("join room-1")
                bob.next("peer", ["room-1"], state="online")
                self.assertEqual([program.quit() for program in (alice, bob)], [0, 0])
                # Alice left first, so bob lost each peer of hers once more.
                self.assertEqual(sorted(bob.all("peer", state="online")), ["room-0", "room-1", "room-1", "room-2"])
                self.assertEqual(sorted(bob.all("peer", state="offline")), ["room-0", "room-1", "room-1", "room-2"])

    def test_three_hosts_in_two_rooms_hear_each_room_alone_and_nothing_but_addresses_links_the_rooms_of_one(self):
        for daemon in (True, False):
            with self.subTest(daemon=daemon), Hosts() as hosts, tempfile.TemporaryDirectory() as folder:
                key = os.path.join(folder, "key")
                made = subprocess.run([BINARY, "room", "new", "room-1"], capture_output=True, text=True, check=True)
                with open(key, "w", encoding="utf-8") as file:
                    file.write(made.stdout.splitlines()[-1].strip() + "\n")
                os.chmod(key, 0o600)
                for host in (1, 2, 3):
                    hosts.add(host, daemon=daemon, quiet=True)
                path = os.path.join(folder, "rooms.pcap")
                capture = hosts.capture(path)
                programs = [Rooms(hosts, host, 2, "--key-file", key) for host in (1, 2, 3)]
                ports = self.meet(programs, daemon, 2)
                for program in programs:
                    program.say(f"open words of {program.name}")
                    program.say(f"@room-1 closed words of {program.name}")
                for program in programs:
                    said = {event["text"]: event["room"] for event in self.messages(program, 6)}
                    self.assertEqual(set(said), {f"{kind} words of {other.name}"
                                                 for kind in ("open", "closed") for other in programs})
                    self.assertEqual({text.split()[0] for text, room in said.items() if room == "room-0"}, {"open"})
                for program in programs:
                    self.assertEqual(program.quit(), 0)
                    self.assert_unlinked(program, programs)
                capture.end(settle=1.5)
                for host, own in zip((1, 2, 3), ports):
                    self.assert_separate(path, self.mac(hosts, host), set(own.values()), daemon)
                self.assert_links_separate(path, ports)

    def test_no_packet_of_a_responder_without_a_daemon_is_about_two_rooms_though_one_asks_for_both(self):
        with Hosts() as hosts, tempfile.TemporaryDirectory() as folder:
            for host in (1, 2):
                hosts.add(host, daemon=False)
            path = os.path.join(folder, "asked.pcap")
            capture = hosts.capture(path)
            program = Rooms(hosts, 1, 3)
            self.meet([program], False, 0)
            mac = self.mac(hosts, 1)
            deadline = time.monotonic() + PATIENCE
            while len(listed := self.listed(path, mac)) < 3:
                self.assertLess(time.monotonic(), deadline, f"rooms {listed}")
                # The capture's file tells of no change.
                time.sleep(0.1)
            asker = [sys.executable, "-c", ASK, hosts.address(2), *listed]
            hosts.run(2, ["env", f"PYTHONPATH={os.path.dirname(mdns.__file__)}", *asker], timeout=60)
            self.assertEqual(program.quit(), 0)
            capture.end(settle=1.5)
            self.assert_apart(path, mac)

    def listed(self, path, mac):
        """{subtype: its instances} of the announcements and answers of this MAC."""
        rooms = {}
        for sender, protocol, data in wire.payloads(path):
            is_response, _, records = mdns.read(data) if sender == mac and protocol == 17 else (False, [], [])
            for record in records:
                if is_response and record.kind == mdns.PTR and record.name.endswith(SUBTYPE):
                    rooms.setdefault(record.name, set()).add(record.target)
        return rooms

    def assert_apart(self, path, mac):
        """Each packet of this MAC has names of one room alone."""
        messages = [mdns.read(data) for sender, protocol, data in wire.payloads(path) if sender == mac and protocol == 17]
        rooms = {}
        for room, instances in self.listed(path, mac).items():
            hosts = {record.target for _, _, records in messages for record in records
                     if record.kind == mdns.SRV and record.name in instances}
            self.assertEqual((len(instances), len(hosts)), (1, 1), room)
            rooms |= dict.fromkeys({room} | instances | hosts, room)
        for is_response, asked, records in messages:
            # A one-shot answer repeats its question.
            named = {rooms[name] for name in ([] if is_response else asked) + [record.name for record in records] if name in rooms}
            self.assertLessEqual(len(named), 1, f"{'answers' if is_response else 'questions'} of two rooms in one packet")

    def messages(self, program, count):
        """The first `count` messages of a program."""
        program.wait(lambda _: len(program.all("message")) == count, f"{count} messages")
        return [event for event in program.events if event["event"] == "message"]

    def assert_unlinked(self, program, others):
        """The records of a member of both rooms have nothing in common of one other user."""
        for other in others:
            if other is program:
                continue
            own = {event["room"]: event["self"] for event in other.events if event["event"] == "ready"}
            for member in ("key", "number", "nickname"):
                self.assertEqual(len({person[member] for person in own.values()}), 2, member)
            for room, person in own.items():
                seen = [event for event in program.events if event["event"] == "peer" and event["who"]["key"] == person["key"]]
                self.assertEqual({event["room"] for event in seen}, {room})

    def assert_links_separate(self, path, ports):
        """No six bytes of the links of one room are in those of the other."""
        rooms = [{own[room] for own in ports} for room in names(2)]
        tokens = [set(), set()]
        for flow, stream in wire.streams(path):
            (number,) = [index for index, listening in enumerate(rooms) if {flow[1], flow[3]} & listening]
            tokens[number].update(stream[start:start + 6] for start in range(len(stream) - 5))
        self.assertTrue(all(tokens))
        self.assertEqual(tokens[0] & tokens[1], set())

    def assert_separate(self, path, mac, own, daemon):
        messages = [mdns.read(data) for sender, protocol, data in wire.payloads(path) if sender == mac and protocol == 17]
        told = [record for is_response, _, records in messages if is_response for record in records]
        rooms = {}
        for record in told:
            if record.kind == mdns.PTR and record.name.endswith(SUBTYPE):
                rooms.setdefault(record.name, set()).add(record.target)
        self.assertEqual([len(instances) for instances in rooms.values()], [1, 1], "one instance in each room")
        instances = [instance for room in rooms.values() for instance in room]
        services = {record.name: record for record in told if record.kind == mdns.SRV and record.name in instances}
        self.assertEqual(len({record.target for record in services.values()}), 2, "two hosts")
        self.assertEqual({int.from_bytes(record.rest[4:6], "big") for record in services.values()}, own)
        self.assertEqual([record.name for record in told if record.name.endswith(".arpa")], [], "reverse names")
        self.assert_uniform(path, mac, told, instances)
        for is_response, asked, records in messages:
            asked = [name for name in asked if name.endswith(SUBTYPE)]
            if is_response or not asked:
                continue
            # The daemon may ask both questions in one packet, as it does for two programs.
            if not daemon:
                self.assertEqual(len(asked), 1, "questions of two rooms in one packet")
                self.assertLessEqual({record.name for record in records}, set(asked), "known answers of another room")
        if not daemon:
            self.assert_apart(path, mac)

    def assert_uniform(self, path, mac, told, instances):
        """The form of the messages is that of every node."""
        datagrams = [data for sender, protocol, data in wire.payloads(path) if sender == mac and protocol == 17]
        self.assertEqual({data[:2] for data in datagrams}, {b"\0\0"}, "message numbers")
        self.assertEqual({record.rest for record in told if record.kind == mdns.TXT}, {b"\x03v=3"})
        for instance in instances:
            # An answer to an early question may come before the announcement, in a form of the responder.
            forms = [[record.kind for record in records] for is_response, _, records in map(mdns.read, datagrams)
                     if is_response and records and records[0].target == instance]
            self.assertIn([mdns.PTR, mdns.SRV, mdns.TXT, mdns.A, mdns.AAAA], forms)

    def test_tcp_timestamps_have_an_offset_of_their_own_in_each_connection(self):
        for setting, offsets in (("1", 4), ("2", 1), ("0", 0)):
            with self.subTest(setting=setting), Hosts() as hosts, tempfile.TemporaryDirectory() as folder:
                for host in (1, 2):
                    hosts.add(host, daemon=False)
                    hosts.run(host, ["sysctl", "-qw", f"net.ipv4.tcp_timestamps={setting}"])
                path = os.path.join(folder, "clocks.pcap")
                capture = hosts.capture(path)
                programs = [Rooms(hosts, host, 2) for host in (1, 2)]
                self.meet(programs, False, 1)
                for program in programs:
                    self.assertEqual(program.quit(), 0)
                capture.end()
                clocks = {}
                for flow, clock in wire.clocks(path):
                    clocks.setdefault(flow, set()).add(clock)
                # Both directions of the links of two rooms; a dial that was given up may come on top.
                self.assertGreaterEqual(len(clocks), 4)
                found = [min(clock) for clock in clocks.values() if clock != {None}]
                # In one connection the clock is read in ms; packets wait a little.
                apart = [clock for number, clock in enumerate(sorted(found)) if number == 0 or clock - sorted(found)[number - 1] > 1000]
                self.assertEqual(len(apart), len(found) if offsets == 4 else offsets, clocks)

    def test_all_rooms_take_new_names_when_the_network_changes_and_keep_their_links(self):
        for daemon in (True, False):
            with self.subTest(daemon=daemon), Hosts() as hosts, tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "names.pcap")
                capture = hosts.capture(path)
                # A link from the address that goes would be lost with it.
                (alice, bob), _ = self.two_programs(hosts, daemon, 2, links_by_ipv6=False)
                mac = self.mac(hosts, 2)
                before = {service[:2] for service in mdns.services(path, mac)}
                self.assertEqual(len(before), 2)
                hosts.run(2, ["sh", "-ec", "ip -6 addr flush dev eth0 scope link; ip -6 addr add fe80::1234/64 dev eth0 nodad"])
                deadline = time.monotonic() + PATIENCE
                while True:
                    after = {service[:2] for service in mdns.services(path, mac)} - before
                    if len(after) == 2:
                        break
                    self.assertLess(time.monotonic(), deadline, f"names {after}")
                    # The capture's file tells of no change.
                    time.sleep(0.1)
                words = [word for service in before | after for word in service]
                self.assertEqual(len(set(words)), len(words), "a word of one name is in another")
                capture.end()
                self.assertEqual(bob.quit(), 0)
                alice.next("peer", names(2), state="offline")
                self.assertEqual(alice.quit(), 0)
                # One link of each room from the start to the end.
                self.assertEqual([sorted(program.all("peer", state="offline")) for program in (alice, bob)], [names(2), []])

    def test_all_rooms_follow_the_daemon_as_it_goes_and_comes(self):
        with Hosts() as hosts:
            (alice, bob), _ = self.two_programs(hosts, True, 2)
            hosts.kill_daemon(1)
            alice.next("notice", names(2), code="discovery_changed")
            bob.result("join room-2")
            alice.result("join room-2")
            bob.next("peer", ["room-2"], state="online")
            hosts.start_daemon(1)
            alice.next("notice", names(3), code="discovery_changed")
            for program in (alice, bob):
                self.assertEqual(program.quit(), 0)

    def test_a_machine_without_a_network_is_warned_of_once(self):
        with Hosts() as hosts:
            hosts.add(1, daemon=False, card=False)
            program = Rooms(hosts, 1, 4)
            program.wait(lambda _: set(program.all("ready")) == set(program.rooms), "ready")
            self.assertEqual(program.quit(), 0)
            self.assertEqual(len(program.all("notice", code="no_interface")), 1)


if __name__ == "__main__":
    unittest.main()

"""The properties of the test network that the scenarios rely on."""

import os
import subprocess
import tempfile
import unittest

from hosts import Hosts


class NetworkTests(unittest.TestCase):
    def reaches(self, hosts, one, other):
        script = "exec 3<>/dev/tcp/%s/22; [ $? = 0 ]" % hosts.address(other)
        done = subprocess.run(
            hosts.command(one, ["timeout", "2", "bash", "-c", script]),
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        # No program listens there, so a refusal is an answer.
        return "refused" in done.stderr

    def test_hosts_reach_each_other_but_nothing_else(self):
        with Hosts(2, daemon=False) as hosts:
            self.assertTrue(self.reaches(hosts, 1, 2))
            self.assertNotIn("default", hosts.run(1, ["ip", "route"]))
            self.assertEqual(hosts.run(1, ["hostname"]).strip(), hosts.host_name(1))

    def test_a_partition_parts_and_heals(self):
        with Hosts(2, daemon=False) as hosts:
            hosts.partition([2])
            self.assertFalse(self.reaches(hosts, 1, 2))
            hosts.heal()
            # The kernel delays a new ARP query after one without an answer.
            self.assertTrue(any(self.reaches(hosts, 1, 2) for _ in range(5)))

    def test_a_cable_is_pulled_and_plugged_in(self):
        with Hosts(1, daemon=False) as hosts:
            hosts.link_down(1)
            self.assertIn("NO-CARRIER", hosts.run(1, ["ip", "link", "show", "eth0"]))
            hosts.link_up(1)
            self.assertNotIn("NO-CARRIER", hosts.run(1, ["ip", "link", "show", "eth0"]))

    def test_a_daemon_is_killed_and_started_again(self):
        ping = ["dbus-send", "--system", "--print-reply", "--dest=org.freedesktop.Avahi", "/"]
        ping += ["org.freedesktop.Avahi.Server.GetVersionString"]
        with Hosts(1) as hosts:
            hosts.run(1, ping)
            hosts.kill_daemon(1)
            with self.assertRaises(subprocess.CalledProcessError):
                hosts.run(1, ping)
            hosts.start_daemon(1)
            hosts.run(1, ping)

    def test_a_host_may_have_nothing_but_lo(self):
        with Hosts() as hosts:
            hosts.add(1, card=False, daemon=False)
            self.assertNotIn("eth0", hosts.run(1, ["ip", "link"]))

    def test_processes_on_a_host_end_with_it(self):
        with Hosts(1, daemon=False) as hosts:
            process = hosts.start(1, ["sleep", "100"])
            hosts.remove(1)
            self.assertNotEqual(process.wait(timeout=5), 0)

    def search(self, quiet):
        with Hosts(2, quiet=quiet) as hosts, tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "all.pcap")
            capture = hosts.capture(path)
            hosts.kill_daemon(1)
            hosts.start_daemon(1)
            capture.end(settle=1.5)
            with open(path, "rb") as file:
                return hosts.host_name(1).encode() in file.read()

    def test_a_capture_shows_the_host_name_that_a_daemon_publishes_and_a_quiet_one_does_not(self):
        self.assertTrue(self.search(quiet=False))
        self.assertFalse(self.search(quiet=True))


if __name__ == "__main__":
    unittest.main()

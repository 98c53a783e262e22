"""Hosts on a network of their own, for scenario tests: see hosts.sh.

    from hosts import Hosts

    class Scenario(unittest.TestCase):
        def test_two_hosts(self):
            with Hosts(2) as hosts:
                process = hosts.start(1, ["earshot", "--json"])

Importing this module moves the whole Python process into a new, empty network (`enter`; any user may do that), so that a
test can reach nothing else. Processes on a host end with the hosts, and everything ends with the Python process.
"""

import os
import subprocess
import sys

from capture import Capture

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hosts.sh")
CABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cable.py")


def enter():
    """Starts this Python program again within a new network, unless it is in one already. Needs unshare(1)."""
    if "EARSHOT_HOSTS" in os.environ:
        return
    sys.stdout.flush()
    sys.stderr.flush()
    arguments = [sys.executable, *sys.orig_argv[1:]]
    os.execv("/bin/bash", ["bash", SCRIPT, "enter", *arguments])


enter()


class Hosts:
    """`count` hosts of one kind with the numbers 1, 2, ... on one network; `add` adds hosts of other kinds."""

    def __init__(self, count=0, *, daemon=True, quiet=False, card=True, eui64=False, family=None):
        self.count = count
        self.kind = self._options(daemon, quiet, card, eui64, family)
        self.hosts = []
        self.processes = []
        self.captures = []

    def __enter__(self):
        try:
            for host in range(1, self.count + 1):
                self._add(host, self.kind)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for capture in self.captures:
            capture.close()
        self.captures = []
        for process in self.processes:
            if process.poll() is None:
                process.kill()
        for process in self.processes:
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream:
                    stream.close()
        self.processes = []
        for host in self.hosts:
            self._script("remove", host)
        self.hosts = []

    def add(self, host, *, daemon=True, quiet=False, card=True, eui64=False, family=None):
        """Adds a host. Without `card` it has only lo; without `daemon`, neither bus nor Avahi; a `quiet` daemon does not
        publish the name of its host; with `eui64`, IPv6 addresses hold the MAC; `family` (`ipv4` or `ipv6`) limits its
        addresses to that family."""
        self._add(host, self._options(daemon, quiet, card, eui64, family))

    def remove(self, host):
        """Removes the host and kills its processes, which send nothing more."""
        self._script("remove", host)
        self.hosts.remove(host)

    def start(self, host, command, **options):
        """The process of `command` on `host`, with pipes and text unless `options` (of Popen) say otherwise."""
        pipes = {name: subprocess.PIPE for name in ("stdin", "stdout", "stderr")}
        options = pipes | {"text": True} | options
        process = subprocess.Popen(self.command(host, command), **options)
        self.processes.append(process)
        return process

    def run(self, host, command, timeout=10):
        """The output of `command` on `host`; raises if it fails."""
        done = subprocess.run(
            self.command(host, command),
            check=True,
            capture_output=True,
            text=True,
            timeout=timeout,
            stdin=subprocess.DEVNULL,
        )
        return done.stdout

    def command(self, host, command):
        """The argument vector that becomes `command` on `host` and keeps its process id."""
        return [SCRIPT, "exec", str(host), *command]

    def address(self, host):
        """The IPv4 address of the host's network card."""
        return f"10.77.{host // 250}.{host % 250 + 1}"

    def set_address(self, host, address):
        """Replaces all addresses of the host's network card by `address`, which has a prefix length."""
        self._script("address", host, address)

    def host_name(self, host):
        """The name of the host, which must never be on the network."""
        return f"canary-host-{host}"

    def kill_daemon(self, host):
        self._script("signal", host, "daemon", "KILL")
        # The next daemon would refuse to start beside it.
        self.run(host, ["rm", "-f", "/run/avahi-daemon/pid"])

    def stop_daemon(self, host):
        """The daemon hangs from now on."""
        self._script("signal", host, "daemon", "STOP")

    def continue_daemon(self, host):
        self._script("signal", host, "daemon", "CONT")

    def start_daemon(self, host):
        self._script("daemon", host)

    def configure_daemon(self, host, text):
        """Starts the daemon again with `text` as its configuration."""
        self.kill_daemon(host)
        self._script("configure", host, text)

    def kill_bus(self, host):
        """Kills the bus, and with it the Avahi daemon, which needs it."""
        self._script("signal", host, "bus", "KILL")
        self.run(host, ["rm", "-f", "/run/avahi-daemon/pid"])

    def start_bus(self, host):
        self._script("bus", host)

    def link_down(self, host):
        self._script("link", host, "down")

    def link_up(self, host):
        self._script("link", host, "up")

    def partition(self, hosts):
        """Moves these hosts to another network."""
        for host in hosts:
            self._script("attach", host, "net1")

    def heal(self):
        for host in self.hosts:
            self._script("attach", host, "net0")

    def cable(self, host, **faults):
        """Gives the host a faulty cable with the options of cable.py, such as `loss=5, no_multicast=True`. The process of the
        cable, which ends with its input."""
        options = [word for name, value in faults.items() for word in
                   [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]]
        self._script("attach", host, f"cable{host}")
        process = subprocess.Popen([sys.executable, CABLE, str(host), *options],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.processes.append(process)
        if process.stdout.readline() != "ready\n":
            raise RuntimeError(f"no cable: {process.communicate()[1]}")
        return process

    def mend(self, host, cable):
        """Gives the host a good cable again; the report of the faulty one."""
        self._script("attach", host, "net0")
        return cable.communicate(timeout=10)[0].strip()

    def keep_mdns_port(self, host):
        """Starts a program on the host that binds the port of mDNS exclusively, for IPv4 alone."""
        script = "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(('', 5353)); print('x', flush=True); input()"
        if self.start(host, ["python3", "-c", script]).stdout.readline() != "x\n":
            raise RuntimeError("the port of mDNS can not be kept")

    def second_card(self, host):
        """Gives the host a second network card, on a second network."""
        self._script("second", host)

    def isolate(self, hosts):
        """The switch forwards nothing between these hosts."""
        for host in hosts:
            self._script("isolate", host)

    def capture(self, path, network="net0"):
        """Writes the packets of a network to a pcap file, until `end` of the returned capture."""
        capture = Capture(path, network)
        self.captures.append(capture)
        return capture

    def _add(self, host, options):
        self._script("add", host, *options)
        self.hosts.append(host)

    @staticmethod
    def _options(daemon, quiet, card, eui64, family):
        chosen = {"bare": not daemon, "quiet": quiet, "lo": not card, "eui64": eui64, family: family is not None}
        return [option for option, is_chosen in chosen.items() if is_chosen]

    @staticmethod
    def _script(*arguments):
        done = subprocess.run(
            [SCRIPT, *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=20,
        )
        if done.returncode != 0:
            raise RuntimeError(f"hosts.sh {' '.join(map(str, arguments))}: {done.stderr.decode(errors='replace')}")

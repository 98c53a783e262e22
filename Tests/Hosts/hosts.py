"""Hosts on a network of their own, for tests; see hosts.sh. Importing this moves the whole test run into that network."""

import contextlib
import itertools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SCRIPT = str(HERE / "hosts.sh")
os.environ["PATH"] += ":/usr/sbin:/sbin"

if "EARSHOT_HOSTS" not in os.environ:
    # The same command again, in a network that no packet leaves or enters.
    os.execv(SCRIPT, [SCRIPT, "enter", sys.executable, *sys.orig_argv[1:]])

_numbers = itertools.count(1)


class Hosts:
    """Hosts 1 to `count`, each with its own bus and daemon unless said otherwise; gone with the context."""

    def __init__(self, count, daemons=True, loopback_only=False):
        self._wanted = range(1, count + 1)
        self._daemons = set(self._wanted) if daemons is True else set(daemons or ())
        self._loopback_only = loopback_only
        self._real = {}
        self.directory = None

    def __enter__(self):
        self.directory = tempfile.mkdtemp(prefix="earshot-hosts-")
        for host in self._wanted:
            self.add(host, host in self._daemons)
        return self

    def __exit__(self, *exception):
        for number in self._real.values():
            self._call("remove", number)
        shutil.rmtree(self.directory)

    def add(self, host, has_daemon=True):
        """Makes one more host. Numbers differ between tests, so that none meets what another has left."""
        number = str(next(_numbers))
        options = ([] if has_daemon else ["bare"]) + (["lo"] if self._loopback_only else [])
        self._call("add", number, *options)
        self._real[host] = number

    def _call(self, *arguments):
        done = subprocess.run([SCRIPT, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        if done.returncode != 0:
            raise RuntimeError(f"hosts.sh {' '.join(arguments)}: {done.stderr.decode()}")

    def start(self, host, argv, **options):
        """Starts a command on a host; signals to what is returned reach the command itself."""
        return subprocess.Popen([SCRIPT, "exec", self._real[host], *argv], **options)

    def hostname(self, host):
        return f"canary-host-{self._real[host]}"

    def kill_daemon(self, host):
        self._call("signal", self._real[host], "daemon", "KILL")

    def signal_daemon(self, host, signal):
        self._call("signal", self._real[host], "daemon", signal)

    def start_daemon(self, host):
        """Starts the daemon, and the bus too where there is none."""
        if not os.path.exists(os.path.join(os.environ["EARSHOT_HOSTS"], f"{self._real[host]}.bus")):
            self._call("bus", self._real[host])
        self._call("daemon", self._real[host])

    def link_down(self, host):
        self._call("link", self._real[host], "down")

    def link_up(self, host):
        self._call("link", self._real[host], "up")

    def part(self, host):
        """Moves a host to another network."""
        self._call("attach", self._real[host], "net1")

    def rejoin(self, host):
        self._call("attach", self._real[host], "net0")

    @contextlib.contextmanager
    def capture(self, path):
        """Writes everything that crosses the network meanwhile to a file."""
        dump = subprocess.Popen(["tcpdump", "-i", "net0", "--immediate-mode", "-s", "0", "-U", "-Z", "root", "-w", path],
                                stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        try:
            for line in dump.stderr:
                if b"listening on" in line:
                    break
            yield
        finally:
            dump.terminate()
            dump.communicate(timeout=20)

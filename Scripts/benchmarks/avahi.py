"""Avahi's daemon for the hosts of measured groups, as it runs on most machines."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

CONFIGURATION = Path(__file__).resolve().parents[2] / "Tests" / "Hosts"
FOLDERS = ("/run/dbus", "/run/avahi-daemon")


class Avahi:
    """A bus and a daemon, started by `prefix` if that is another network; none where they are not installed, or for
    anybody but root, who alone can make the daemon the user that it wants to be: nodes then answer mDNS themselves."""

    def __init__(self, *prefix):
        self.pids = []
        if not (shutil.which("avahi-daemon") and shutil.which("dbus-daemon")):
            return
        try:
            for folder in FOLDERS:
                os.makedirs(folder, exist_ok=True)
            shutil.chown(FOLDERS[1], "avahi", "avahi")
        except (OSError, LookupError):
            return
        # Both return when they can be talked to.
        bus = subprocess.run([*prefix, "dbus-daemon", f"--config-file={CONFIGURATION}/bus.conf", "--fork", "--nopidfile",
                              "--print-pid"], check=True, capture_output=True, text=True)
        subprocess.run([*prefix, "avahi-daemon", f"--file={CONFIGURATION}/avahi-daemon.conf", "--daemonize",
                        "--no-rlimits"], check=True, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.pids = [int(Path(FOLDERS[1], "pid").read_text()), int(bus.stdout)]

    def end(self):
        for pid in self.pids:
            os.kill(pid, signal.SIGKILL)
        if self.pids:
            for folder in FOLDERS:
                shutil.rmtree(folder, ignore_errors=True)

"""An Avahi daemon for the hosts of measured groups."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

CONFIGURATION = Path(__file__).resolve().parents[2] / "Tests" / "Hosts" / "Configuration"
FOLDERS = ("/run/dbus", "/run/avahi-daemon")


class Avahi:
    """Starts a bus and a daemon; `prefix` is a command that enters their network. It starts none if they are not installed,
    or without root, which the daemon needs to change its user: nodes then answer mDNS themselves."""

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
        # Both commands return when they accept connections.
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

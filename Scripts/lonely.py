"""Runs a script where there is no network but a loopback interface."""

import os
import subprocess
import sys


def in_a_namespace():
    """Starts this script again in a network namespace, with one more argument, `inside`."""
    unshare = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--net"]
    inside = ["sh", "-c", 'PATH=$PATH:/usr/sbin:/sbin; ip link set lo up && exec "$@"', "sh", *map(str, sys.orig_argv), "inside"]
    return subprocess.run([*unshare, *inside], check=False).returncode

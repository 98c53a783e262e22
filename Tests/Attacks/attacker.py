"""attacker.py NAME PLAN: one attack, driven by lines on standard input: on, off, end.

PLAN is JSON: the victim's address and the parameters of the attack. Prints `ready`, and at the end a line of JSON with
the outcomes of its connections.
"""

import json
import os
import resource
import socket
import sys
import threading
import time
import traceback
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Interop"))

import floods  # noqa: E402
import gateway  # noqa: E402
import liars  # noqa: E402
import members  # noqa: E402
import multicast  # noqa: E402
import smalltalk  # noqa: E402


class Stage:
    """The environment of an attack: the plan, a flag that it is on, connections from any address, and a tally."""

    def __init__(self, plan):
        self.__dict__.update(plan)
        self.tally = Counter()
        self.running = threading.Event()
        self.lock = threading.Lock()

    def count(self, name, by=1):
        with self.lock:
            self.tally[name] += by

    def source(self, number):
        """One of the attacker's 62,500 addresses."""
        number += self.offset
        return f"10.78.{number // 250 % 250}.{number % 250 + 1}"

    def connect(self, number=None, timeout=10, **options):
        """A connection to the victim: from the attacker's own address, or from another."""
        stream = socket.socket()
        for name, value in options.items():
            stream.setsockopt(socket.SOL_SOCKET, getattr(socket, name), value)
        stream.settimeout(timeout)
        if number is not None:
            stream.bind((self.source(number), 0))
        try:
            stream.connect((self.victim, self.port))
        except OSError:
            stream.close()
            raise
        self.count("connections")
        return stream

    def pause(self, seconds):
        """Waits while the attack is on; true if it still is."""
        end = time.monotonic() + seconds
        while self.running.is_set() and (left := end - time.monotonic()) > 0:
            time.sleep(min(left, 0.05))
        return self.running.is_set()

    def paced(self, perSecond):
        """Yields 0, 1, ... at a rate while the attack is on; late numbers follow at once."""
        begun, number = time.monotonic(), 0
        while self.running.is_set():
            due = begun + number / perSecond
            if (wait := due - time.monotonic()) > 0:
                time.sleep(min(wait, 0.05))
                continue
            yield number
            number += 1


def run(attack):
    """Runs an attack; one that breaks off ends the process with a failure, or a victim would survive an attack that never was."""
    try:
        attack.run()
    except BaseException:
        traceback.print_exc()
        os._exit(1)


ATTACKS = floods.ATTACKS | members.ATTACKS | liars.ATTACKS | multicast.ATTACKS | smalltalk.ATTACKS | gateway.ATTACKS


def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    stage = Stage(json.loads(sys.argv[2]))
    attack = ATTACKS[sys.argv[1]](stage)
    print("ready", flush=True)
    worker = None
    for line in sys.stdin:
        if line == "on\n":
            stage.running.set()
            worker = threading.Thread(target=run, args=(attack,), daemon=True)
            worker.start()
        else:
            stage.running.clear()
            if worker:
                worker.join(10)
            if line == "end\n":
                break
        print("done", flush=True)
    print(json.dumps(stage.tally), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()

"""A cable that loses, delays, reorders or throttles frames, in place of a host's good cable.

    cable.py HOST [--loss PERCENT] [--delay MS] [--jitter MS] [--reorder PERCENT] [--rate BITS_PER_SECOND]
                  [--no-multicast] [--seed NUMBER]

The kernels of small machines have no netem(8), so this forwards the frames itself, between a tap on the host's side and
one on net0. Each direction has its own delays, and its own queue before `--rate`, which holds 50 frames. Frames keep
their order; `--reorder` percent of them overtake. Prints `ready`, and the numbers of passed and dropped frames when
standard input ends. One seed makes one sequence of decisions.
"""

import argparse
import fcntl
import heapq
import os
import random
import select
import struct
import subprocess
import sys
import time

TUNSETIFF = 0x400454CA
TAP, WITHOUT_HEADER = 0x0002, 0x1000
BROADCAST = b"\xff" * 6
LONGEST_QUEUE = 50


def tap(name, bridge):
    """The descriptor of a new network device that is a port of `bridge`."""
    descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(descriptor, TUNSETIFF, struct.pack("16sH22x", name.encode(), TAP | WITHOUT_HEADER))
    subprocess.run(["ip", "link", "set", name, "master", bridge, "up"], check=True)
    return descriptor


class Direction:
    """The frames from one end to the other, with the time at which each is due."""

    def __init__(self, options, seed, target):
        self.options = options
        self.random = random.Random(seed)
        self.target = target
        self.free_at = 0.0
        self.last_due = 0.0
        self.queued = []

    def take(self, frame, now):
        """The monotonic time at which the frame is due, in seconds; None if it is dropped."""
        options = self.options
        if options.no_multicast and frame[0] & 1 and frame[:6] != BROADCAST:
            return None
        if self.random.uniform(0, 100) < options.loss:
            return None
        sent = now
        if options.rate:
            self.queued = [free for free in self.queued if free > now]
            if len(self.queued) >= LONGEST_QUEUE:
                return None
            sent = self.free_at = max(now, self.free_at) + len(frame) * 8 / options.rate
            self.queued.append(sent)
        if self.random.uniform(0, 100) < options.reorder:
            return sent
        due = sent + (options.delay + self.random.uniform(-options.jitter, options.jitter)) / 1000
        self.last_due = due = max(due, self.last_due)
        return due


def forward(ends, directions):
    """Forwards frames until standard input ends; the numbers of passed and dropped frames."""
    waiting, number, passed, dropped = [], 0, 0, 0
    poller = select.poll()
    for descriptor in (*ends, sys.stdin.fileno()):
        poller.register(descriptor, select.POLLIN)
    while True:
        timeout = None if not waiting else max(0, waiting[0][0] - time.monotonic()) * 1000
        for descriptor, _ in poller.poll(timeout):
            if descriptor == sys.stdin.fileno():
                return passed, dropped
            frame = os.read(descriptor, 65536)
            direction = directions[ends.index(descriptor)]
            due = direction.take(frame, time.monotonic())
            if due is None:
                dropped += 1
                continue
            number += 1
            heapq.heappush(waiting, (due, number, direction.target, frame))
        while waiting and waiting[0][0] <= time.monotonic():
            _, _, target, frame = heapq.heappop(waiting)
            try:
                os.write(target, frame)
                passed += 1
            except (BlockingIOError, OSError):
                dropped += 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("host", type=int)
    parser.add_argument("--no-multicast", action="store_true")
    for name in ("loss", "delay", "jitter", "reorder", "rate", "seed"):
        parser.add_argument(f"--{name}", type=float, default=0)
    options = parser.parse_args()
    ends = [tap(f"near{options.host}", f"cable{options.host}"), tap(f"far{options.host}", "net0")]
    directions = [Direction(options, options.seed * 2 + i, ends[1 - i]) for i in range(2)]
    print("ready", flush=True)
    print("%d passed, %d dropped" % forward(ends, directions), flush=True)


if __name__ == "__main__":
    main()

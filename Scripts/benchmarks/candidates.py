"""The measured programs, one or several."""

import contextlib
import random
import tempfile
from dataclasses import dataclass
from pathlib import Path

import measurements
from drivers import DriverFailure, Group
from networks import NETWORKS


@dataclass
class Candidate:
    """A program whose nodes implement the driver protocol."""

    name: str
    # The command's words; `{id}`, `{n}`, `{ip}` and `{dir}` are replaced.
    command: list
    variant: str = ""
    # True if its nodes report the messages that they keep.
    keeps_messages: bool = False
    # True if all of its nodes report their links (`peers`).
    tells_links: bool = False
    # The command of node 0, or None for the common one.
    centre: list = None

    @staticmethod
    def ours(binary, name="earshot"):
        return Candidate(name, [str(binary), "node", "{id}"], keeps_messages=True, tells_links=True)

    @staticmethod
    def star(binary, port=6000):
        """Earshot in a star: each node has one link, with node 0."""
        start = [str(binary), "node", "{id}", "--discovery", "none"]
        return Candidate("earshot", start + ["--peer", f"127.0.0.1:{port}"], centre=start + ["--port", str(port)])

    @staticmethod
    def named(text):
        """`NAME=COMMAND`, or `NAME:VARIANT=COMMAND` for a program with a variant in its environment."""
        name, _, command = text.partition("=")
        name, _, variant = name.partition(":")
        if not name or not command:
            raise ValueError(f"{text!r} is not NAME=COMMAND")
        return Candidate(name, command.split(), variant)


@contextlib.contextmanager
def grouped(candidate, size, network):
    """A group without started nodes; ends the started ones at exit."""
    net = NETWORKS[network](size)
    try:
        with tempfile.TemporaryDirectory(prefix="earshot-bench-") as folder:
            group = Group(candidate, net, size, folder)
            try:
                yield group
            finally:
                group.end()
    finally:
        net.end()


def run(candidate, size, network, tests, emit, **options):
    """Runs one group: calls `emit(test, result)` for its start, B0, and each test."""
    with grouped(candidate, size, network) as group:
        try:
            ready, met = group.begin()
            emit("B0", {"ready_s": ready, "met_s": met})
            for test in tests:
                emit(test, measurements.TESTS[test](group, **options.get(test, {})))
        except (DriverFailure, OSError) as failure:
            log = Path(group.folder, "log").read_text(errors="replace").strip().splitlines()
            emit("failed", {"error": str(failure), "log": log[-5:]})


def run_rounds(candidates, size, tests, rounds, emit, **options):
    """Runs every candidate in every round, in a new order each time: `emit(round, candidate, network, test, result)`."""
    for number in range(rounds):
        for candidate in random.sample(candidates, len(candidates)):
            for network in NETWORKS:
                chosen = [test for test in measurements.TESTS
                          if test in tests and measurements.NETWORK.get(test, "flat") == network]
                if chosen:
                    run(candidate, size, network, chosen,
                        lambda test, result, network=network: emit(number, candidate.name, network, test, result),
                        **options)

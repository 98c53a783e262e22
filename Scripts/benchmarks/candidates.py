"""What is measured: one program, or several side by side."""

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
    """Something whose nodes obey the driver protocol."""

    name: str
    # `{id}`, `{n}`, `{ip}` and `{dir}` in its words are filled in.
    command: list
    variant: str = ""
    # Whether its nodes tell which messages they keep.
    keeps_messages: bool = False
    # Whether all of its nodes tell of all links (`peers`).
    tells_links: bool = False
    # The command of node 0, where it is another.
    centre: list = None

    @staticmethod
    def ours(binary, name="earshot"):
        return Candidate(name, [str(binary), "node", "{id}"], keeps_messages=True, tells_links=True)

    @staticmethod
    def star(binary, port=6000):
        """Ours, of whom all have a link with node 0 and with nobody else."""
        start = [str(binary), "node", "{id}", "--discovery", "none"]
        return Candidate("earshot", start + ["--peer", f"127.0.0.1:{port}"], centre=start + ["--port", str(port)])

    @staticmethod
    def named(text):
        """`NAME=COMMAND`, or `NAME:VARIANT=COMMAND` for a program that is told a variant in its environment."""
        name, _, command = text.partition("=")
        name, _, variant = name.partition(":")
        if not name or not command:
            raise ValueError(f"{text!r} is not NAME=COMMAND")
        return Candidate(name, command.split(), variant)


@contextlib.contextmanager
def grouped(candidate, size, network):
    """A group of which no node has started yet, and the end of all that has."""
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
    """One group from its start to its end: `emit(test, result)` for its start, B0, and each test."""
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
    """Every candidate in every round, in a new order each time: `emit(round, candidate, network, test, result)`."""
    for number in range(rounds):
        for candidate in random.sample(candidates, len(candidates)):
            for network in NETWORKS:
                chosen = [test for test in measurements.TESTS
                          if test in tests and measurements.NETWORK.get(test, "flat") == network]
                if chosen:
                    run(candidate, size, network, chosen,
                        lambda test, result, network=network: emit(number, candidate.name, network, test, result),
                        **options)

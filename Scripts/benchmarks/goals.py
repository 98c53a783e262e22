"""What the project wants to reach, and whether what was measured does: the first table of Docs/Benchmarks.md."""

from results import shown

OURS, FLOOR = "earshot", "floor"
# Systems of the scoreboard that need no server.
SERVERLESS = ("zenoh", "zenoh-tls", "cyclonedds")
PROGRAM_BYTES = 10_000_000


class Figures:
    """Medians of what was measured of us and of others; None where nothing was."""

    def __init__(self, group, curve, board, program, rest, star):
        self.group, self.curve, self.board, self.program = group, curve, board, program
        self.rest, self.star = rest, star

    def ours(self, test, field):
        return self.group.median(field, candidate=OURS, test=test)

    def against_floor(self, test, field):
        """How much of the floor's figure ours is."""
        return quotient(self.ours(test, field), self.group.median(field, candidate=FLOOR, test=test))

    def against_others(self, names):
        """The processor time of a delivery, in that of the cheapest of others in the same run."""
        cost = {name: self.board.median("cpu_us", cand=name, test="B1") for name in names}
        known = [value for value in cost.values() if value is not None]
        return quotient(self.board.median("cpu_us", cand=OURS, test="B1"), min(known, default=None))

    def idle_link(self):
        """KiB for each further link, from the largest group and the smallest of 32 and more: of what a node shares with nobody,
        while nothing has been said. The messages that are kept, and a node's part of the program, which others divide with
        it, change with the size of the group too."""
        silent = {size: self.curve.median("silent_kib", candidate=OURS, test="B4", nodes=size)
                  for size in self.curve.names("nodes") if size >= 32}
        sizes = sorted(size for size, value in silent.items() if value is not None)
        return quotient(silent[sizes[-1]] - silent[sizes[0]], sizes[-1] - sizes[0]) if len(sizes) > 1 else None

    def steepness(self):
        """The dearest delivery of the curve in cheapest ones."""
        costs = [self.curve.median("cpu_us", candidate=OURS, test="B1", nodes=nodes) for nodes in self.curve.names("nodes")]
        known = [cost for cost in costs if cost is not None]
        return quotient(max(known, default=None), min(known, default=None))


def quotient(value, divisor):
    return None if value is None or not divisor else value / divisor


def goals(figures):
    """(what, the bound, whether it is the least that is wanted, the figure)."""
    of = figures.ours
    program = None if figures.program is None else figures.program / 1e6
    return [
        ("B1 CPU per delivery, in that of a loop in C that seals", 1.25, False, figures.against_floor("B1", "cpu_us")),
        ("B1 the same, in that of the cheapest system without a server", 0.5, False, figures.against_others(SERVERLESS)),
        ("B1 the same, in that of NATS over TLS", 1, False, figures.against_others(["nats-tls"])),
        ("B1 lost", 0, False, of("B1", "lost")),
        ("B2 p50, in that of the loop in C", 1.3, False, figures.against_floor("B2", "p50_ms")),
        ("B2 p99, in that of the loop in C", 1.3, False, figures.against_floor("B2", "p99_ms")),
        ("B3 median, ms", 300, False, of("B3", "median_ms")),
        ("B3 worst of 20, ms", 600, False, of("B3", "worst_ms")),
        ("start of the program to `ready`, ms", 30, False, of("B3", "ready_ms")),
        ("B4 PSS with 32 links, MB", 4, False, of("B4", "pss_mb")),
        ("B4 PSS with 199 links, MB", 6, False, figures.star.median("pss_mb", nodes=200)),
        ("B4 each further idle link, KiB", 8, False, figures.idle_link()),
        ("B5 received 10 to 30 s after all have met, B/s", 800, False, of("B5", "received_bytes")),
        ("B5 received from the sixth minute to the fifteenth, B/s", 800, False,
         figures.rest.median("received_bytes", test="B5")),
        ("B6 deliveries/s, in those of the loop in C", 0.7, True, figures.against_floor("B6", "per_second")),
        ("B6 lost", 0, False, of("B6", "lost")),
        ("B6 different rings", 1, False, of("B6", "rings")),
        ("dearest delivery of the curve, in cheapest ones", 1.2, False, figures.steepness()),
        ("the stripped program, MB", PROGRAM_BYTES / 1e6, False, program),
    ]


def rows(figures, machine, before):
    """What was not measured on this machine is told as it stood in the rows before, by the name of the goal."""
    for what, bound, is_least, value in goals(figures):
        wanted = f"{'at least' if is_least else 'at most'} {bound:g}"
        if value is not None:
            yield [what, wanted, shown(value), "met" if (value >= bound if is_least else value <= bound) else "**missed**", machine]
        elif before.get(what, [None])[0] == wanted:
            yield [what, *before[what]]
        else:
            yield [what, wanted, shown(None), "not measured", ""]

"""The goals of the project and the measured figures: the first table of Docs/Benchmarks.md."""

from results import shown

OURS, FLOOR = "earshot", "floor"
# Systems of the scoreboard without a server.
SERVERLESS = ("zenoh", "zenoh-tls", "cyclonedds")
PROGRAM_BYTES = 10_000_000


class Figures:
    """The medians of our figures and of others' figures; None without a measurement."""

    def __init__(self, group, curve, board, program, rest, star):
        self.group, self.curve, self.board, self.program = group, curve, board, program
        self.rest, self.star = rest, star

    def ours(self, test, field):
        return self.group.median(field, candidate=OURS, test=test)

    def against_floor(self, test, field):
        """Our figure as a fraction of the floor's."""
        return quotient(self.ours(test, field), self.group.median(field, candidate=FLOOR, test=test))

    def against_others(self, names):
        """Our processor time for a delivery, divided by that of the cheapest other candidate in the run."""
        cost = {name: self.board.median("cpu_us", cand=name, test="B1") for name in names}
        known = [value for value in cost.values() if value is not None]
        return quotient(self.board.median("cpu_us", cand=OURS, test="B1"), min(known, default=None))

    def idle_link(self):
        """Private memory for each further link in KiB, from the largest group and the smallest of at least 32, before any
        message. Kept messages and a node's share of the program's pages change with the size of the group too."""
        silent = {size: self.curve.median("silent_kib", candidate=OURS, test="B4", nodes=size)
                  for size in self.curve.names("nodes") if size >= 32}
        sizes = sorted(size for size, value in silent.items() if value is not None)
        return quotient(silent[sizes[-1]] - silent[sizes[0]], sizes[-1] - sizes[0]) if len(sizes) > 1 else None

    def steepness(self):
        """The most expensive delivery of the curve, divided by the cheapest."""
        costs = [self.curve.median("cpu_us", candidate=OURS, test="B1", nodes=nodes) for nodes in self.curve.names("nodes")]
        known = [cost for cost in costs if cost is not None]
        return quotient(max(known, default=None), min(known, default=None))


def quotient(value, divisor):
    return None if value is None or not divisor else value / divisor


def goals(figures):
    """(name, bound, True if the bound is a minimum, figure)."""
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
    """A goal without a measurement on this machine keeps its row of `before`, which has the goals' names as keys."""
    for what, bound, is_least, value in goals(figures):
        wanted = f"{'at least' if is_least else 'at most'} {bound:g}"
        if value is not None:
            yield [what, wanted, shown(value), "met" if (value >= bound if is_least else value <= bound) else "**missed**", machine]
        elif before.get(what, [None])[0] == wanted:
            yield [what, *before[what]]
        else:
            yield [what, wanted, shown(None), "not measured", ""]

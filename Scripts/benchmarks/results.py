"""Results as lines of JSON, and their medians and ratios."""

import json
import statistics


class Results:
    """The rows of one kind of measurement, kept in a file and printed when added."""

    def __init__(self, path):
        self.path = path
        self.rows = []

    def begin(self):
        """Removes the rows of an earlier run."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("")
        self.rows = []
        return self

    def read(self):
        self.rows = [json.loads(line) for line in self.path.read_text().splitlines()] if self.path.exists() else []
        return self

    def add(self, row):
        self.rows.append(row)
        with open(self.path, "a") as file:
            file.write(json.dumps(row) + "\n")
        print(" ".join(f"{name}={shown(value)}" for name, value in row.items()), flush=True)

    def values(self, field, **wanted):
        return [row[field] for row in self.rows
                if field in row and all(row.get(name) == value for name, value in wanted.items())]

    def median(self, field, **wanted):
        """The median of a field in the matching rows; None without a row."""
        values = self.values(field, **wanted)
        return statistics.median(values) if values else None

    def names(self, field):
        """The values of a field, each once, in order of appearance."""
        return list(dict.fromkeys(row[field] for row in self.rows if field in row))


def shown(value):
    """A number with three significant digits."""
    if value is None:
        return "–"
    if not isinstance(value, float):
        return f"{value:,}" if isinstance(value, int) else str(value)
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def ratios(results, field, new, old, **wanted):
    """The ratios of `new` to `old`, one for each round that measured both."""
    def by_round(name):
        return {row["round"]: row[field] for row in results.rows
                if row.get("candidate") == name and field in row
                and all(row.get(key) == value for key, value in wanted.items())}

    ours, theirs = by_round(new), by_round(old)
    return sorted(ours[number] / theirs[number] for number in ours if theirs.get(number))

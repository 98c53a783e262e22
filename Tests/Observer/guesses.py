"""The guesses of an observer of all links: the receiver of a whisper, whether there was one, and the two of a conversation.

The observer has the traffic of all links, and of each whisper its time and its sender. It learns from whispers of which it knows the
receiver, and guesses the others: five times, each fifth of them once.
"""

import itertools
import math

import numpy
from scipy import stats
from sklearn.ensemble import HistGradientBoostingClassifier

# In seconds from the act on; the first window is before it.
EDGES = (-1, 0, 0.05, 0.2, 0.5, 1, 2, 2.5, 5, 20)
WINDOWS = tuple(f"{begin:g}-{end:g} s" for begin, end in zip(EDGES, EDGES[1:]))
# A guess is as good as chance up to so many standard errors.
TOLERANCE = 3
FOLDS = 5
# So often the right answers are drawn at random to estimate the error of a guess by a rule, and of one by boosting.
DRAWS, BOOSTED_DRAWS = 200, 10
# A burst: records of one node on most of its links within so many seconds.
BURST = 0.05
# An answer later than this is counted as none when delays are compared.
LATEST_ANSWER = 2.5
SEED = 37


# The receiver

def _counted(name, series, edges):
    counts, sizes = series.windows(edges)
    yield from ((f"{name}, records in {window}", count) for window, count in zip(WINDOWS, counts))
    yield from ((f"{name}, bytes in {window}", size) for window, size in zip(WINDOWS, sizes))


def _first(name, series, time, since):
    times, sizes = series.after(time, 2)
    yield f"{name}, delay of the first", times[0] - since if len(times) > 0 else math.nan
    yield f"{name}, delay of the second", times[1] - since if len(times) > 1 else math.nan
    yield f"{name}, size of the first", sizes[0] if len(sizes) > 0 else math.nan


def _of_candidate(trace, time, sender, candidate):
    """(name, value) of each feature of a node that may be the receiver."""
    edges = [time + edge for edge in EDGES]
    there, back = trace.link(sender, candidate), trace.link(candidate, sender)
    sent, received = trace.sent[candidate], trace.received[candidate]
    yield from _counted("to it", there, edges)
    yield from _counted("from it", back, edges)
    for name, all_of_it, link in (("elsewhere from it", sent, back), ("elsewhere to it", received, there)):
        counts = all_of_it.windows(edges)[0] - link.windows(edges)[0]
        yield from ((f"{name}, records in {window}", count) for window, count in zip(WINDOWS, counts))
    for name, bare in (("acknowledged to it", trace.bare(sender, candidate)), ("acknowledged by it", trace.bare(candidate, sender))):
        yield from ((f"{name}, in {window}", count) for window, count in zip(WINDOWS, bare.windows(edges)[0]))
    yield from _first("to it", there, time, time)
    yield from _first("from it", back, time, time)
    yield from _first("from it to any", sent, time, time)
    told = there.after(time)[0]
    begun = told[0] if len(told) else time
    yield from _first("from it, behind the first to it", back, begun, begun)
    yield from _first("acknowledged by it, behind the first to it", trace.bare(candidate, sender), begun, begun)


class Whispers:
    """The features of each whisper of a trace. `values` has the shape (whispers, candidates, features); `receivers` has the place of
    the receiver among the candidates. `names` are those of the features."""

    def __init__(self, trace, acts):
        acts = [act for act in acts if act["kind"] == "whisper"]
        rows, self.receivers, self.names = [], [], []
        for act in acts:
            candidates = [node for node in range(trace.count) if node != act["from"]]
            described = [list(_of_candidate(trace, act["time"], act["from"], candidate)) for candidate in candidates]
            self.names = [name for name, _ in described[0]]
            rows.append([[value for _, value in features] for features in described])
            self.receivers.append(candidates.index(act["to"]))
        self.values = numpy.array(rows, dtype=float)
        self.receivers = numpy.array(self.receivers)
        self.count, self.candidates, _ = self.values.shape
        self._add_place_in_burst()

    def column(self, name):
        """The values of a feature, whispers by candidates."""
        return self.values[:, :, self.names.index(name)]

    def of_receivers(self, name):
        """(the values of the receivers, those of the others) of a feature."""
        column, real = self.column(name), self._is_receiver()
        return column[real], column[~real]

    def relative(self):
        """The features, each also less the mean of the candidates and as its rank among them: rows of whispers and candidates."""
        missing = numpy.where(numpy.isnan(self.values), numpy.inf, self.values)
        finite = numpy.where(numpy.isnan(self.values), 0, self.values)
        present = numpy.maximum((~numpy.isnan(self.values)).sum(axis=1, keepdims=True), 1)
        means = finite.sum(axis=1, keepdims=True) / present
        ranks = stats.rankdata(missing, axis=1) / self.candidates
        return numpy.concatenate([self.values, self.values - means, ranks], axis=2)

    def _is_receiver(self):
        return numpy.arange(self.candidates)[None, :] == self.receivers[:, None]

    def _add_place_in_burst(self):
        """The place of the record to each candidate in the order of the writes, and its distance from the one before."""
        first = numpy.nan_to_num(self.column("to it, delay of the first"), nan=1e9)
        order = numpy.argsort(first, axis=1, kind="stable")
        places = numpy.argsort(order, axis=1, kind="stable").astype(float)
        gaps = numpy.diff(numpy.take_along_axis(first, order, axis=1), axis=1, prepend=math.nan)
        gaps = numpy.take_along_axis(gaps, numpy.argsort(order, axis=1, kind="stable"), axis=1)
        gaps[numpy.abs(gaps) > 1e6] = math.nan
        self.names += ["place in the burst", "gap in the burst"]
        self.values = numpy.concatenate([self.values, places[:, :, None], gaps[:, :, None]], axis=2)


def _folds(count):
    """For each fold the numbers of those that are guessed; the others are learnt from."""
    return numpy.array_split(numpy.random.default_rng(SEED).permutation(count), FOLDS)


def _chosen(scores):
    """The candidate with the highest score of each row; of equal ones a random one."""
    scores = numpy.where(numpy.isnan(scores), -numpy.inf, scores)
    among = scores == scores.max(axis=1, keepdims=True)
    return numpy.argmax(numpy.random.default_rng(SEED).random(scores.shape) * among, axis=1)


def by_nearest(whispers):
    """The guess by the record to a candidate that is nearest in time."""
    chosen = _chosen(-whispers.column("to it, delay of the first"))
    return judged(int((chosen == whispers.receivers).sum()), whispers.count, 1 / whispers.candidates)


def by_best(whispers, names):
    """The guess by the one of these features, its most or its least, that tells best where it is known. All folds may share a lucky
    rule, so the error is that of receivers that are drawn at random."""
    chosen = numpy.array([_chosen(sign * whispers.column(name)) for name in names for sign in (1, -1)])
    draw, count = numpy.random.default_rng(SEED), whispers.count
    random = [_right(chosen, draw.integers(0, whispers.candidates, count)) / count for _ in range(DRAWS)]
    return judged(_right(chosen, whispers.receivers), count, 1 / whispers.candidates, float(numpy.std(random)))


def _right(chosen, receivers):
    """The number of right guesses by the best of the rules, chosen in the other folds. `chosen` has the shape (rules, whispers)."""
    right, found = chosen == receivers, 0
    everything = right.sum(axis=1)
    for guessed in _folds(len(receivers)):
        in_fold = right[:, guessed].sum(axis=1)
        found += int(in_fold[(everything - in_fold).argmax()])
    return found


def _likelihood(rows, labels, guessed):
    """How likely each of the rows `guessed` is true, by gradient boosting over `rows` and their labels."""
    # The library reads no column without a value.
    known = ~numpy.isnan(rows).all(axis=0)
    model = HistGradientBoostingClassifier(max_iter=60, learning_rate=0.15, max_leaf_nodes=15, min_samples_leaf=8,
                                           l2_regularization=1.0, early_stopping=False, random_state=SEED)
    return model.fit(rows[:, known], labels).predict_proba(guessed[:, known])[:, 1]


def _boosted(rows, right):
    """The number of right guesses by gradient boosting. `rows` has the shape (cases, candidates, features), `right` the place
    of the right candidate of each case."""
    count, candidates, features = rows.shape
    labels, found = numpy.arange(candidates)[None, :] == right[:, None], 0
    for guessed in _folds(count):
        learnt = numpy.setdiff1d(numpy.arange(count), guessed)
        scores = _likelihood(rows[learnt].reshape(-1, features), labels[learnt].ravel(), rows[guessed].reshape(-1, features))
        found += int((_chosen(scores.reshape(-1, candidates)) == right[guessed]).sum())
    return found


def _checked(guess, right, draw, count, chance):
    """The judgement of `guess`, the number of right answers by learning from `right`. All folds may share the luck of a few cases, so
    a guess that is little better than chance is compared with those from answers of `draw`, which are drawn at random."""
    first = judged(guess(right), count, chance)
    if not first["found"] or first["share"] > chance + 2 * TOLERANCE * first["error"]:
        return first
    generator = numpy.random.default_rng(SEED)
    return judged(first["right"], count, chance, float(numpy.std([guess(draw(generator)) / count for _ in range(BOOSTED_DRAWS)])))


def judged(right, count, chance, error=0):
    """The share of right guesses, the chance, its standard error (at least that of independent guesses), and whether the guess is
    better than chance."""
    error = max(error, math.sqrt(chance * (1 - chance) / count))
    return {"right": right, "of": count, "share": right / count, "chance": chance, "error": error,
            "found": right / count > chance + TOLERANCE * error}


def receivers(trace, acts):
    """The guesses of the receivers, and how the delays of answers differ."""
    whispers = Whispers(trace, acts)
    counts = [name for name in whispers.names if ", records in" in name or name.startswith("acknowledged") and ", in" in name]
    sizes = [name for name in whispers.names if ", bytes in" in name or "size of" in name]
    rows, count, candidates = whispers.relative(), whispers.count, whispers.candidates
    boosted = _checked(lambda right: _boosted(rows, right), whispers.receivers,
                       lambda generator: generator.integers(0, candidates, count), count, 1 / candidates)
    return {"guesses": {"nearest": by_nearest(whispers), "count": by_best(whispers, counts), "size": by_best(whispers, sizes),
                        "boosting": boosted},
            "answers": answers(whispers), "telling": telling(whispers)}


def answers(whispers):
    """The delays of the first record from a receiver and from the others, behind the record to it, compared (Kolmogorov and
    Smirnov). `p` is the probability of so large a difference if they are drawn alike."""
    real, other = whispers.of_receivers("from it, behind the first to it, delay of the first")
    shares = [float((delays < LATEST_ANSWER).mean()) for delays in (real, other)]
    real, other = (delays[delays < LATEST_ANSWER] for delays in (real, other))
    if len(real) == 0 or len(other) == 0:
        # None of the others answers: the shares tell all.
        return {"p": None, "distance": None, "shares": shares, "medians": [_median(real), _median(other)]}
    compared = stats.ks_2samp(real, other)
    return {"p": float(compared.pvalue), "distance": float(compared.statistic), "shares": shares,
            "medians": [_median(real), _median(other)]}


def _median(delays):
    return float(numpy.median(delays)) if len(delays) else None


def telling(whispers):
    """The feature that differs most between receivers and others, and the probability of so large a difference of the largest of
    so many features by chance."""
    best, name = 1.0, None
    for candidate in whispers.names:
        real, other = (numpy.nan_to_num(values, nan=1e9) for values in whispers.of_receivers(candidate))
        probability = float(stats.ks_2samp(real, other, method="asymp").pvalue)
        if probability < best:
            best, name = probability, candidate
    return {"feature": name, "p": min(1.0, best * len(whispers.names))}


# Whether there was a whisper

def happened(trace, acts):
    """Guesses of whether a node whispered at a time, from times when it did and as many when no node did."""
    cases = {kind: [act for act in acts if act["kind"] == kind] for kind in ("whisper", "blank")}
    count = min(map(len, cases.values()))
    rows = [list(_of_moment(trace, act["time"], act["from"])) for kind in cases for act in cases[kind][:count]]
    rows, labels = numpy.array(rows, dtype=float), numpy.repeat([1, 0], count)

    def guess(labels):
        right = 0
        for guessed in _folds(2 * count):
            learnt = numpy.setdiff1d(numpy.arange(2 * count), guessed)
            right += int(((_likelihood(rows[learnt], labels[learnt], rows[guessed]) > 0.5) == labels[guessed]).sum())
        return right

    return _checked(guess, labels, lambda generator: generator.permutation(labels), 2 * count, 1 / 2)


def _of_moment(trace, time, node):
    edges = [time + edge for edge in EDGES]
    for series in (trace.sent[node], trace.received[node]):
        counts, sizes = series.windows(edges)
        yield from counts
        yield from sizes
        times, _ = series.after(time, 2)
        yield from (numpy.pad(times, (0, 2 - len(times)), constant_values=math.nan) - time)
    links = [trace.link(node, other).windows(edges)[0] > 0 for other in range(trace.count) if other != node]
    yield from numpy.sum(links, axis=0)
    yield from numpy.sum([series.windows(edges)[0] for series in trace.sent], axis=0)


# The two of a conversation

def rhythm(trace, acts):
    """Guesses of the two that whisper with each other at length, by the records on their link, by their bursts, and by boosting."""
    talks = {}
    for act in acts:
        if act["kind"] == "conversation":
            talks.setdefault(act["talk"], []).append(act)
    pairs = list(itertools.combinations(range(trace.count), 2))
    rows, right = [], []
    for talk in talks.values():
        times = [act["time"] for act in talk]
        rows.append(_of_pairs(trace, pairs, min(times), max(times) + LATEST_ANSWER))
        right.append(pairs.index(tuple(sorted((talk[0]["from"], talk[0]["to"])))))
    rows, right = numpy.array(rows, dtype=float), numpy.array(right)
    means = rows.mean(axis=1, keepdims=True)
    ranks = stats.rankdata(rows, axis=1) / len(pairs)
    every, count, chance = numpy.concatenate([rows, rows - means, ranks], axis=2), len(right), 1 / len(pairs)
    simple = {name: judged(int((_chosen(rows[:, :, column]) == right).sum()), count, chance)
              for name, column in (("count", 0), ("bursts", 2))}
    return simple | {"boosting": _checked(lambda right: _boosted(every, right), right,
                                          lambda generator: generator.integers(0, len(pairs), count), count, chance)}


def _of_pairs(trace, pairs, begin, end):
    bursts = [_bursts(trace, node, begin, end) for node in range(trace.count)]
    return [list(_of_pair(trace, bursts, one, other, begin, end)) for one, other in pairs]


def _of_pair(trace, bursts, one, other, begin, end):
    there, back = (trace.link(*link).windows([begin, end]) for link in ((one, other), (other, one)))
    yield there[0][0] + back[0][0]
    yield there[1][0] + back[1][0]
    # The one that is silent tells more than the other.
    yield min(len(bursts[one]), len(bursts[other])) + 0.1 * _alternations(bursts[one], bursts[other])
    yield len(bursts[one]) + len(bursts[other])
    yield _alternations(bursts[one], bursts[other])
    for node in (one, other):
        yield trace.sent[node].windows([begin, end])[0][0]
        yield trace.received[node].windows([begin, end])[0][0]
    yield min(there[0][0], back[0][0])


def _bursts(trace, node, begin, end):
    """The times at which a node sent on most of its links at once."""
    times = trace.sent[node].times
    times = times[(times >= begin - BURST) & (times <= end)]
    found, last = [], -math.inf
    least = max(1, (trace.count - 1) // 2)
    for place, time in enumerate(times):
        if time > last + BURST and place + least <= len(times) and times[place + least - 1] <= time + BURST:
            found.append(time)
            last = time
    return found


def _alternations(one, other):
    """How often a burst of one node follows one of the other."""
    turns = sorted([(time, 0) for time in one] + [(time, 1) for time in other])
    return sum(before[1] != after[1] for before, after in zip(turns, turns[1:]))

"""Traces of whispers that no node sent, with a leak that is known: an observer that finds it can be believed when it finds none."""

import itertools
import random

from traces import Trace

RECORD, LARGE = 530, 1298
APART = 7
BEGIN = 1_800_000_000.0


def traffic(leak, count=5, whispers=200, seed=1):
    """(trace, acts) of a quiet room in which a whisper is a record on each link and is answered from each receiver after 0.2 to
    2 s. `leak` is one of `LEAKS`, or None."""
    draw = random.Random(f"{leak} {seed}")
    records, packets, acts = [], [], []
    for place in range(whispers):
        time = BEGIN + APART * place + draw.random()
        sender, receiver = draw.sample(range(count), 2)
        acts.append({"time": time, "kind": "whisper", "from": sender, "to": receiver})
        acts.append({"time": time + 4 + draw.random(), "kind": "blank", "from": draw.randrange(count)})
        for act in _whisper(draw, leak, time, sender, receiver, count):
            records.append(act)
            packets += [act, (act[0] + 0.0001, act[2], act[1], 0)]
    for _ in range(count * whispers):
        time = BEGIN + APART * whispers * draw.random()
        records.append((time, *draw.sample(range(count), 2), RECORD))
    return Trace(count, records, packets), acts


def _whisper(draw, leak, time, sender, receiver, count):
    others = [node for node in range(count) if node != sender]
    draw.shuffle(others)
    if leak == "order":
        others.sort(key=lambda node: node != receiver)
    for place, node in enumerate(others):
        is_real = node == receiver
        if leak == "one link" and not is_real:
            continue
        yield time + 0.0005 + 0.00002 * place, sender, node, RECORD
        delay = draw.uniform(0.2, 2)
        if leak == "at once" and is_real:
            delay = 0.001
        if leak == "sooner" and is_real:
            delay = draw.uniform(0.2, 0.9)
        yield time + delay, node, sender, LARGE if leak == "size" and is_real else RECORD
        if leak == "receipt" and is_real:
            yield time + 3 + draw.random(), node, sender, RECORD
        if leak == "elsewhere" and is_real:
            yield time + 0.003, node, draw.choice([other for other in range(count) if other not in (sender, node)]), RECORD


def talks(is_covered, count=5, conversations=60, seed=1):
    """(trace, acts) of conversations. Under cover each link has a record at random intervals of a second, with or without a text in
    it; without, each whisper is a record on each link."""
    draw = random.Random(f"{is_covered} {seed}")
    records, acts, time = [], [], BEGIN
    for talk in range(conversations):
        pair = draw.sample(range(count), 2)
        for turn in range(6):
            act = {"time": time, "from": pair[turn % 2], "to": pair[1 - turn % 2], "talk": talk}
            acts += [act | {"kind": "conversation"}, act | {"kind": "whisper"}]
            acts.append({"time": time + APART / 2, "kind": "blank", "from": draw.randrange(count)})
            if not is_covered:
                records += _whisper(draw, None, time, *pair[::1 - 2 * (turn % 2)], count)
            time += APART
        time += APART
    for link in itertools.permutations(range(count), 2) if is_covered else ():
        moment = BEGIN - APART
        while (moment := moment + draw.expovariate(1)) < time:
            records.append((moment, *link, RECORD))
    return Trace(count, records), acts


# Each is found in more than 95 of 100 whispers, but a distribution of delays that is a little different.
FAINT = ("sooner",)
LEAKS = ("one link", "order", "at once", "size", "receipt", "elsewhere", *FAINT)

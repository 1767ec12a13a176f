"""Hidden Markov models by their definition: every path, one after the other."""

from itertools import product

import numpy as np
from scipy import stats


def random_model(rng, k, *, zeros=False):
    """Tables of a model with a number, a count and a label; and the same as dicts for `from_tables`."""
    start, transition = rng.dirichlet(np.ones(k)), rng.dirichlet(np.ones(k), size=k)
    if zeros and k > 1:
        transition *= ~(rng.random((k, k)) < 0.3) | np.eye(k, dtype=bool)
        transition /= transition.sum(axis=1, keepdims=True)
    names = [f"s{i}" for i in range(k)]
    labels = rng.dirichlet(np.ones(3), size=k)
    emission = {
        "x": {s: {"mean": float(rng.normal()), "sd": float(rng.uniform(0.5, 2))} for s in names},
        "n": {s: {"rate": float(rng.uniform(0.5, 4))} for s in names},
        "c": {s: dict(zip("abc", row.tolist(), strict=True)) for s, row in zip(names, labels, strict=True)},
    }
    by_name = {a: dict(zip(names, row.tolist(), strict=True)) for a, row in zip(names, transition, strict=True)}
    return dict(zip(names, start.tolist(), strict=True)), by_name, emission


def random_rows(rng, n, missing=0.0):
    """Rows for it, some of their cells missing."""
    x = [None if rng.random() < missing else float(v) for v in rng.normal(size=n)]
    counts = [None if rng.random() < missing else float(v) for v in rng.poisson(2.0, size=n)]
    labels = [None if rng.random() < missing else str(v) for v in rng.choice(list("abc"), size=n)]
    return {"x": x, "n": counts, "c": labels}


def density(emission, state, rows, t):
    """p(row t | state), missing cells left out."""
    found = 1.0
    if rows["x"][t] is not None:
        found *= stats.norm.pdf(rows["x"][t], emission["x"][state]["mean"], emission["x"][state]["sd"])
    if rows["n"][t] is not None:
        found *= stats.poisson.pmf(rows["n"][t], emission["n"][state]["rate"])
    if rows["c"][t] is not None:
        found *= emission["c"][state][rows["c"][t]]
    return found


class BruteForce:
    """All paths through a few rows, with the probability of each together with the rows."""

    def __init__(self, start, transition, emission, rows):
        n, self.names = len(rows["x"]), list(start)
        b = [[density(emission, s, rows, t) for s in self.names] for t in range(n)]
        self.paths = list(product(range(len(self.names)), repeat=n))
        self.probability = np.array([self._joint(path, start, transition, b) for path in self.paths])
        self.filtered = None
        self.n = n

    def _joint(self, path, start, transition, b):
        found, before = 1.0, None
        for t, k in enumerate(path):
            s = self.names[k]
            found *= (start[s] if before is None else transition[before][s]) * b[t][k]
            before = s
        return found

    @property
    def total(self):
        return self.probability.sum()

    def posterior(self):
        found = np.zeros((self.n, len(self.names)))
        for path, p in zip(self.paths, self.probability, strict=True):
            found[np.arange(self.n), path] += p / self.total
        return found

    def best(self):
        at = int(self.probability.argmax())
        return [self.names[k] for k in self.paths[at]], np.log(self.probability[at])

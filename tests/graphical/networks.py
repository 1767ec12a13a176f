"""Networks with random tables and rows drawn from them."""

import numpy as np


class Network:
    """Columns v0, v1, …; parents come before children."""

    def __init__(self, parents, sizes, seed=0, spread=0.5):
        rng = np.random.default_rng(seed)
        self.parents, self.sizes = parents, sizes
        configurations = [int(np.prod([sizes[p] for p in some], dtype=int)) for some in parents]
        self.tables = [rng.dirichlet(np.full(r, spread), q) for r, q in zip(sizes, configurations, strict=True)]
        self.names = [f"v{j}" for j in range(len(sizes))]

    def draw(self, n, seed=1):
        rng = np.random.default_rng(seed)
        codes = np.zeros((len(self.sizes), n), int)
        for x, some in enumerate(self.parents):
            place = np.zeros(n, int)
            for p in some:
                place = place * self.sizes[p] + codes[p]
            upto = self.tables[x].cumsum(axis=1)[place]
            codes[x] = (rng.random((n, 1)) > upto[:, :-1]).sum(axis=1)
        return codes

    def table(self, n, seed=1):
        return {name: [f"s{c}" for c in row] for name, row in zip(self.names, self.draw(n, seed), strict=True)}

    @property
    def links(self):
        return {frozenset((self.names[p], self.names[x])) for x, some in enumerate(self.parents) for p in some}


def links_of(structure):
    return {frozenset(edge) for edge in structure.edges}


def awkward_table(n, seed=0):
    """A column without a cell, a constant, a label for each row, numbers, and labels with gaps."""
    rng = np.random.default_rng(seed)
    return {
        "nothing": [None] * n,
        "same": ["x"] * n,
        "id": [f"r{i}" for i in range(n)],
        "number": rng.normal(size=n),
        "label": [["u", "v", None][i] for i in rng.integers(3, size=n)],
    }

"""Tables and settings that tests of novelty share."""

import numpy as np

#: One of each method.
METHODS = [
    {"method": "forest", "n_estimators": 30},
    {"method": "density"},
    {"method": "density", "density": "kernel"},
    {"method": "distance"},
    {"method": "distance", "distance": "mahalanobis"},
    {"method": "distance", "distance": "robust"},
    {"method": "one_class"},
    {"method": "reconstruction"},
]
NAMES = ["forest", "lof", "kernel", "neighbors", "mahalanobis", "robust", "one_class", "reconstruction"]


def mixed_table(n, seed):
    """Numbers that belong together, with gaps; a skewed one; labels, the rarest of them in a tenth of the rows."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    b = a + rng.normal(size=n) / 2
    b[rng.random(n) < 0.1] = np.nan
    labels = np.array(list("uvw"))[rng.choice(3, n, p=[0.6, 0.3, 0.1])]
    return {"a": a, "b": b, "c": rng.exponential(size=n), "d": labels}


def part(table, rows):
    return {name: np.asarray(column)[rows] for name, column in table.items()}

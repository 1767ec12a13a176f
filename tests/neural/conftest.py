"""Rows of nets: numbers, categories few and many, gaps."""

import numpy as np
import pytest

from learnt import Table


@pytest.fixture
def mixed_table():
    rng = np.random.default_rng(0)
    n = 80
    cells = {
        "x": np.where(rng.random(n) < 0.1, np.nan, rng.normal(5, 3, n)),
        "y": rng.exponential(size=n),
        "town": [["Bern", "Genf", "Chur"][i] for i in rng.integers(0, 3, n)],
        "kind": [f"k{i:02d}" for i in rng.integers(0, 30, n)],
        "yes": (rng.random(n) < 0.5).tolist(),
    }
    return Table(cells), rng.integers(0, 3, n), rng.normal(size=n)

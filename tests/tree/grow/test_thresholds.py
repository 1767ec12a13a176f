"""Thresholds between cells: their neighbours by sorting, and numbers of few digits that stay between them."""

import numpy as np
import pytest

import learnt
from learnt import _core
from learnt.tree.grow.thresholds import short_between


def beside(cells, thresholds):
    below, above = np.empty(len(thresholds)), np.empty(len(thresholds))
    _core.cells_beside(cells, thresholds, below, above)
    return below, above


@pytest.mark.parametrize("seed", range(20))
def test_the_cells_beside_are_those_of_a_sorted_column(seed):
    rng = np.random.default_rng(seed)
    scale = 10.0 ** rng.integers(-150, 150)
    cells = scale * np.where(rng.random(300) < 0.3, rng.integers(0, 5, 300), rng.standard_cauchy(300))
    cells[rng.random(300) < 0.1] = np.nan
    thresholds = np.sort(np.concatenate([rng.choice(cells[np.isfinite(cells)], 9), scale * rng.normal(size=6)]))
    below, above = beside(cells, thresholds)
    every = np.sort(cells[np.isfinite(cells)])
    for t, low, high in zip(thresholds, below, above, strict=True):
        assert low == max(every[every <= t], default=-np.inf)
        assert high == min(every[every > t], default=np.inf)


def test_ends_of_the_range_and_equal_thresholds():
    cells = np.array([-1.7e308, 0.0, 5e-324, 1.7e308])
    below, above = beside(cells, np.array([-1.79e308, 0.0, 0.0, 1.0]))
    assert below.tolist() == [-np.inf, 0.0, 0.0, 5e-324]
    assert above.tolist() == [-1.7e308, 5e-324, 5e-324, 1.7e308]
    assert beside(np.full(3, np.nan), np.array([1.0]))[0].tolist() == [-np.inf]
    with pytest.raises(ValueError, match="do not rise"):
        beside(cells, np.array([1.0, 0.0]))


def test_digits_are_as_few_as_the_cells_allow():
    assert short_between(2 / 3, 0, 1) == 0.666667
    assert short_between(2 / 3, 0.66666665, 0.66666668) == 0.66666667
    assert short_between(1e-300, 0, 1) == 1e-300
    for x, low, high in [(0.1 + 0.2, 0.3, 0.30000000000000010), (5e-324, 0, 1e-323)]:
        written = short_between(x, low, high)
        assert low <= written < high


def test_rows_go_where_the_writing_says():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(500, 3)), 9) * 1e-7 + 5
    y = (X[:, 0] + X[:, 1] > 10).astype(int)
    tree = learnt.DecisionTreeClassifier().fit(X, y)
    numbers = {float(word.rstrip(":")) for word in str(tree).replace("−", "-").split() if word[:2] in ("5.", "4.")}
    assert numbers
    for number in numbers:
        assert not np.isin(number, X) or number in X
    assert tree.score(X, y) == 1

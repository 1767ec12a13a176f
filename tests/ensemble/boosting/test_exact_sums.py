"""Sums and quantiles that do not depend on how the rows are cut."""

import math
from fractions import Fraction

import numpy as np
import pytest

from learnt.ensemble.boosting.exact_totals import exact_total, mean_of, whole_total
from learnt.ensemble.boosting.quantile_search import Search, ordered, unordered


def test_totals_are_exact_in_any_order_and_any_parts():
    rng = np.random.default_rng(0)
    values = rng.normal(size=5000) * 10.0 ** rng.integers(-300, 300, 5000)
    values[:6] = [0.0, -0.0, 5e-324, -5e-324, 1e308, -1e308]
    total = exact_total(values)
    assert total == exact_total(values[::-1]) == exact_total(values[:1234]) + exact_total(values[1234:])
    assert mean_of(total, whole_total(1)) == math.fsum(values)
    assert Fraction(total, whole_total(1)) == sum(map(Fraction, values.tolist()))
    assert exact_total(np.empty(0)) == 0
    assert exact_total(np.ones(7)) == whole_total(7)


@pytest.mark.parametrize("groups", [1, 3, 9])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("level", [0.1, 0.5, 0.9])
def test_quantiles_are_those_of_sorting(groups, weighted, level):
    rng = np.random.default_rng(groups)
    values = np.r_[rng.normal(size=900) * 10.0 ** rng.integers(-9, 9, 900), 0.0, -0.0, np.repeat(2.5, 98)]
    group = rng.integers(-1, groups, 1000)
    group[group == 1] = 0  # a group without rows
    weights = rng.integers(0, 4, 1000).astype(float) if weighted else None
    search = Search.of(level, groups)
    while not search.is_finished:
        halves = [slice(0, 333), slice(333, 1000)]
        seen = [search.weigh(values[h], group[h], None if weights is None else weights[h]) for h in halves]
        search = search.narrowed(seen[0] + seen[1])
    for g, found in enumerate(search.values()):
        here = group == g
        if not here.any():
            assert np.isnan(found)
            continue
        order = np.argsort(values[here], kind="stable")
        run = np.cumsum(np.ones(len(order)) if weights is None else weights[here][order])
        assert found == values[here][order][np.searchsorted(run, level * run[-1] * (1 - 1e-12))]


def test_keys_keep_the_order_of_numbers():
    values = np.array([-np.inf, -1e300, -1.0, -5e-324, 0.0, 5e-324, 1.0, 1e300, np.inf])
    keys = ordered(values)
    assert (np.diff(keys.astype(object)) > 0).all()
    np.testing.assert_array_equal(unordered(keys), values)

"""Rows judged by all others: the definition by loops, ties that come of rounding, and those that come of copies."""

import numpy as np
import pytest
from scipy.stats import norm

from learnt import KernelDensity, Table
from learnt.cluster.density.sums import Sums
from learnt.cluster.left_out import left_out_likelihood, left_out_log_densities, merge_copies, ties_of


def left_out_by_loops(x, width, w=None):
    """By the definition: each row judged by the rows that differ from it, of products of Gaussians."""
    w = np.ones(len(x)) if w is None else w
    logs = []
    for row in x:
        other = (x != row).any(axis=1)
        k = np.exp(norm.logpdf(row, x[other], width).sum(axis=1))
        logs.append(np.log(k @ w[other] / w[other].sum()))
    return np.average(logs, weights=w)


def test_left_out_likelihood_is_that_of_the_definition_with_ties_and_without():
    rng = np.random.default_rng(5)
    for digits in (12, 1, 0):
        x, w = rng.normal(size=(60, 2)).round(digits), rng.integers(1, 4, 60) / 2
        for weights in (None, w):
            sums = merge_copies(KernelDensity(bandwidth=[0.4, 0.7]).fit(x, sample_weight=weights)._sums)
            found = left_out_likelihood(sums, np.arange(sums.table.n_rows), copied=True)
            assert found == pytest.approx(left_out_by_loops(x, [0.4, 0.7], weights), abs=1e-7)


def test_left_out_likelihood_of_mixed_rows_leaves_out_all_rows_with_its_numbers():
    numbers = {"size": [2.0, 2.0, None, 4.0, 2.5, None], "weight": [5.0, None, 6, 5, 5.5, None]}
    table = Table(numbers | {"town": ["Bern", "Bern", "Basel", "Zug", "Zug", "Basel"]})
    w = np.array([1.0, 2, 1, 3, 1, 1])
    sums = KernelDensity().fit(table, sample_weight=w)._sums
    # Row 1 has only a size, which row 0 shares; row 5 has no number, so that one copy of it is left out.
    copies = {0: [0], 1: [0, 1], 2: [2], 3: [3], 4: [4]}
    rows, logs = np.arange(6), []
    for i in rows:
        rest = np.where(np.isin(rows, copies[i]), 0.0, w) if i in copies else w - (rows == i)
        keep = np.flatnonzero(rest > 0)
        other = Sums(table.take(keep), rest[keep], "gaussian", sums.width, 0.0)
        # The Gaussians for gaps are those of all rows.
        other.__dict__["gaussians"] = sums.gaussians
        logs.append(other.log_densities(table.take([i]))[0])
    assert left_out_likelihood(sums, rows, copied=True) == pytest.approx(np.average(logs, weights=w), abs=1e-9)


def test_one_copy_of_a_row_stays_when_the_other_is_left_out():
    x = np.array([[0.0], [0.0], [1.0]])
    sums = KernelDensity(bandwidth=0.5).fit(x)._sums
    expected = np.log([norm.pdf([0.0, 1.0], 0, 0.5).mean()] * 2 + [norm.pdf(1, 0, 0.5)])
    np.testing.assert_allclose(left_out_log_densities(sums, np.arange(3), copied=False), expected, atol=1e-7)


def test_rounded_numbers_have_a_step_and_copied_ones_none():
    x = np.random.default_rng(0).normal(size=(400, 1))
    for numbers, step, copied in ((x, 0.0, False), (x.round(1), 0.1, False), (np.repeat(x, 2, axis=0), 0.0, True)):
        ties = ties_of(KernelDensity().fit(numbers)._sums)
        assert ties.steps[0] == pytest.approx(step)
        assert ties.copied == copied
        assert ties.least[0] == pytest.approx(step / 2)

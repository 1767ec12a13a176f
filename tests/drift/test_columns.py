"""Columns of two tables: tests equal SciPy's, and what changed is said."""

import numpy as np
import pytest
from scipy import stats

from learnt import Table
from learnt.drift import compare_columns


def pair(a, b):
    return compare_columns(Table({"x": a})["x"], Table({"x": b})["x"])


@pytest.mark.parametrize("sizes", [(30, 40), (500, 700), (6000, 300)])
def test_numbers_are_compared_by_kolmogorov_and_smirnov(sizes):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=sizes[0]), rng.normal(0.2, 1.1, sizes[1])
    found, wanted = pair(a, b), stats.ks_2samp(a, b, method="exact" if max(sizes) < 5000 else "asymp")
    assert found.distance == pytest.approx(wanted.statistic)
    assert found.p_value == pytest.approx(wanted.pvalue, rel=1e-6)


def test_labels_are_compared_by_chi_squared():
    rng = np.random.default_rng(1)
    a, b = rng.choice(list("abc"), 200, p=[0.5, 0.3, 0.2]), rng.choice(list("abc"), 150, p=[0.4, 0.3, 0.3])
    found = pair(a, b)
    counts = [[(column == c).sum() for c in "abc"] for column in (a, b)]
    assert found.p_value == pytest.approx(stats.chi2_contingency(counts, correction=False).pvalue)
    shares = np.array(counts) / [[200], [150]]
    assert found.distance == pytest.approx(np.abs(shares[0] - shares[1]).sum() / 2)


def test_missing_cells_that_come_or_go_are_a_change():
    rng = np.random.default_rng(2)
    values = rng.normal(size=400)
    holes = np.where(np.arange(400) % 4 == 0, np.nan, values)
    found = pair(values, holes)
    assert found.p_value < 1e-6
    assert found.missing == (0, 0.25)
    assert found.distance >= 0.25
    labels = pair(["a", "b"] * 100, ["a", None] * 100)
    assert labels.p_value < 1e-6
    assert labels.missing == (0, 0.5)


def test_ten_thousand_labels_of_which_none_changed():
    rng = np.random.default_rng(3)
    shares = [pair(rng.integers(0, 10_000, 3000).astype(str), rng.integers(0, 10_000, 3000).astype(str))]
    assert shares[0].p_value > 0.001


def test_the_label_that_changed_most_and_those_not_seen_before():
    found = pair(["a"] * 60 + ["b"] * 40, ["a"] * 30 + ["b"] * 40 + ["новый"] * 30)
    assert (found.then, found.now) in {("'a' 60 %", "'a' 30 %"), ("'новый' 0 %", "'новый' 30 %")}
    assert found.unseen == ("новый",)


@pytest.mark.parametrize("cells", [[None, None], [1.0], ["a"]])
def test_little_to_compare_is_no_drift(cells):
    assert pair(cells, cells).p_value == 1.0


def test_dates_are_shown_as_dates():
    dates = np.array(["2021-01-01", "2021-06-01", "2021-12-31"], "datetime64[D]")
    assert pair(dates, dates + 365).then.startswith("2021-06-01")


def test_labels_of_which_each_is_rare_do_not_look_moved_by_chance():
    rng = np.random.default_rng(3)
    found = pair([f"n{i}" for i in rng.integers(0, 5000, 3000)], [f"n{i}" for i in rng.integers(0, 5000, 2000)])
    assert found.distance < 0.05 < found.p_value
    assert pair(["a"] * 4, ["b"] * 4).distance == 1

"""Intervals of forests hold as many new rows as they promise, whatever the leaves, noise, gaps and weights."""

from __future__ import annotations

import numpy as np
import pytest

from learnt import ExtraTreesRegressor, RandomForestRegressor, Table, load, save, scan
from learnt.ensemble.forest.calibration import Calibration, Units
from learnt.errors import InputError, SavedModelError

FORESTS = [RandomForestRegressor, ExtraTreesRegressor]


def rows(rng, n):
    """Numbers with gaps, a category, noise that grows with a column; weights that say how often a row counts."""
    x, town = rng.normal(size=(2, n)), rng.choice(["Bern", "Ulm", "Rom"], n)
    y = x[0] + (town == "Ulm") + np.exp(x[1] / 2) * rng.normal(size=n)
    x[0, rng.random(n) < 0.1] = np.nan
    return Table({"a": x[0], "b": x[1], "town": np.where(rng.random(n) < 0.1, None, town)}), y


def shares_held(forest, n, runs, new, level=0.95, seed=0, weighted=False):
    """Per run, the share of new rows whose target is in its interval: runs are independent, rows of one are not."""
    rng = np.random.default_rng(seed)
    held = []
    for _ in range(runs):
        table, y = rows(rng, n + new)
        weights = rng.integers(0, 4, n) if weighted else None
        model = forest.set_params(random_state=int(rng.integers(2**31)))
        model.fit(table.rows(0, n), y[:n], sample_weight=weights)
        low, high = model.predict_interval(table.rows(n, n + new), level).T
        held.append(np.mean((low <= y[n:]) & (y[n:] <= high)))
    return np.array(held)


@pytest.mark.parametrize("cls", FORESTS)
@pytest.mark.parametrize(("n", "runs", "leaf"), [(30, 150, 1), (100, 60, 1), (100, 60, 10), (1000, 4, 1)])
def test_an_interval_holds_what_it_promises(cls, n, runs, leaf):
    held = shares_held(cls(quantiles=True, bootstrap=True, n_estimators=40, min_samples_leaf=leaf), n, runs, 100)
    # Five standard errors, of which the share held by one fit has about 1/√n at least, and what is lost to few trees.
    assert abs(held.mean() - 0.95) < 5 * max(held.std(), 0.2 / np.sqrt(n)) / np.sqrt(runs) + 0.01


def test_a_row_of_weight_three_counts_three_times_and_one_of_weight_zero_not_at_all():
    forest = RandomForestRegressor(quantiles=True, n_estimators=40)
    held = shares_held(forest, 120, 50, 100, weighted=True)
    assert abs(held.mean() - 0.95) < 5 * max(held.std(), 0.02) / np.sqrt(50) + 0.01
    x, y = np.random.default_rng(0).normal(size=(2, 60))
    keep = np.arange(60) % 3 > 0
    some = RandomForestRegressor(quantiles=True, n_estimators=20, random_state=0).fit(x[keep, None], y[keep])
    wild = np.where(keep, y, 1e6)
    none = RandomForestRegressor(quantiles=True, n_estimators=20, random_state=0)
    none.fit(x[:, None], wild, sample_weight=keep.astype(float))
    np.testing.assert_allclose(none.predict_interval(x[:9, None]), some.predict_interval(x[:9, None]), rtol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("leaf", [1, 10])
@pytest.mark.parametrize(("n", "runs"), [(30, 2000), (100, 1000), (1000, 100)])
def test_intervals_of_many_fits_hold_94_to_96_percent(n, runs, leaf):
    held = shares_held(RandomForestRegressor(quantiles=True, n_estimators=50, min_samples_leaf=leaf), n, runs, 100)
    assert 0.94 < held.mean() < 0.96, (held.mean(), held.std() / np.sqrt(runs))


def test_intervals_are_wide_where_targets_are_noisy():
    rng = np.random.default_rng(1)
    x = rng.uniform(-1, 1, size=(2000, 1))
    y = np.where(x[:, 0] > 0, 5.0, 0.5) * rng.normal(size=2000)
    model = RandomForestRegressor(quantiles=True, n_estimators=60, min_samples_leaf=5, random_state=0).fit(x, y)
    low, high = model.predict_interval([[-0.5], [0.5]], 0.9).T
    assert (high - low)[1] > 2 * (high - low)[0]
    assert model.predict([[-0.5], [0.5]]) == pytest.approx((low + high) / 2, abs=1e-9)


def test_higher_levels_are_wider_and_too_high_ones_infinite():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(30, 1)), rng.normal(size=30)
    model = RandomForestRegressor(quantiles=True, random_state=0).fit(x, y)
    ends = np.array([model.predict_interval(x[:3], level) for level in (0.01, 0.3, 0.6, 0.9, 0.95, 30 / 31)])
    assert (np.diff(ends[:, :, 1], axis=0) >= 0).all()
    assert (np.diff(ends[:, :, 0], axis=0) <= 0).all()
    assert np.isfinite(ends).all()
    assert np.isinf(model.predict_interval(x[:3], 0.99)).all()


def test_what_undrawn_trees_say_is_the_out_of_bag_prediction():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(80, 2)), rng.normal(size=80)
    model = RandomForestRegressor(quantiles=True, oob_score=True, warm_start=True, n_estimators=30, random_state=0)
    sums, units = model.fit(x, y)._undrawn_sums, Units.of(y)
    np.testing.assert_allclose(units.origin + units.size * sums[1] / sums[0], model.oob_prediction_, rtol=1e-9)
    leaves = zip(model.trees_, model.apply(x[:1])[0], strict=True)
    each = units.taken(np.array([tree.value[leaf, 0] for tree, leaf in leaves]))
    assert sums[0, 0] < 30
    assert units.taken(model.predict(x[:1]))[0] == pytest.approx(each.mean())


def test_the_quantile_of_misses_is_the_one_of_conformal_prediction():
    known = Calibration(Units(0.0, 1.0), 1.0, 1.0, np.arange(1.0, 20.0), np.arange(1, 20) / 19, 19.0)
    assert [known._quantile(k / 20) for k in range(1, 20)] == pytest.approx(list(range(1, 20)))
    assert known._quantile(0.9501) == np.inf
    # Exponential misses of one row in 30 beyond the k-th: the mean of what is left is as promised.
    rng, one = np.random.default_rng(0), np.arange(1, 31) / 30
    left = [
        np.exp(-Calibration(Units(0.0, 1.0), 1.0, 1.0, np.sort(rng.exponential(size=30)), one, 30.0)._quantile(0.95))
        for _ in range(4000)
    ]
    assert np.mean(left) == pytest.approx(0.05, abs=5 * np.std(left) / np.sqrt(4000))


@pytest.mark.parametrize("cls", FORESTS)
def test_a_warm_start_and_a_scan_end_at_the_same_intervals(cls, tmp_path):
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(90, 2)).round(3), rng.normal(size=90).round(3)
    settings = {"quantiles": True, "bootstrap": True, "random_state": 0}
    once = cls(n_estimators=12, **settings).fit({"a": x[:, 0], "b": x[:, 1]}, y)
    grown = cls(n_estimators=5, warm_start=True, **settings).fit({"a": x[:, 0], "b": x[:, 1]}, y)
    grown.set_params(n_estimators=12).fit({"a": x[:, 0], "b": x[:, 1]}, y)
    more = {"a": [0.5, np.nan], "b": [np.nan, -1.0]}
    np.testing.assert_array_equal(grown.predict_interval(more), once.predict_interval(more))
    path = tmp_path / "rows.csv"
    path.write_text("a,b,y\n" + "".join(f"{a},{b},{c}\n" for (a, b), c in zip(x.tolist(), y.tolist(), strict=True)))
    streamed = cls(n_estimators=12, **settings).fit(scan(path, target="y", batch_rows=17))
    np.testing.assert_array_equal(streamed.predict_interval(more), once.predict_interval(more))


def test_equal_and_huge_targets_have_intervals():
    x = np.arange(40.0)[:, None]
    model = RandomForestRegressor(quantiles=True, n_estimators=20, random_state=0)
    assert model.fit(x, np.full(40, 3.25)).predict_interval(x[:2]).tolist() == [[3.25, 3.25]] * 2
    y = np.random.default_rng(0).normal(size=40)
    plain = model.fit(x, y).predict_interval(x)
    np.testing.assert_allclose(model.fit(x, y * 2.0**490).predict_interval(x), plain * 2.0**490, rtol=1e-9)


def test_without_undrawn_rows_there_are_no_intervals():
    x, y = np.arange(9.0)[:, None], np.arange(9.0)
    for settings in ({"quantiles": True, "bootstrap": False}, {"bootstrap": True}):
        with pytest.raises(InputError, match="quantiles=True and bootstrap=True"):
            RandomForestRegressor(n_estimators=3, **settings).fit(x, y).predict_interval(x)
    one = RandomForestRegressor(n_estimators=3, quantiles=True).fit([[1.0]], [2.0])
    with pytest.raises(InputError, match="each drew every row"):
        one.predict_interval([[1.0]])


def test_a_damaged_calibration_is_refused(tmp_path):
    x = np.arange(30.0)[:, None]
    model = RandomForestRegressor(n_estimators=5, quantiles=True, random_state=0).fit(x, x[:, 0])
    save(model, tmp_path / "model.learnt")
    np.testing.assert_array_equal(load(tmp_path / "model.learnt").predict_interval(x), model.predict_interval(x))
    object.__setattr__(model._calibration, "misses", model._calibration.misses[::-1].copy())
    save(model, tmp_path / "model.learnt")
    with pytest.raises(SavedModelError, match="do not rise"):
        load(tmp_path / "model.learnt")

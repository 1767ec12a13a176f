"""Leaving each row out: from one search as by a loop over all rows; and weights of columns learnt that way."""

from __future__ import annotations

import numpy as np
import pytest

import learnt
from learnt import KNeighborsClassifier, KNeighborsRegressor, Table
from learnt.errors import ParameterError
from learnt.neighbors.k_neighbors.feature_weights import column_parts, stretch_columns
from learnt.neighbors.measure import measure_of
from learnt.neighbors.search import Search

RNG = np.random.default_rng(0)


def people(n: int = 45, seed: int = 0) -> Table:
    """Mixed rows with gaps, coarse enough that many are equally far from each other."""
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 26, n).astype(float)
    age[::9] = np.nan
    return Table({"age": age, "town": [["Bern", "Basel", "Genf"][i] for i in rng.integers(3, size=n)]})


def looped(cls, table: Table, y, k: int, **settings) -> float:
    """The definition: fit without a row, answer it, for every row. The metric is that of all rows."""
    metric, losses = measure_of("auto", 2.0, table, None, ()), []
    for i in range(table.n_rows):
        others = np.flatnonzero(np.arange(table.n_rows) != i)
        model = cls(n_neighbors=k, metric=metric, **settings).fit(table.take(others), y[others])
        answer = model.predict(table.rows(i, i + 1))[0]
        losses.append(float(answer != y[i]) if cls is KNeighborsClassifier else (answer - y[i]) ** 2)
    return float(np.mean(losses))


@pytest.mark.parametrize("ties", ["all", "first"])
@pytest.mark.parametrize("weights", ["uniform", "distance", "distance2", "tricube", "gaussian"])
def test_one_search_gives_the_errors_of_the_loop_over_rows(weights, ties):
    table, rng = people(), np.random.default_rng(1)
    for cls, y in ((KNeighborsClassifier, rng.integers(3, size=45)), (KNeighborsRegressor, rng.normal(size=45))):
        found = cls(n_neighbors="loo", weights=weights, ties=ties).fit(table, y)
        assert len(found.loo_errors_) == 25
        for k in (1, 4, 25):
            expected = looped(cls, table, y, k, ties=ties, weights=weights)
            assert found.loo_errors_[k - 1] == pytest.approx(expected, abs=1e-12), (cls, k)
        assert found.n_neighbors_ == np.argmin(found.loo_errors_) + 1


def test_weighted_rows_are_left_out_as_a_whole():
    table, rng = people(30), np.random.default_rng(2)
    y, w = rng.normal(size=30), rng.integers(1, 4, 30).astype(float)
    found = KNeighborsRegressor(n_neighbors="loo").fit(table, y, sample_weight=w)
    for k in (1, 4, 25):
        metric = measure_of("auto", 2.0, table, w, ())
        losses = []
        for i in range(30):
            others = np.flatnonzero(np.arange(30) != i)
            model = KNeighborsRegressor(n_neighbors=k, metric=metric).fit(table.take(others), y[others], w[others])
            losses.append((model.predict(table.rows(i, i + 1))[0] - y[i]) ** 2)
        assert found.loo_errors_[k - 1] == pytest.approx(np.average(losses, weights=w), rel=1e-10)


def test_neighbours_are_looked_for_once(monkeypatch):
    asked = []
    genuine = Search.query
    monkeypatch.setattr(Search, "query", lambda self, *args: asked.append(args[0].n_rows) or genuine(self, *args))
    rng = np.random.default_rng(3)
    KNeighborsRegressor(n_neighbors="loo").fit(rng.normal(size=(300, 2)), rng.normal(size=300))
    assert asked == [300]


def test_noise_asks_for_more_neighbours():
    rng = np.random.default_rng(4)
    x = rng.random((600, 2))
    clean = np.floor(4 * x).sum(axis=1).astype(int) % 2
    noisy = np.where(rng.random(600) < 0.25, 1 - clean, clean)
    few, many = (KNeighborsClassifier(n_neighbors="loo").fit(x, y).n_neighbors_ for y in (clean, noisy))
    assert few <= 5 < many


@pytest.mark.parametrize("how", ["loo", "online"])
def test_few_or_equal_rows_leave_little_to_choose(how):
    settings = {"n_neighbors": "loo", "feature_weights": how}
    for x, y in (
        ([[1.0]], [3.0]),
        ([[1.0], [2.0]], [3.0, 3.0]),
        (np.ones((10, 3)), np.full(10, 3.0)),
        (RNG.normal(size=(10, 3)), np.full(10, 3.0)),
        ({"a": [None, None, None], "b": ["x", None, "y"]}, [3.0, 3.0, 3.0]),
    ):
        np.testing.assert_allclose(KNeighborsRegressor(**settings).fit(x, y).predict(x), y)
        assert KNeighborsClassifier(**settings).fit(x, [str(v) for v in y]).predict(x).tolist() == [str(v) for v in y]


def test_long_work_is_watched():
    rng = np.random.default_rng(5)
    with learnt.watch() as log:
        KNeighborsClassifier(n_neighbors="loo", feature_weights="loo").fit(
            rng.random((60, 3)), rng.integers(2, size=60)
        )
    assert {"leave one out", "stretching columns"} <= set(log["what"])
    assert set(log["learner"]) == {"KNeighborsClassifier"}


# Columns that count


def twenty(n: int, seed: int):
    """Two columns that decide and eighteen that do not."""
    x = np.random.default_rng(seed).random((n, 20))
    return x, np.where((x[:, 0] > 0.5) ^ (x[:, 1] > 0.5), "odd", "even"), np.sin(6 * x[:, 0]) + x[:, 1]


@pytest.mark.parametrize("how", ["loo", "online"])
def test_weights_of_columns_rescue_neighbours_from_18_irrelevant_ones(how):
    x, labels, values = twenty(500, 1)
    others, truth, numbers = twenty(1000, 2)
    plain = KNeighborsClassifier().fit(x, labels).score(others, truth)
    model = KNeighborsClassifier(feature_weights=how).fit(x, labels)
    assert plain < 0.7
    assert model.score(others, truth) > 0.9
    assert model.feature_weights_[:2].min() > 3 * model.feature_weights_[2:].max()
    assert model.feature_loss_[1] < model.feature_loss_[0] / 2
    assert KNeighborsRegressor().fit(x, values).score(others, numbers) < 0.6
    assert KNeighborsRegressor(feature_weights=how).fit(x, values).score(others, numbers) > 0.9


def test_weights_learnt_in_vain_are_not_taken():
    rng = np.random.default_rng(6)
    x, y = rng.random((80, 3)), rng.integers(2, size=80)
    for how in ("loo", "online"):
        model = KNeighborsClassifier(feature_weights=how).fit(x, y)
        before, after = model.feature_loss_
        assert (model.feature_weights_ == 1).all() == (after > before)


def test_the_slope_of_the_soft_loss_is_its_slope(monkeypatch):
    """The optimiser is told loss and slope: differences of the loss give the same slope."""
    import scipy.optimize

    rng = np.random.default_rng(7)
    table, y = Table(rng.random((25, 3))), rng.integers(2, size=25)
    parts, _ = column_parts(measure_of("auto", 2.0, table, None, ()), table, "loo")
    told = []
    monkeypatch.setattr(
        scipy.optimize, "minimize", lambda loss, start, **_: told.append(loss) or scipy.optimize.OptimizeResult(x=start)
    )
    stretch_columns(parts, y[:, None] == y[None, :], y.astype(float), np.ones(25), "")
    values, row_weights = rng.normal(size=25), rng.random(25)
    stretch_columns(parts, None, values, row_weights, "")
    typical = parts.sum(axis=(1, 2)) / (25 * 24)
    near = np.exp(-np.tensordot([1.0, 2.0, 3.0], parts / typical[:, None, None], 1))
    np.fill_diagonal(near, 0)
    near /= near.sum(axis=1, keepdims=True)
    right = (near * (y[:, None] == y[None, :])).sum(axis=1)
    start = np.array([1.0, 2.0, 3.0])
    assert told[0](start)[0] == pytest.approx(-np.log(right).mean())
    assert told[1](start)[0] == pytest.approx(np.average((near @ values - values) ** 2, weights=row_weights))
    for loss in told:
        w = rng.random(3) * 5
        _, slope = loss(w)
        for c in range(3):
            step = np.eye(3)[c] * 1e-6
            assert slope[c] == pytest.approx((loss(w + step)[0] - loss(w - step)[0]) / 2e-6, rel=1e-4, abs=1e-8)


def test_a_metric_with_weights_of_its_own_is_stretched_further():
    table = Table(np.random.default_rng(10).random((25, 2)))
    plain = measure_of("auto", 2.0, table, None, ())
    own, _ = column_parts(plain.weighted(np.array([4.0, 1.0])), table, "loo")
    parts, _ = column_parts(plain, table, "loo")
    np.testing.assert_allclose(own, parts * np.array([4.0, 1.0])[:, None, None])


def test_given_weights_stretch_the_axes():
    rng = np.random.default_rng(8)
    x, q, y = rng.random((50, 3)), rng.random((9, 3)), rng.normal(size=50)
    w = np.array([4.0, 0.0, 0.25])
    frame = dict(zip("abc", x.T, strict=True))
    expected = KNeighborsRegressor(metric="euclidean").fit(x * np.sqrt(w), y).predict(q * np.sqrt(w))
    np.testing.assert_allclose(
        KNeighborsRegressor(metric="euclidean", feature_weights=w).fit(x, y).predict(q), expected
    )
    by_name = KNeighborsRegressor(metric="euclidean", feature_weights={"c": 0.25, "b": 0, "a": 4}).fit(frame, y)
    np.testing.assert_allclose(by_name.predict(dict(zip("abc", q.T, strict=True))), expected)
    some = KNeighborsRegressor(feature_weights={"b": 0}).fit(frame, y)
    np.testing.assert_array_equal(some.feature_weights_, [1, 0, 1])


def test_weights_of_columns_that_make_no_sense_are_refused():
    x, y = np.random.default_rng(9).random((10, 2)), np.arange(10.0)
    for bad in ([1.0], [1.0, 2.0, 3.0], [-1.0, 1.0], [0.0, 0.0], [np.nan, 1.0], {"x9": 1.0}, {"x0": 0, "x1": 0}):
        with pytest.raises(ParameterError, match="feature_weights"):
            KNeighborsRegressor(feature_weights=bad).fit(x, y)
    for metric in ("cosine", "mahalanobis", "chebyshev"):
        with pytest.raises(ParameterError, match="adds up"):
            KNeighborsRegressor(feature_weights="loo", metric=metric).fit(x, y)
    with pytest.raises(ParameterError, match="metric is a function"):
        KNeighborsRegressor(feature_weights="loo", metric=lambda a, b: 0.0).fit(x, y)

"""Columns of many categories as the mean target of the rows before."""

import numpy as np
import pytest

import learnt
from learnt import GradientBoostingClassifier, GradientBoostingRegressor, Table
from learnt.ensemble.boosting import target_statistics
from learnt.ensemble.boosting.bins import bin_edges
from learnt.ensemble.boosting.target_statistics import bins_by_output, counter_of, reach, statistics_of
from learnt.ensemble.ordered_statistics import PRIOR
from learnt.statistics.sketch import sketch


def towns(n=3000, k=300, seed=0, effect=1.0):
    """Numbers, and a town whose effect is its own; some cells are missing. Columns, target, log-odds."""
    rng = np.random.default_rng(seed)
    a, b, town = rng.normal(size=n), rng.normal(size=n), rng.integers(0, k, n)
    signal = a + effect * np.random.default_rng(99).normal(size=k)[town]
    names = np.array([f"town {i:03}" for i in range(k)], dtype=object)[town]
    table = {"a": a, "b": np.where(rng.random(n) < 0.1, np.nan, b), "town": np.where(rng.random(n) < 0.05, None, names)}
    return table, signal + rng.normal(size=n)


def taken(columns, rows):
    return {name: np.asarray(cells)[rows] for name, cells in columns.items()}


def by_thirds(y):
    """Three classes, of which the middle one goes with neither end."""
    return np.array(["high", "low", "middle"])[np.digitize(y, [-0.7, 0.7])]


def made(columns, y, weights=None, train=None):
    table, y = Table(columns), np.asarray(y, float)
    found = sketch(table, weights)
    counter = counter_of(found, bin_edges(found), reach(y, weights), None, 0)
    train = np.ones(table.n_rows, bool) if train is None else train
    return table, counter, statistics_of(counter, counter.count(table, y, weights, train), 255)


def is_of_statistics(model):
    """Whether some test lists towns for the right side: those of sets list the left."""
    return bool(model.trees_.routes.any())


def test_a_row_has_the_mean_target_of_the_rows_of_its_category_at_places_before():
    columns, y = towns(1200)
    table, counter, found = made(columns, y)
    code, (place,) = table.columns[2].values, counter.places(table)
    j, mean = 2, np.mean(y[code >= 0])
    whole = [(y[code == c].sum() + PRIOR * mean) / ((code == c).sum() + PRIOR) for c in range(counter.n_categories[0])]
    values = []
    for i in np.flatnonzero(code >= 0):
        before = (code == code[i]) & (place < place[i])
        values.append((y[before].sum() + PRIOR * mean) / (before.sum() + PRIOR))
    # Bins rise with statistics, of categories and of rows alike.
    bins = found.row_bins[j][code[code >= 0], place[code >= 0]].astype(int)
    every, numbers = np.append(bins, found.category_bins[j]), np.append(values, whole)
    order = np.argsort(numbers, kind="stable")
    assert (np.diff(every[order])[np.diff(numbers[order]) > 1e-9] >= 0).all()
    assert len(np.unique(found.category_bins[j])) > 100


def test_no_row_sees_its_own_target():
    columns, y = towns(1200)
    changed = y.copy()
    changed[7] += 1e-3 if Table(columns).columns[2].values[7] >= 0 else 0
    (table, counter, _), i = made(columns, y), 7
    cell = table.columns[2].values[i], counter.places(table)[0][i]
    one, other = (counter.count(table, target, None, np.ones(1200, bool)).target[0][0] for target in (y, changed))
    before = [np.cumsum(sums, axis=1)[cell] - sums[cell] for sums in (one, other)]
    assert before[0] == before[1]


def test_rows_of_categories_unlike_each_other_are_told_better_than_by_sets(monkeypatch):
    columns, y = towns(4000, 400)
    fresh, truth = towns(4000, 400, seed=1)
    with_statistics = GradientBoostingRegressor().fit(columns, y)
    error = np.mean((with_statistics.predict(fresh) - truth) ** 2)
    monkeypatch.setattr(target_statistics, "FEW_CATEGORIES", 10**9)
    without = GradientBoostingRegressor().fit(columns, y)
    assert is_of_statistics(with_statistics)
    assert not is_of_statistics(without)
    assert error < 0.9 * np.mean((without.predict(fresh) - truth) ** 2)


def test_more_classes_are_told_by_the_means_of_their_own(monkeypatch):
    columns, y = towns(4000, 400)
    fresh, truth = towns(4000, 400, seed=1)
    y, truth = by_thirds(y), by_thirds(truth)

    def log_loss(model):
        return -np.log(model.predict_proba(fresh)[np.arange(4000), np.searchsorted(model.classes_, truth)]).mean()

    with_statistics = GradientBoostingClassifier(max_iter=80).fit(columns, y)
    monkeypatch.setattr(target_statistics, "FEW_CATEGORIES", 10**9)
    without = GradientBoostingClassifier(max_iter=80).fit(columns, y)
    assert is_of_statistics(with_statistics)
    assert log_loss(with_statistics) < 0.95 * log_loss(without)


def test_only_the_classes_that_towns_tell_of_have_statistics():
    columns, y = towns(3000)
    lot = np.random.default_rng(3).random(3000) < 0.3
    codes = np.where(lot, 2, y > 0)
    table = Table(columns)
    found = sketch(table)
    counter = counter_of(found, bin_edges(found), reach(codes, None, 3), None, 0, 3)
    bins = bins_by_output(counter, counter.count(table, codes, None, np.ones(3000, bool)), 255)
    assert [bins.of_output(c).counter is None for c in range(3)] == [False, False, True]
    own = [statistics_of(counter, counter.count(table, codes, None, np.ones(3000, bool)), 255, c) for c in range(2)]
    for c, one in enumerate(own):
        alone = counter_of(found, bin_edges(found), reach(codes == c, None), None, 0)
        totals = alone.count(table, (codes == c).astype(float), None, np.ones(3000, bool))
        np.testing.assert_array_equal(one.row_bins[2], statistics_of(alone, totals, 255).row_bins[2])


def test_columns_of_fewer_categories_are_counted_where_each_has_many_rows():
    columns, _ = towns(20_000, 80)
    few = sketch(Table(taken(columns, slice(0, 10_000))))
    many = sketch(Table(columns))
    assert counter_of(few, bin_edges(few), (1, 1), None, 0) is None
    assert counter_of(many, bin_edges(many), (1, 1), None, 0).columns == (2,)


def test_categories_that_tell_nothing_have_no_statistics():
    columns, y = towns(2000, effect=0.0)
    assert made(columns, y)[2].counter is None
    assert not is_of_statistics(GradientBoostingRegressor(max_iter=5).fit(columns, y))


def test_rows_that_are_all_alike_but_for_their_town_are_split_into_sets():
    columns, y = towns(3000)
    alone = {"town": columns["town"], "half": np.where(columns["a"] > 0, "above", "below")}
    assert made(alone, y)[2].counter is None


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_weights_are_copies_and_neither_rows_nor_columns_need_an_order(classes):
    learner = GradientBoostingClassifier if classes else GradientBoostingRegressor
    columns, y = towns(1800, 300)
    y = {0: y, 2: np.where(y > 0, "yes", "no"), 3: by_thirds(y)}[classes]
    rng = np.random.default_rng(5)
    weights = rng.integers(0, 3, 1800)
    model = learner(max_iter=10).fit(columns, y, sample_weight=weights)
    assert is_of_statistics(model)
    rows = rng.permutation(np.repeat(np.arange(1800), weights))
    answer = learner.predict if learner is GradientBoostingRegressor else learner.predict_proba
    copies = learner(max_iter=10).fit(taken(columns, rows), y[rows])
    np.testing.assert_allclose(answer(copies, columns), answer(model, columns), rtol=1e-9)
    turned = dict(reversed(columns.items()))
    other = learner(max_iter=10).fit(turned, y, sample_weight=weights)
    np.testing.assert_allclose(answer(other, turned), answer(model, columns), rtol=1e-9)


def test_rows_held_out_have_the_statistics_of_new_rows():
    columns, y = towns(2000)
    train = np.arange(2000) % 5 > 0
    table, counter, found = made(columns, y, train=train)
    code = table.columns[2].values
    shown = found.encode(table, train, dict(zip(counter.columns, counter.places(table), strict=True))).narrow[:, 2]
    there = ~train & (code >= 0)
    np.testing.assert_array_equal(shown[there], found.category_bins[2][code[there]])
    assert (shown[code < 0] == found.edges.n_bins[2] - 1).all()
    model = GradientBoostingRegressor(early_stopping=True, learning_rate=0.3).fit(columns, y)
    assert is_of_statistics(model)
    assert model.validation_score_[-1] > model.validation_score_[0]


def test_trees_name_towns_are_saved_and_explain_what_they_say(tmp_path):
    columns, y = towns(1500)
    model = GradientBoostingClassifier(max_iter=8, max_leaf_nodes=6).fit(columns, np.where(y > 0, "yes", "no"))
    assert is_of_statistics(model)
    assert any("town" in str(model.tree(i)) and "town 0" in str(model.tree(i)) for i in range(8))
    learnt.save(model, tmp_path / "model.learnt")
    again = learnt.load(tmp_path / "model.learnt")
    np.testing.assert_array_equal(again.predict_proba(columns), model.predict_proba(columns))
    for found in model.explain(taken(columns, slice(0, 5))):
        assert found.base + sum(part.contribution for part in found.evidence) == pytest.approx(found.total)
        assert {part.column for part in found.evidence} <= {*columns}


def test_a_town_never_seen_is_like_a_missing_one():
    columns, y = towns(1500)
    model = GradientBoostingRegressor(max_iter=10).fit(columns, y)
    row = {"a": [0.2, 0.2], "b": [0.1, 0.1], "town": ["Atlantis", None]}
    assert np.ptp(model.predict(row)) == 0


@pytest.mark.parametrize("size", [1e150, 1e-150, 1e300])
def test_units_of_the_target_do_not_matter(size):
    columns, y = towns(1200)
    one, other = (made(columns, y * unit)[2] for unit in (1.0, size))
    np.testing.assert_array_equal(one.category_bins[2], other.category_bins[2])


def test_weights_by_class_count():
    columns, y = towns(1500)
    model = GradientBoostingClassifier(max_iter=5, class_weight={"no": 4.0, "yes": 0.1})
    model.fit(columns, np.where(y > 0, "yes", "no"))
    assert is_of_statistics(model)
    assert (model.predict(columns) == "no").mean() > 0.9

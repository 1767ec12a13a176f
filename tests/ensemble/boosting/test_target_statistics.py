"""Columns of many categories as the mean target of the rows before."""

import numpy as np
import pytest

import learnt
from learnt import GradientBoostingClassifier, GradientBoostingRegressor, Table
from learnt.ensemble.boosting.bins import bin_edges
from learnt.ensemble.boosting.target_statistics import PRIOR, counter_of, reach, statistics_of
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
    one, other = (counter.count(table, target, None, np.ones(1200, bool)).target[0] for target in (y, changed))
    before = [np.cumsum(sums, axis=1)[cell] - sums[cell] for sums in (one, other)]
    assert before[0] == before[1]


def test_rows_of_categories_unlike_each_other_are_told_better_than_by_sets():
    columns, y = towns(4000, 400)
    fresh, truth = towns(4000, 400, seed=1)
    with_statistics = GradientBoostingRegressor().fit(columns, y)
    sets = learnt.ensemble.boosting.target_statistics
    error = np.mean((with_statistics.predict(fresh) - truth) ** 2)
    before, sets.FEW_CATEGORIES = sets.FEW_CATEGORIES, 10**9
    try:
        without = GradientBoostingRegressor().fit(columns, y)
    finally:
        sets.FEW_CATEGORIES = before
    assert is_of_statistics(with_statistics)
    assert not is_of_statistics(without)
    assert error < 0.9 * np.mean((without.predict(fresh) - truth) ** 2)


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


@pytest.mark.parametrize("learner", [GradientBoostingRegressor, GradientBoostingClassifier])
def test_weights_are_copies_and_neither_rows_nor_columns_need_an_order(learner):
    columns, y = towns(1800, 300)
    y = y if learner is GradientBoostingRegressor else np.where(y > 0, "yes", "no")
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
    table, _, found = made(columns, y, train=train)
    code = table.columns[2].values
    shown = found.encode(table, train).narrow[:, 2]
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

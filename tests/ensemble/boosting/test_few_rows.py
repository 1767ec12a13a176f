"""Few rows: what is taken of them, and that what is drawn follows from their cells alone."""

import numpy as np
import pytest

import learnt
from learnt import GradientBoostingClassifier, GradientBoostingRegressor
from learnt.ensemble.boosting.bins import bin_edges
from learnt.ensemble.boosting.few_rows import Care, care_of, draws_by_cells
from learnt.statistics.sketch import sketch


def rows(n=300, seed=0):
    rng = np.random.default_rng(seed)
    town = rng.choice(["Bern", "Basel", "Chur", None], n)
    cells = {"a": rng.integers(0, 4, n).astype(float), "b": rng.normal(size=n), "town": town, "same": np.ones(n)}
    cells["b"][rng.random(n) < 0.1] = np.nan
    return cells, cells["a"] + 2 * (town == "Chur") + rng.normal(size=n)


def taken(cells, places):
    return {name: np.asarray(column)[places] for name, column in cells.items()}


def test_what_is_taken_rises_with_the_rows_to_what_is_taken_of_many():
    for classes in (False, True):
        found = [care_of(n, None, classes) for n in (1, 500, 1000, 2000, 5000, 9999, 10_000, 10_001, 10**7)]
        ends = {"learning_rate": 0.1, "subsample": 1.0, "max_features": 1.0, "min_samples_leaf": 20.0, "max_iter": 100}
        for name, last in ends.items():
            values = [getattr(one, name) for one in found]
            values = [-v for v in values] if name == "max_iter" else values
            assert values == sorted(values)
            assert values[0] == values[2] < values[3] < values[4] < values[6] == values[-1]
            assert abs(values[-1]) == last
    assert care_of(1000, None, True) == Care(150, 0.032, 0.5, 0.5, 5.0, 8)
    assert care_of(1000, None, False) == Care(251, 0.05, 0.71, 0.5, 3.0, 8)


def test_trees_of_few_rows_have_few_leaves_unless_more_are_asked_for():
    for classes, wanted in ((True, [8, 8, 9, 14, 31, 31, 31]), (False, [8, 8, 12, 20, 31, 31, 31])):
        found = [care_of(n, None, classes).max_leaf_nodes for n in (1, 1000, 2000, 5000, 9999, 10_000, 10**7)]
        assert found == wanted
    rng = np.random.default_rng(0)
    x = rng.normal(size=(900, 3))
    y = x.sum(1) + rng.normal(size=900)

    def most(model, target):
        fitted = model.set_params(max_iter=5).fit(x, target)
        return fitted.max_leaf_nodes_, max(int(tree.is_leaf.sum()) for tree in fitted.trees_)

    assert most(GradientBoostingClassifier(), y > 0) == (8, 8)
    assert most(GradientBoostingClassifier(max_leaf_nodes=12), y > 0) == (12, 12)
    limit, found = most(GradientBoostingClassifier(max_leaf_nodes=None, min_samples_leaf=1), y > 0)
    assert limit is None
    assert found > 31
    assert most(GradientBoostingRegressor(), y) == (8, 8)


def test_weights_count_as_rows():
    weights = np.random.default_rng(0).integers(0, 9, 3000).astype(float)
    assert care_of(3000, weights, True) == care_of(int(weights.sum()), None, True)


@pytest.mark.parametrize("learner", [GradientBoostingClassifier, GradientBoostingRegressor])
def test_the_model_says_what_was_taken_and_what_is_given_is_taken(learner):
    cells, y = rows()
    y = y > 1 if learner is GradientBoostingClassifier else y
    model = learner(max_iter=2).fit(cells, y)
    care = care_of(300, None, learner is GradientBoostingClassifier)
    assert (model.learning_rate_, model.subsample_) == (care.learning_rate, care.subsample)
    assert (model.max_features_, model.min_samples_leaf_) == (care.max_features, care.min_samples_leaf)
    given = learner(max_iter=2, learning_rate=0.3, subsample=0.8, max_features=0.7, min_samples_leaf=9).fit(cells, y)
    assert (given.n_iter_, given.learning_rate_, given.subsample_) == (2, 0.3, 0.8)
    assert (given.max_features_, given.min_samples_leaf_) == (0.7, 9)
    assert learner().fit(cells, y).n_iter_ == care.max_iter


def test_the_order_of_rows_follows_from_their_cells():
    cells, y = rows()
    mixed = np.random.default_rng(1).permutation(300)

    def ordered(cells, y, weights=None):
        table = learnt.Table(cells)
        draws = draws_by_cells(table, bin_edges(sketch(table, weights)), y, weights)
        keys = dict(zip(cells, draws.column_keys.tolist(), strict=True))
        assert keys["same"] == 0
        return [np.asarray(cells["b"])[draws.places], [keys[c] for c in ("a", "b", "town")]], draws.places

    expected, places = ordered(cells, y)
    assert sorted(places.tolist()) == list(range(300))
    for other in (
        ordered(taken(cells, mixed), y[mixed])[0],
        ordered(dict(reversed(cells.items())), y)[0],
        ordered({**cells, "more": ["same"] * 300}, 1000 * y)[0],
    ):
        for one, two in zip(expected, other, strict=True):
            np.testing.assert_array_equal(one, two)
    weights = np.random.default_rng(2).integers(0, 4, 300)
    copies = np.random.default_rng(3).permutation(np.repeat(np.arange(300), weights))
    weighted, repeated = ordered(cells, y, weights.astype(float))[0], ordered(taken(cells, copies), y[copies])[0]
    for one, two in zip(weighted, repeated, strict=True):
        np.testing.assert_array_equal(one, two)


def test_rows_with_the_same_cells_in_other_columns_have_an_order_too():
    rng = np.random.default_rng(0)
    cells, y = {"a": rng.integers(0, 2, 80).astype(float), "b": rng.integers(0, 2, 80).astype(float)}, np.zeros(80)
    found = set()
    for seed in range(5):
        mixed = np.random.default_rng(seed).permutation(80)
        table = learnt.Table(taken(cells, mixed))
        places = draws_by_cells(table, bin_edges(sketch(table)), y, None).places
        found.add(np.column_stack([c.values[places] for c in table.columns]).tobytes())
    assert len(found) == 1


def test_a_scan_of_few_rows_is_the_table(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    cells, y = rows()
    table = pa.table(
        {**{n: pa.array(c, from_pandas=True) for n, c in cells.items()}, "y": y, "w": np.arange(300.0) % 3}
    )
    for part in range(3):
        pq.write_table(table.slice(100 * part, 100), tmp_path / f"{part}.parquet")
    scan = learnt.scan(sorted(tmp_path.glob("*.parquet")))
    one = GradientBoostingRegressor(max_iter=5).fit(scan, "y", "w")
    other = GradientBoostingRegressor(max_iter=5).fit(cells, y, np.arange(300) % 3)
    np.testing.assert_array_equal(one.predict(cells), other.predict(cells))


def test_few_noisy_rows_are_not_learnt_by_heart():
    rng = np.random.default_rng(0)
    x, new = rng.normal(size=(200, 6)), rng.normal(size=(4000, 6))
    sick, ill = x[:, 0] + 2 * rng.logistic(size=200) > 0, new[:, 0] + 2 * rng.logistic(size=4000) > 0
    many = {"max_iter": 100, "learning_rate": 0.1, "subsample": 1.0, "max_features": 1.0, "min_samples_leaf": 20}

    def loss(model):
        return -np.log(model.predict_proba(new)[np.arange(4000), ill.astype(int)]).mean()

    careful = loss(GradientBoostingClassifier().fit(x, sick))
    assert careful < 0.95 * loss(GradientBoostingClassifier(**many).fit(x, sick))

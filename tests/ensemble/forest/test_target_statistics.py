"""Forests search the mean target of the rows before beside columns of many categories, and say what categories do."""

import numpy as np
import pytest
from tests.ensemble.forest.forest_reference import coded

import learnt
from learnt import ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor, Table
from learnt.ensemble.forest import target_statistics
from learnt.ensemble.forest.target_statistics import FEW_CATEGORIES, ORDERS, with_statistics
from learnt.ensemble.ordered_statistics import fitting_prior

CLASSIFIERS = (RandomForestClassifier, ExtraTreesClassifier)
LEARNERS = (*CLASSIFIERS, RandomForestRegressor, ExtraTreesRegressor)
K = 150


def towns(n=900, seed=0, effect=1.0, k=K):
    """Numbers, and a town whose effect is its own; some cells are missing. Columns and target."""
    rng = np.random.default_rng(seed)
    a, b, town = rng.normal(size=n), rng.normal(size=n), rng.integers(0, k, n)
    signal = a + effect * np.random.default_rng(99).normal(size=k)[town]
    names = np.array([f"town {i:03}" for i in range(k)], dtype=object)[town]
    table = {"a": a, "b": np.where(rng.random(n) < 0.1, np.nan, b), "town": np.where(rng.random(n) < 0.05, None, names)}
    return table, signal + rng.normal(size=n)


def goal(learner, y):
    """The target, of classifiers as three classes of which the middle one goes with neither end."""
    return np.array(["high", "low", "middle"])[np.digitize(y, [-0.7, 0.7])] if learner in CLASSIFIERS else y


def taken(columns, rows):
    return {name: np.asarray(cells)[rows] for name, cells in columns.items()}


def answers(model, columns):
    return model.predict_proba(columns) if hasattr(model, "predict_proba") else model.predict(columns)


def log_loss(said, classes, truth):
    return -np.log(np.clip(said[np.arange(len(truth)), np.searchsorted(classes, truth)], 1e-9, 1))


def without(monkeypatch):
    monkeypatch.setattr(target_statistics, "FEW_CATEGORIES", 10**9)


def uses_statistics(model):
    """Whether some test sends all categories that it does not list one way; sets send them as missing cells."""
    return bool((model.trees_.otherwise >= 0).any())


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_a_stand_in_is_the_mean_of_the_rows_of_the_category_at_earlier_places(classes):
    columns, y = towns()
    target = y if classes == 0 else np.digitize(y, [0.0] if classes == 2 else [-0.7, 0.7]).astype(np.int32)
    plain = coded(Table(columns), target)
    found = with_statistics(plain, np.arange(classes) if classes else None, None)
    stands = found.stand_ins
    assert len(stands.columns) == {0: 1, 2: 1, 3: 2}[classes]  # towns tell next to nothing of the middle class
    assert len(found.codes) == 3 + ORDERS * len(stands.columns)
    np.testing.assert_array_equal(found.varying, plain.varying)
    rows = target_statistics._Rows.of(plain, classes, None)
    town, there = plain.codes[2], plain.codes[2] < plain.coding.n_codes[2]
    outputs = rows.outputs_told(2)
    for i, own in enumerate(found.codes[3:]):
        order, output = divmod(i, len(outputs))
        told = {0: y, 2: target == 1}.get(classes, target == outputs[output])
        place = rows._places(2, order)
        prior = fitting_prior(*rows._totals(2, outputs[output], 0), rows._squares(2, outputs[output]))
        means = []
        for row in np.flatnonzero(there):
            before = (town == town[row]) & (place < place[row])
            means.append((told[before].sum() + prior * told[there].mean()) / (before.sum() + prior))
        ranks = np.argsort(means, kind="stable")
        codes = own[there][ranks].astype(int)
        assert (np.diff(codes)[np.diff(np.array(means)[ranks]) > 1e-9] >= 0).all()
        assert (own[~there] == found.coding.lost[3 + i]).all()
    assert len({own.tobytes() for own in found.codes[3:]}) == len(found.codes) - 3


@pytest.mark.costly
@pytest.mark.parametrize("learner", LEARNERS)
def test_towns_of_few_rows_are_told_better_than_without(learner, monkeypatch):
    columns, y = towns(2500, effect=1.5, k=400)
    fresh, truth = towns(2500, 1, 1.5, 400)
    y, truth = goal(learner, y), goal(learner, truth)

    def loss(model):
        said = answers(model, fresh)
        if learner in CLASSIFIERS:
            return log_loss(said, model.classes_, truth).mean()
        return np.mean((said - truth) ** 2)

    new = learner(n_estimators=30).fit(columns, y)
    without(monkeypatch)
    old = learner(n_estimators=30).fit(columns, y)
    assert uses_statistics(new)
    assert not uses_statistics(old)
    assert loss(new) < (0.99 if learner in CLASSIFIERS else 0.95) * loss(old)


@pytest.mark.parametrize("learner", LEARNERS)
def test_names_that_tell_nothing_change_no_tree(learner, monkeypatch):
    columns, y = towns(2000, effect=0.0, k=1000)
    y = goal(learner, y)
    new = learner(n_estimators=5).fit(columns, y)
    without(monkeypatch)
    old = learner(n_estimators=5).fit(columns, y)
    np.testing.assert_array_equal(answers(new, columns), answers(old, columns))


@pytest.mark.parametrize("effect", [0.3, 1.5])
def test_what_is_said_out_of_bag_is_honest(effect):
    """Towns have three rows each: whose target is in the statistic of his town is told far too well."""
    columns, y = towns(1500, effect=effect, k=500)
    fresh, truth = towns(3000, 1, effect, 500)
    y, truth = goal(RandomForestClassifier, y), goal(RandomForestClassifier, truth)
    target_statistics_were = target_statistics.FEW_CATEGORIES
    assert target_statistics_were < 500
    model = RandomForestClassifier(n_estimators=60, oob_score=True).fit(columns, y)
    own = log_loss(model.oob_decision_function_, model.classes_, y)
    new = log_loss(model.predict_proba(fresh), model.classes_, truth)
    spread = np.hypot(own.std() / np.sqrt(len(own)), new.std() / np.sqrt(len(new)))
    assert abs(own.mean() - new.mean()) < 3 * spread
    heart = log_loss(model.predict_proba(columns), model.classes_, y)
    assert heart.mean() < own.mean() - 10 * spread


def test_intervals_hold_what_they_promise():
    columns, y = towns(1200, effect=2.0, k=300)
    fresh, truth = towns(3000, 1, 2.0, 300)
    model = RandomForestRegressor(n_estimators=40, quantiles=True).fit(columns, y)
    assert uses_statistics(model)
    low, high = model.predict_interval(fresh, 0.8).T
    assert 0.77 < np.mean((low <= truth) & (truth <= high)) < 0.86


@pytest.mark.parametrize("learner", LEARNERS)
def test_weights_are_copies_and_rows_need_no_order(learner):
    columns, y = towns()
    y, rng = goal(learner, y), np.random.default_rng(5)
    weights = rng.integers(0, 3, 900)
    weighted = learner(n_estimators=4).fit(columns, y, sample_weight=weights)
    assert uses_statistics(weighted)
    rows = rng.permutation(np.repeat(np.arange(900), weights))
    copies = learner(n_estimators=4).fit(taken(columns, rows), y[rows])
    np.testing.assert_allclose(answers(copies, columns), answers(weighted, columns), rtol=1e-9)


def test_categories_of_rows_that_weigh_nothing_do_not_matter():
    columns, y = towns(1200)
    gone = np.array([name is not None and name < "town 040" for name in columns["town"]])
    some = RandomForestRegressor(n_estimators=4).fit(taken(columns, ~gone), y[~gone])
    weighted = RandomForestRegressor(n_estimators=4).fit(columns, np.where(gone, 1e9, y), sample_weight=~gone * 1.0)
    there = taken(columns, ~gone)
    assert uses_statistics(some)
    np.testing.assert_allclose(weighted.predict(there), some.predict(there), rtol=1e-9)


@pytest.mark.parametrize("learner", [RandomForestClassifier, ExtraTreesRegressor])
def test_files_threads_and_warm_starts_give_the_same_bits(learner, tmp_path):
    pa = pytest.importorskip("pyarrow", reason="scans read Parquet through pyarrow")
    import pyarrow.parquet as pq

    columns, y = towns()
    frame = pa.table(
        {name: pa.array(cells, from_pandas=True) for name, cells in columns.items()} | {"y": goal(learner, y)}
    )
    for i, (first, size) in enumerate([(0, 1), (1, 500), (501, 399)]):
        pq.write_table(frame.slice(first, size), tmp_path / f"{i}.parquet")
    settings = {"bootstrap": True, "oob_score": True}
    whole = learner(n_estimators=10, **settings).fit(Table(frame), "y")
    assert uses_statistics(whole)
    with learnt.threads(3):
        others = [learner(n_estimators=10, **settings).fit(Table(frame), "y")]
    others.append(learner(n_estimators=10, **settings).fit(learnt.scan(sorted(tmp_path.glob("*.parquet"))), "y"))
    grown = learner(n_estimators=3, warm_start=True, **settings).fit(Table(frame), "y")
    others.append(grown.set_params(n_estimators=10).fit(Table(frame), "y"))
    for other in others:
        for name in ("feature", "threshold", "value", "routes", "route_codes", "otherwise"):
            np.testing.assert_array_equal(getattr(other.trees_, name), getattr(whole.trees_, name))
        assert other.oob_score_ == whole.oob_score_


@pytest.mark.parametrize("learner", LEARNERS)
def test_trees_name_towns_are_saved_and_explain_what_they_say(learner, tmp_path):
    columns, y = towns()
    model = learner(n_estimators=8, max_leaf_nodes=8, max_features=None).fit(columns, goal(learner, y))
    assert uses_statistics(model)
    assert any("town 0" in str(model.tree(i)) for i in range(8))
    assert len(model.feature_importances_) == 3
    assert model.feature_importances_.sum() == pytest.approx(1)
    learnt.save(model, tmp_path / "model.learnt")
    again = learnt.load(tmp_path / "model.learnt")
    np.testing.assert_array_equal(answers(again, columns), answers(model, columns))
    for found in model.explain(taken(columns, slice(0, 5))):
        assert found.base + sum(part.contribution for part in found.evidence) == pytest.approx(found.total)
        assert {part.column for part in found.evidence} <= {*columns}


def test_a_town_never_seen_is_like_a_missing_one():
    columns, y = towns()
    model = RandomForestRegressor(n_estimators=10).fit(columns, y)
    assert np.ptp(model.predict({"a": [0.2, 0.2], "b": [0.1, 0.1], "town": ["Atlantis", None]})) == 0


def test_columns_of_few_categories_and_rows_all_alike_have_no_stand_ins():
    columns, y = towns(3000, k=FEW_CATEGORIES)
    assert with_statistics(coded(Table(columns), y), None, None).stand_ins is None
    columns, y = towns()
    alone = {"town": columns["town"]}
    assert with_statistics(coded(Table(alone), y), None, None).stand_ins is None


def test_orders_are_fewer_where_stand_ins_would_take_much_memory(monkeypatch):
    columns, y = towns()
    for cells, orders in ((10**6, ORDERS), (900 * 3, 3), (1, 1)):
        monkeypatch.setattr(target_statistics, "MOST_CELLS", cells)
        assert with_statistics(coded(Table(columns), y), None, None).stand_ins.orders == orders


def test_of_many_classes_those_told_best_have_stand_ins(monkeypatch):
    columns, y = towns(2500, effect=2.0)
    target = np.digitize(y, np.linspace(-3, 3, 11)).astype(np.int32)
    monkeypatch.setattr(target_statistics, "MOST_CLASSES", 2)
    assert len(with_statistics(coded(Table(columns), target), np.arange(12), None).stand_ins.columns) == 2


@pytest.mark.parametrize("size", [1e150, 1e-150, 1e300])
def test_units_of_the_target_do_not_matter(size):
    columns, y = towns()
    one, other = (with_statistics(coded(Table(columns), y * unit), None, None) for unit in (1.0, size))
    np.testing.assert_array_equal(one.codes, other.codes)

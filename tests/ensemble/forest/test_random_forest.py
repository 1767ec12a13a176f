"""Forests as learners: as good as scikit-learn's, honest about rows they have not seen, the same from files."""

import numpy as np
import pytest
from sklearn import datasets as sk_datasets
from sklearn import ensemble as sk_ensemble
from sklearn.metrics import roc_auc_score

import learnt
from learnt import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    Table,
    datasets,
)
from learnt.ensemble.forest import codes as forest_codes
from learnt.errors import InputError, LearntError, ParameterError
from learnt.saving import load, save

CLASSIFIERS = (RandomForestClassifier, ExtraTreesClassifier)
REGRESSORS = (RandomForestRegressor, ExtraTreesRegressor)


def folds(n, k=5):
    order = np.random.default_rng(0).permutation(n)
    return [(np.setdiff1d(order, part), part) for part in np.array_split(order, k)]


def mean_score(new, x, y):
    return np.mean([new().fit(x[rest], y[rest]).score(x[part], y[part]) for rest, part in folds(len(y))])


@pytest.mark.parametrize("name", ["iris", "breast_cancer"])
@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_classes_are_predicted_as_well_as_by_scikit_learn(cls, name):
    x, y = getattr(sk_datasets, f"load_{name}")(return_X_y=True)
    peer = getattr(sk_ensemble, cls.__name__)
    ours = mean_score(lambda: cls(n_estimators=50, random_state=1), x, y)
    theirs = mean_score(lambda: peer(n_estimators=50, random_state=1), x, y)
    assert ours > theirs - 0.02


@pytest.mark.parametrize("cls", REGRESSORS)
def test_numbers_are_predicted_as_well_as_by_scikit_learn(cls):
    x, y = sk_datasets.make_friedman1(600, noise=1.0, random_state=0)
    peer = getattr(sk_ensemble, cls.__name__)
    ours = mean_score(lambda: cls(n_estimators=40, random_state=1), x, y)
    theirs = mean_score(lambda: peer(n_estimators=40, random_state=1), x, y)
    assert ours > theirs - 0.02


def test_large_nodes_cost_no_quality():
    x, y = sk_datasets.make_classification(6000, 12, n_informative=6, flip_y=0.2, random_state=0)
    scores = []
    for cls in (RandomForestClassifier, sk_ensemble.RandomForestClassifier):
        model = cls(n_estimators=40, min_samples_leaf=5, random_state=0).fit(x[:4000], y[:4000])
        scores.append(roc_auc_score(y[4000:], model.predict_proba(x[4000:])[:, 1]))
    assert scores[0] > scores[1] - 0.01


@pytest.mark.parametrize("name", ["iris", "glass", "vote", "labor", "breast_cancer"])
def test_the_out_of_bag_error_is_close_to_that_of_ten_folds(name):
    table = datasets.load(name)
    target = datasets.info(name).target
    x, y = table.drop(target), np.array([str(label) for label in table[target].labels()])
    model = RandomForestClassifier(n_estimators=200, oob_score=True, random_state=0).fit(x, y)
    right = np.zeros(len(y))
    for rest, part in folds(len(y), 10):
        fold = RandomForestClassifier(n_estimators=80, random_state=1).fit(x.take(rest), y[rest])
        right[part] = fold.predict(x.take(part)) == y[part]
    spread = np.sqrt(right.mean() * (1 - right.mean()) / len(y))
    assert abs(model.oob_score_ - right.mean()) < max(0.03, 2 * spread)


def test_out_of_bag_answers_are_worse_than_those_of_rows_learnt_by_heart():
    x, y = sk_datasets.load_diabetes(return_X_y=True)
    model = RandomForestRegressor(n_estimators=50, oob_score=True, shrinkage=0, random_state=0).fit(x, y)
    peer = sk_ensemble.RandomForestRegressor(n_estimators=50, oob_score=True, random_state=0).fit(x, y)
    assert model.score(x, y) > 0.8
    assert model.oob_score_ == pytest.approx(peer.oob_score_, abs=0.05)
    assert model.oob_covered_ == len(y) == np.isfinite(model.oob_prediction_).sum()


def mixed(n=400, seed=0):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=n), rng.integers(0, 9, n).astype(float)
    town = np.array(["Zürich", "Genève", "東京", "oslo"])[rng.integers(0, 4, n)].astype(object)
    y = np.where(a + (town == "東京") + 0.3 * rng.normal(size=n) > 0.3, "ja", "nein")
    a[rng.random(n) < 0.1] = np.nan
    town[rng.random(n) < 0.1] = None
    return {"größe": a, "b": b, "town": town, "flag": rng.random(n) < 0.5}, y


def test_mixed_tables_with_gaps_are_learnt_as_they_are():
    x, y = mixed()
    model = RandomForestClassifier(n_estimators=40, random_state=0, oob_score=True).fit(x, y)
    assert model.oob_score_ > 0.8
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.feature_importances_[[0, 2]].sum() > 0.7
    new = {"größe": [np.nan, 2.0], "b": [1.0, 2.0], "town": ["東京", "nowhere"], "flag": [True, None]}
    assert model.predict(new).tolist() == ["ja", "ja"]
    one = model.explain(x)[3]
    assert one.add_up() == pytest.approx(one.total)
    assert "town" in str(model.tree(0)) or "größe" in str(model.tree(0))
    assert len(model.tree(-1).to_rules()) == model.tree(-1).tree.n_leaves


@pytest.mark.parametrize("sample", [1 << 18, 300])
@pytest.mark.parametrize("cls", [*CLASSIFIERS, *REGRESSORS])
def test_files_however_cut_give_the_trees_of_the_table(cls, sample, tmp_path, monkeypatch):
    monkeypatch.setattr(forest_codes, "MOST_ROWS", sample)
    monkeypatch.setattr(forest_codes, "FEWEST_ROWS", min(sample, forest_codes.FEWEST_ROWS))
    pytest.importorskip("pyarrow", reason="scans read Parquet through pyarrow")
    import pyarrow as pa
    import pyarrow.parquet as pq

    x, y = mixed(900)
    y = y if cls in CLASSIFIERS else np.nan_to_num(x["größe"])
    frame = pa.table({name: pa.array(cells, from_pandas=True) for name, cells in (x | {"y": y}).items()})
    settings = {"n_estimators": 6, "random_state": 3, "bootstrap": True, "oob_score": True}
    whole = cls(**settings).fit(Table(frame), "y")
    for sizes in ((900,), (1, 500, 399)):
        folder = tmp_path / str(len(sizes))
        folder.mkdir()
        for i, first in enumerate(np.cumsum((0, *sizes[:-1]))):
            pq.write_table(frame.slice(first, sizes[i]), folder / f"{i}.parquet")
        part = cls(**settings).fit(learnt.scan(sorted(folder.glob("*.parquet"))), "y")
        for name in ("feature", "threshold", "value", "routes", "missing", "weight"):
            np.testing.assert_array_equal(getattr(part.trees_, name), getattr(whole.trees_, name))
        assert part.oob_score_ == whole.oob_score_


def test_a_sample_stands_for_rows_beyond_its_limit(monkeypatch):
    x, y = sk_datasets.make_classification(3000, 8, n_informative=5, random_state=0)
    whole = RandomForestClassifier(n_estimators=20, random_state=0).fit(x[:2000], y[:2000])
    monkeypatch.setattr(forest_codes, "MOST_ROWS", 300)
    monkeypatch.setattr(forest_codes, "FEWEST_ROWS", 300)
    sampled = RandomForestClassifier(n_estimators=20, random_state=0).fit(x[:2000], y[:2000])
    assert not np.array_equal(sampled.trees_.threshold[:5], whole.trees_.threshold[:5])
    assert sampled.score(x[2000:], y[2000:]) > whole.score(x[2000:], y[2000:]) - 0.03
    # Codes and numbers lead rows the same way: a tree that saw all rows gets each of its leaves right.
    one = RandomForestClassifier(n_estimators=1, bootstrap=False, max_features=None, shrinkage=0).fit(
        x[:2000], y[:2000]
    )
    assert np.abs(one.predict_proba(x[:2000]).max(axis=1) - 1).max() < 0.35
    leaves = one.apply(x[:2000])[:, 0]
    tree = one.trees_[0]
    np.testing.assert_allclose(np.bincount(leaves, minlength=tree.node_count)[tree.is_leaf], tree.weight[tree.is_leaf])


def test_rows_of_weight_two_are_as_good_as_two_rows():
    x, y = sk_datasets.make_friedman1(150, noise=1.0, random_state=1)
    weights = np.where(np.arange(150) % 3 == 0, 2.0, 1.0)
    twice = np.repeat(np.arange(150), weights.astype(int))
    weighted = [RandomForestRegressor(n_estimators=60, random_state=s).fit(x, y, weights).predict(x) for s in range(4)]
    copied = [
        RandomForestRegressor(n_estimators=60, random_state=s).fit(x[twice], y[twice]).predict(x) for s in range(4)
    ]
    gap = np.mean(weighted, axis=0) - np.mean(copied, axis=0)
    assert np.sqrt(np.mean(gap**2)) < 0.15 * y.std()
    exact = {"n_estimators": 3, "random_state": 0, "min_samples_leaf": 5}  # nothing drawn but cuts' order
    a = RandomForestRegressor(bootstrap=False, **exact).fit(x, y, weights).predict(x)
    b = RandomForestRegressor(bootstrap=False, **exact).fit(x[twice], y[twice]).predict(x)
    np.testing.assert_allclose(a, b, rtol=1e-9)


def test_class_weights_move_the_answers():
    x, y = sk_datasets.make_classification(600, 5, weights=[0.9], flip_y=0.2, random_state=0)
    settings = {"n_estimators": 30, "min_samples_leaf": 20, "random_state": 0}
    shares = [
        (RandomForestClassifier(class_weight=how, **settings).fit(x, y).predict(x) == 1).mean()
        for how in (None, "balanced", "balanced_subsample", {1: 1000.0})
    ]
    assert shares[0] < shares[1] < shares[3]
    assert abs(shares[1] - shares[2]) < 0.1


def test_quantiles_are_those_of_the_targets_in_the_leaves():
    x, y = sk_datasets.make_friedman1(300, noise=1.0, random_state=0)
    model = RandomForestRegressor(n_estimators=10, min_samples_leaf=10, quantiles=True, random_state=0).fit(x, y)
    kept, forest, leaves = model._leaf_targets, model.trees_, model.apply(x[:5])
    for i in range(5):
        weights = np.zeros(len(kept.targets))
        for t in range(10):
            node = forest.tree_start[t] + leaves[i, t]
            here = slice(kept.node_start[node], kept.node_start[node + 1])
            np.add.at(weights, kept.ranks[here], kept.shares[here])
            assert kept.shares[here].sum() == pytest.approx(1, abs=1e-5)
            assert (kept.targets[kept.ranks[here]] * kept.shares[here]).sum() == pytest.approx(
                forest.value[node, 0], abs=1e-4
            )
        below = np.cumsum(weights) / weights.sum()
        expected = [kept.targets[np.searchsorted(below, q - 1e-9)] for q in (0.1, 0.5, 0.9)]
        np.testing.assert_allclose(model.predict_quantiles(x[i : i + 1], [0.1, 0.5, 0.9])[0], expected)
    assert model.predict_quantiles(x[:4]).shape == (4,)


@pytest.mark.parametrize("cls", REGRESSORS)
def test_intervals_hold_as_many_new_rows_as_promised(cls):
    x, y = sk_datasets.make_friedman1(2500, noise=2.0, random_state=0)
    model = cls(n_estimators=40, bootstrap=True, quantiles=True, random_state=0).fit(x[:1500], y[:1500])
    low, high = model.predict_interval(x[1500:], level=0.8).T
    assert (low <= high).all()
    # √(.8 · .2 · (1/1000 + 1/1500)) is .016
    assert 0.75 < np.mean((low <= y[1500:]) & (y[1500:] <= high)) < 0.85


@pytest.mark.parametrize("cls", [*CLASSIFIERS, *REGRESSORS])
def test_a_warm_start_ends_where_one_fit_would(cls):
    x, y = sk_datasets.load_iris(return_X_y=True)
    settings = {"random_state": 4, "bootstrap": True, "oob_score": True}
    if cls in REGRESSORS:
        settings["quantiles"] = True
    once = cls(n_estimators=9, **settings).fit(x, y)
    grown = cls(n_estimators=4, warm_start=True, **settings).fit(x, y)
    grown.set_params(n_estimators=9).fit(x, y)
    for name in ("feature", "threshold", "value"):
        np.testing.assert_array_equal(getattr(grown.trees_, name), getattr(once.trees_, name))
    assert grown.oob_score_ == once.oob_score_
    if cls in REGRESSORS:
        np.testing.assert_array_equal(grown.predict_quantiles(x, 0.2), once.predict_quantiles(x, 0.2))
    with pytest.raises(ParameterError, match="less than the 9 trees"):
        grown.set_params(n_estimators=3).fit(x, y)
    with pytest.raises(InputError, match="columns"):
        grown.set_params(n_estimators=12).fit(x[:, :2], y)
    assert len(grown.trees_) == 9


@pytest.mark.parametrize("cls", [*CLASSIFIERS, *REGRESSORS])
def test_odd_tables_are_learnt(cls):
    y = ["a", "b", "a", "b"] if cls in CLASSIFIERS else [1.0, 2.0, 1.0, 2.0]

    def new():
        return cls(n_estimators=5, random_state=0)

    nothing = {"x": [np.nan] * 4, "town": [None] * 4}
    for x, target in (
        (nothing, y),  # no cell at all
        ({"x": [1.0] * 4}, y),  # constant
        ({"x": [1.0, 2.0, 1.0, 2.0]}, [y[0]] * 4),  # one class, or one number
        ({"x": [1.0]}, [y[0]]),  # one row
        ({"x": [np.nan, 1.0, np.nan, 1.0]}, y),  # missing or not is all there is
        ({"x": [-1e308, 1e308, -1e308, 1e308]}, y),
    ):
        model = new().fit(x, target)
        assert len(model.predict(x)) == len(target)
    found = new().set_params(bootstrap=False).fit({"x": [np.nan, 1.0, np.nan, 1.0]}, y)
    assert list(found.predict({"x": [np.nan, 1.0]})) == y[:2]
    with pytest.raises(LearntError, match="infinite"):
        new().fit({"x": [1.0, np.inf, 2.0, 3.0]}, y)


def test_ten_thousand_categories_are_no_trouble():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 10_000, 20_000)
    effect = rng.normal(size=10_000)
    x = Table({"id": np.char.add("id", codes.astype(str)), "noise": rng.normal(size=20_000)})
    y = np.where(effect[codes] > 0, "up", "down")
    model = RandomForestClassifier(n_estimators=4, max_features=None, random_state=0).fit(x, y)
    assert model.score(x, y) > 0.8
    assert model.predict({"id": ["never seen"], "noise": [0.0]})[0] in ("up", "down")


def test_more_categories_than_codes_keep_the_frequent_ones(monkeypatch):
    monkeypatch.setattr(forest_codes, "MOST_CODES", 3)
    towns = ["a"] * 3 + ["b"] * 30 + ["c"] * 30 + ["d"] * 2 + ["e"] * 30
    y = [town in "be" for town in towns]
    model = RandomForestClassifier(n_estimators=5, random_state=0).fit({"town": towns}, y)
    assert model.predict({"town": ["b", "c", "e"]}).tolist() == [True, False, True]
    assert set(model.trees_.route_codes.tolist()) <= {1, 2, 4}


@pytest.mark.parametrize("cls", [*CLASSIFIERS, *REGRESSORS])
def test_saved_forests_answer_the_same(cls, tmp_path):
    x, y = sk_datasets.load_iris(return_X_y=True)
    settings = {"quantiles": True, "bootstrap": True} if cls in REGRESSORS else {}
    model = cls(n_estimators=4, random_state=0, **settings).fit(x, y)
    save(model, tmp_path / "model.learnt")
    again = load(tmp_path / "model.learnt")
    np.testing.assert_array_equal(again.predict(x), model.predict(x))
    if settings:
        np.testing.assert_array_equal(again.predict_interval(x), model.predict_interval(x))


def test_settings_that_contradict_each_other_are_refused():
    x, y = sk_datasets.load_iris(return_X_y=True)
    for settings, match in (
        ({"bootstrap": False, "oob_score": True}, "bootstrap=True"),
        ({"bootstrap": False, "max_samples": 0.5}, "max_samples=0.5"),
        ({"max_samples": 1000}, "150 rows"),
        ({"criterion": "absolute_error"}, "criterion='absolute_error'"),
        ({"class_weight": {7: 1.0}}, "names 7"),
    ):
        with pytest.raises(ParameterError, match=match):
            RandomForestClassifier(n_estimators=2, **settings).fit(x, y)
    with pytest.raises(InputError, match="quantiles=True"):
        RandomForestRegressor(n_estimators=2).fit(x, y).predict_interval(x)
    with pytest.raises(InputError, match="from 0 to 1"):
        RandomForestRegressor(n_estimators=2, quantiles=True).fit(x, y).predict_quantiles(x, 1.5)


@pytest.mark.parametrize(("n_rows", "n_columns", "n_categories"), [(60, 4, 5), (150, 4, 5), (150, 8, 8)])
def test_few_rows_of_small_nominal_columns_are_learnt_as_well_as_from_indicators(n_rows, n_columns, n_categories):
    native, indicators = [], []
    for seed in range(15):
        rng = np.random.default_rng(seed)
        codes = rng.integers(0, n_categories, (n_rows + 1000, n_columns))
        y = 4 * rng.normal(size=(n_columns, n_categories))[np.arange(n_columns), codes].sum(axis=1)
        y += rng.normal(size=len(y))
        table = {f"x{j}": np.array(list("abcdefgh"))[codes[:, j]] for j in range(n_columns)}
        for cells, errors in ((table, native), (dict(enumerate_indicators(codes, n_categories)), indicators)):
            model = RandomForestRegressor(n_estimators=60, random_state=0)
            model.fit({name: column[:n_rows] for name, column in cells.items()}, y[:n_rows])
            said = model.predict({name: column[n_rows:] for name, column in cells.items()})
            errors.append(np.sqrt(np.mean((said - y[n_rows:]) ** 2)))
    assert np.mean(native) < 1.02 * np.mean(indicators)


@pytest.mark.parametrize("learner", [RandomForestRegressor, RandomForestClassifier])
@pytest.mark.parametrize(("n_rows", "n_columns", "n_categories", "most"), [(150, 4, 5, 1.035), (400, 4, 8, 1.045)])
def test_columns_that_only_mean_something_together_are_learnt_about_as_well(
    learner, n_rows, n_columns, n_categories, most
):
    def error(cells, y, seed):
        model = learner(n_estimators=40, random_state=seed)
        model.fit({name: column[:n_rows] for name, column in cells.items()}, y[:n_rows])
        rest, true = {name: column[n_rows:] for name, column in cells.items()}, y[n_rows:]
        if learner is RandomForestRegressor:
            return np.sqrt(np.mean((model.predict(rest) - true) ** 2))
        return np.sqrt(np.mean((model.predict_proba(rest)[:, 1] - true) ** 2))

    ratios = []
    for seed in range(18):  # the two forests draw other rows each: one ratio is off by 0.03
        rng = np.random.default_rng(seed)
        codes = rng.integers(0, n_categories, (n_rows + 1000, n_columns))
        y = rng.normal(size=len(codes))
        for j in range(0, n_columns, 2):
            effect = rng.normal(size=(n_categories, n_categories))
            effect -= effect.mean(axis=0)
            effect -= effect.mean(axis=1, keepdims=True)  # neither column says anything on its own
            y += 2 * effect[codes[:, j], codes[:, j + 1]]
        y = y if learner is RandomForestRegressor else (y > 0).astype(int)
        table = {f"x{j}": np.array(list("abcdefgh"))[codes[:, j]] for j in range(n_columns)}
        ratios.append(error(table, y, seed) / error(dict(enumerate_indicators(codes, n_categories)), y, seed))
    assert np.mean(ratios) < most


def enumerate_indicators(codes, n_categories):
    for j in range(codes.shape[1]):
        for c in range(n_categories):
            yield f"x{j}={c}", (codes[:, j] == c).astype(float)


@pytest.mark.parametrize("n_categories", [4, 8, 1000])
def test_noise_in_nominal_columns_does_not_outdo_numbers(n_categories):
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=(1400, 3)), rng.integers(0, n_categories, (1400, 5)).astype(str)
    y = x[:, 0] + x[:, 1] * x[:, 2] + 0.7 * rng.normal(size=1400)
    numbers = {f"n{j}": x[:, j] for j in range(3)}

    def error(table):
        model = RandomForestRegressor(n_estimators=40).fit({c: v[:400] for c, v in table.items()}, y[:400])
        return np.sqrt(np.mean((model.predict({c: v[400:] for c, v in table.items()}) - y[400:]) ** 2))

    assert error(numbers | {f"c{j}": noise[:, j] for j in range(5)}) < 1.2 * error(numbers)


@pytest.mark.parametrize("make", [RandomForestClassifier, RandomForestRegressor])
def test_a_forest_whose_trees_all_drew_every_row_has_no_out_of_bag_score_and_says_so(make):
    with pytest.raises(InputError, match=r"no out-of-bag estimate.*oob_score=False"):
        make(n_estimators=3, oob_score=True).fit([[1.0]], [1])

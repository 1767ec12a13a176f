"""Neighbours of mixed rows: what is near, how much it counts, and what an answer is made of."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier as SkNeighbors

import learnt
from learnt import KNeighborsClassifier, KNeighborsRegressor, Table, datasets
from learnt.errors import InputError, KindError, ParameterError, SavedModelError

RNG = np.random.default_rng(0)


def people(n: int = 60, seed: int = 0) -> Table:
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, n).astype(float)
    age[::7] = np.nan
    town = [["Bern", "Basel", "Genf", None][i] for i in rng.integers(4, size=n)]
    size = [["S", "M", "L"][i] for i in rng.integers(3, size=n)]
    return Table(
        {"age": age, "town": town, "size": size, "own": rng.random(n) < 0.5}, ordinal={"size": ["S", "M", "L"]}
    )


def mixed_distance(a, b, spread: float) -> float:
    """The definition, cell by cell."""
    total = 0.0
    for name, scale in (("age", spread), ("town", 0), ("size", 2), ("own", 0)):
        x, y = a[name], b[name]
        if x is None or y is None:
            total += 1
        elif scale:
            x, y = (["S", "M", "L"].index(v) if isinstance(v, str) else v for v in (x, y))
            total += min(abs(x - y) / scale, 1) ** 2
        else:
            total += x != y
    return float(np.sqrt(total))


def cells(table: Table) -> list[dict]:
    return [dict(zip(table.names, row, strict=True)) for row in zip(*(c.labels() for c in table.columns), strict=True)]


def test_the_metric_of_a_mixed_table_is_its_definition():
    table, others = people(), people(15, seed=5)
    model = KNeighborsClassifier(n_neighbors=60).fit(table, np.arange(60) % 3)
    distances, numbers = model.kneighbors(others)
    spread = np.nanmax(table["age"].values) - np.nanmin(table["age"].values)
    rows, asked = cells(table), cells(others)
    for i in range(15):
        expected = np.array([mixed_distance(asked[i], row, spread) for row in rows])
        np.testing.assert_allclose(distances[i], np.sort(expected), rtol=1e-12)
        np.testing.assert_allclose(expected[numbers[i]], distances[i], rtol=1e-12)
        assert sorted(numbers[i]) == list(range(60))


def test_numbers_count_the_same_with_and_without_a_label_beside_them():
    """By "auto" a column of labels that says nothing changes nothing: the units of numbers never decide."""
    x = RNG.normal(size=(80, 2)) * [1, 1000]
    y = RNG.integers(2, size=80)
    alone = KNeighborsClassifier().fit({"a": x[:, 0], "b": x[:, 1]}, y)
    beside = KNeighborsClassifier().fit({"a": x[:, 0], "b": x[:, 1], "same": ["x"] * 80}, y)
    assert (alone.index_.kind, beside.index_.kind) == ("kd_tree", "scan")
    np.testing.assert_allclose(alone.kneighbors()[0], beside.kneighbors()[0], rtol=1e-12)
    np.testing.assert_array_equal(alone.kneighbors()[1], beside.kneighbors()[1])


def test_units_matter_only_if_asked_for():
    x, y = RNG.normal(size=(60, 2)), RNG.normal(size=60)
    q = RNG.normal(size=(9, 2))
    stretch = np.array([1e6, 1e-3])
    one, two = (KNeighborsRegressor().fit(x * s, y).predict(q * s) for s in (1, stretch))
    np.testing.assert_allclose(one, two, rtol=1e-9)
    raw = KNeighborsRegressor(metric="euclidean").fit(x * stretch, y).predict(q * stretch)
    assert np.abs(raw - one).max() > 0.1


def test_a_row_with_gaps_is_answered_among_rows_without():
    x, y = RNG.normal(size=(70, 3)), RNG.integers(3, size=70)
    model = KNeighborsClassifier(weights="distance").fit(x, y)
    asked = x[:6].copy()
    asked[[1, 3, 4], [0, 2, 1]] = np.nan
    gappy = np.vstack([x, [[np.nan] * 3]])  # the same rows among others with a gap, all by one scan
    scanned = KNeighborsClassifier(weights="distance").fit(gappy, np.append(y, 0), sample_weight=[1] * 70 + [1e-300])
    found = model.predict_proba(asked)
    np.testing.assert_allclose(found, scanned.predict_proba(asked), rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(found, np.vstack([model.predict_proba(asked[i : i + 1]) for i in range(6)]))


def test_labels_may_be_as_far_apart_as_what_they_say():
    """Three of four towns vote alike: by the value difference they are nearly one."""
    rng = np.random.default_rng(3)
    town = rng.integers(4, size=300)
    y = np.where(rng.random(300) < np.array([0.9, 0.9, 0.9, 0.1])[town], "yes", "no")
    table = Table({"town": [f"t{i}" for i in town], "noise": rng.random(300)})
    plain = KNeighborsClassifier(n_neighbors="loo").fit(table, y)
    model = KNeighborsClassifier(n_neighbors="loo", nominal="value_difference").fit(table, y)
    away = model._measure.value_tables["town"]
    share = [np.mean(y[town == i] == "yes") for i in range(4)]
    np.testing.assert_allclose(away, np.abs(np.subtract.outer(share, share)), atol=1e-12)
    assert model.loo_errors_.min() <= plain.loo_errors_.min()
    values = rng.normal(size=300) + 5 * (town == 3)
    means = np.array([values[town == i].mean() for i in range(4)])
    found = KNeighborsRegressor(nominal="value_difference").fit(table, values)._measure.value_tables["town"]
    np.testing.assert_allclose(found, np.abs(np.subtract.outer(means, means)) / np.ptp(means), atol=1e-12)


def test_texts_are_compared_by_edits_also_those_never_seen():
    names = ["anna", "anne", "hannah", "bert", "berta", "norbert"]
    groups = ["A", "A", "A", "B", "B", "B"]
    table = {"name": names, "age": [1.0, 2, 3, 1, 2, 3]}
    model = KNeighborsClassifier(n_neighbors=1, text_columns=["name"]).fit(table, groups)
    asked = {"name": ["hanna", "robert", "anna", None], "age": [2.0, 2, 1, 1]}
    assert model.predict(asked).tolist()[:3] == ["A", "B", "A"]
    distances, numbers = model.kneighbors(asked, 6)
    # hanna, 2 → hannah, 3: one edit of six letters, half of the range of ages
    assert distances[0][numbers[0] == 2] == pytest.approx(np.sqrt((1 / 6) ** 2 + 0.5**2))
    assert distances[3].min() == pytest.approx(1.0)  # a missing name is at 1 from all
    plain = KNeighborsClassifier(n_neighbors=1, metric="levenshtein").fit({"name": names}, groups)
    np.testing.assert_array_equal(plain.kneighbors({"name": ["berto"]}, 3)[0], [[1, 1, 4]])
    with pytest.raises(InputError, match=r"'age' is numeric.*text_columns"):
        KNeighborsClassifier(metric="levenshtein").fit(table, groups)
    with pytest.raises(ParameterError, match=r"'nmae'.*'name'"):
        KNeighborsClassifier(text_columns=["nmae"]).fit(table, groups)


# How much neighbours count


def test_all_neighbours_by_the_inverse_square_are_shepards_interpolation():
    x, y, q = RNG.normal(size=(40, 2)), RNG.normal(size=40), RNG.normal(size=(7, 2))
    away = ((q[:, None] - x[None]) ** 2).sum(axis=2)
    expected = (y / away).sum(axis=1) / (1 / away).sum(axis=1)
    model = KNeighborsRegressor(n_neighbors="all", weights="distance2", metric="euclidean").fit(x, y)
    np.testing.assert_allclose(model.predict(q), expected, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(x), y)  # exact matches take all the weight


@pytest.mark.parametrize(
    ("weights", "kernel"),
    [
        ("gaussian", lambda u: np.exp(-((2 * u) ** 2) / 2)),
        ("tricube", lambda u: (1 - u**3) ** 3),
        ("epanechnikov", lambda u: 1 - u**2),
    ],
)
def test_kernels_end_where_the_first_row_that_is_no_neighbour_lies(weights, kernel):
    x, y, q = RNG.normal(size=(40, 2)), RNG.normal(size=40), RNG.normal(size=(7, 2))
    away = np.sqrt(((q[:, None] - x[None]) ** 2).sum(axis=2))
    order = np.argsort(away, axis=1)[:, :7]
    near = np.take_along_axis(away, order, 1)
    w = kernel(near[:, :6] / near[:, 6:])
    expected = (w * y[order[:, :6]]).sum(axis=1) / w.sum(axis=1)
    model = KNeighborsRegressor(n_neighbors=6, weights=weights, metric="euclidean").fit(x, y)
    np.testing.assert_allclose(model.predict(q), expected, rtol=1e-10)


@pytest.mark.parametrize("weights", ["uniform", "distance", "distance2", "gaussian", "tricube", "epanechnikov"])
@pytest.mark.parametrize("settings", [{"ties": "all"}, {"ties": "first"}, {"radius": 0.7}, {"n_neighbors": "all"}])
def test_a_row_twice_is_a_weight_of_two_for_all_weights(weights, settings):
    table, y = people(), RNG.normal(size=60)
    counts = np.random.default_rng(1).integers(0, 4, 60)
    copies = np.repeat(np.arange(60), counts)
    one = KNeighborsRegressor(weights=weights, **settings).fit(table, y, sample_weight=counts)
    two = KNeighborsRegressor(weights=weights, **settings).fit(table.take(copies), y[copies])
    others = people(25, seed=3)
    np.testing.assert_allclose(one.predict(others), two.predict(others), rtol=1e-9)


def test_with_ties_the_order_of_rows_does_not_matter():
    table, y, order = datasets.load("breast_cancer"), None, np.random.default_rng(2).permutation(286)
    table, y = table.drop(table.target), np.array(table[table.target].labels())
    models = [KNeighborsClassifier(n_neighbors=3).fit(table.take(o), y[o]) for o in (np.arange(286), order)]
    np.testing.assert_allclose(models[0].predict_proba(table), models[1].predict_proba(table), rtol=1e-12)
    first = [
        KNeighborsClassifier(n_neighbors=3, ties="first").fit(table.take(o), y[o]) for o in (np.arange(286), order)
    ]
    assert np.abs(first[0].predict_proba(table) - first[1].predict_proba(table)).max() > 0.3


def test_rows_are_equally_near_also_if_rounding_says_otherwise():
    """Of 0.1, 0.2 and 0.3 the outer ones are equally far from the middle, but not to the last bit."""
    x = np.array([[0.1], [0.2], [0.3], [0.9]])
    assert 0.3 - 0.2 != 0.2 - 0.1
    model = KNeighborsRegressor(n_neighbors=2, metric="euclidean").fit(x, [1.0, 2.0, 6.0, 0.0])
    assert model.predict([[0.2]])[0] == pytest.approx(3.0)


def test_answers_come_in_blocks_of_any_size(monkeypatch):
    from learnt.neighbors import search

    table, y = people(), RNG.integers(3, size=60)
    settings = [{}, {"radius": 0.9}, {"n_neighbors": "all", "weights": "distance"}, {"n_neighbors": "loo"}]
    expected = [KNeighborsClassifier(**s).fit(table, y).predict_proba(table) for s in settings]
    monkeypatch.setattr(search, "CELLS", 100)
    for s, found in zip(settings, expected, strict=True):
        np.testing.assert_array_equal(KNeighborsClassifier(**s).fit(table, y).predict_proba(table), found)


def test_kneighbors_speaks_of_the_rows_as_fitted():
    x, y, w = np.arange(8.0)[:, None], np.arange(8) % 2, np.array([1, 0, 1, 1, 0, 1, 2, 1])
    model = KNeighborsClassifier(n_neighbors=2).fit(x, y, sample_weight=w)
    np.testing.assert_array_equal(model.kneighbors([[1.2]])[1], [[2, 0]])
    assert model.kneighbors_graph([[1.2]]).shape == (1, 8)
    assert [n.row for n in model.explain([[6.1]])[0].neighbors] == [6]  # it weighs as much as two


# Explaining


def test_votes_add_up_and_columns_add_up_to_distances():
    table = datasets.load("labor")
    for model in (KNeighborsClassifier(weights="distance").fit(table), KNeighborsClassifier(n_neighbors=1).fit(table)):
        shares = model.predict_proba(table)
        for i, told in enumerate(model.explain(table)[:8]):
            assert sum(n.vote for n in told.neighbors) == pytest.approx(told.total, rel=1e-12)
            assert told.total == pytest.approx(shares[i].max(), rel=1e-12)
            assert sum(n.weight for n in told.neighbors) == pytest.approx(1)
            squared = sum(n.weight * n.distance**2 for n in told.neighbors)
            assert sum(c.here for c in told.columns) == pytest.approx(squared, rel=1e-9, abs=1e-12)
            for n in told.neighbors:
                assert n.target == table["class"].labels()[n.row]
                assert n.cells["duration"] == table["duration"].labels()[n.row]
    cpu = datasets.load("cpu")
    model = KNeighborsRegressor(weights="tricube").fit(cpu)
    for i, told in enumerate(model.explain(cpu)[:8]):
        assert sum(n.vote for n in told.neighbors) == pytest.approx(model.predict(cpu)[i], rel=1e-12)


def test_weights_of_columns_and_all_neighbours_are_told_of():
    table, y = people(), RNG.normal(size=60)
    settings = {"n_neighbors": "all", "weights": "distance", "feature_weights": {"age": 3.0, "own": 0.5}}
    told = KNeighborsRegressor(**settings).fit(table, y).explain(people(3, seed=9))[1]
    assert len(told.neighbors) == 60
    assert [n.distance for n in told.neighbors] == sorted(n.distance for n in told.neighbors)
    assert sum(c.here for c in told.columns) == pytest.approx(sum(n.weight * n.distance**2 for n in told.neighbors))


def test_all_neighbours_are_those_that_a_search_of_all_finds():
    """Where nobody is left out none is sorted; with as many neighbours as rows all are."""
    table, y, q = people(), RNG.normal(size=60), people(20, seed=4)
    w = RNG.integers(1, 4, 60).astype(float)
    numbers, gappy = RNG.normal(size=(60, 2)), RNG.normal(size=(20, 2))
    gappy[::3, 1] = np.nan
    for X, asked in ((table, q), (numbers, 3 * gappy)):
        for weights in ("uniform", "distance", "gaussian", "epanechnikov"):
            every = KNeighborsRegressor(n_neighbors="all", weights=weights).fit(X, y, w)
            found = KNeighborsRegressor(n_neighbors=int(w.sum()), weights=weights).fit(X, y, w)
            np.testing.assert_allclose(every.predict(asked), found.predict(asked), rtol=1e-10)


def test_an_explanation_can_be_read_sent_and_drawn():
    iris = datasets.load("iris")
    told = KNeighborsClassifier(n_neighbors=3).fit(iris).explain(iris)[70]
    text = str(told)
    assert text.startswith("'Iris-virginica' because 2 of its 3 nearest rows have it")
    assert "near in petal" in text
    assert len(json.loads(json.dumps(told.to_dict()))["neighbors"]) == 3
    assert "<table>" in told._repr_html_()
    assert told.plot().get_title()
    own = KNeighborsClassifier(metric=lambda a, b: abs(a[0] - b[0])).fit(iris.drop("class"), iris["class"].labels())
    assert own.explain(iris)[0].columns == ()
    assert "near in" not in str(own.explain(iris)[0])


# Hostile input, files


def test_what_makes_no_sense_is_refused_with_reason():
    x, y = RNG.normal(size=(20, 3)), np.arange(20) % 2
    mixed = people(20)
    with pytest.raises(InputError, match=r"'auto'|'mixed'"):
        KNeighborsClassifier(metric="euclidean").fit(mixed, y)
    with pytest.raises(InputError, match=r"missing|finite"):
        KNeighborsClassifier(metric="euclidean").fit(x, y).predict([[np.nan, 0, 0]])
    with pytest.raises(ParameterError, match="kd_tree"):
        KNeighborsClassifier(index="kd_tree").fit(mixed, y)
    with pytest.raises(ParameterError, match="weights"):
        KNeighborsClassifier(weights=lambda d: -d).fit(x, y).predict(x)
    with pytest.raises(ParameterError, match="weights"):
        KNeighborsClassifier(weights=lambda d: d[:, :1]).fit(x, y).predict(x)
    with pytest.raises(ParameterError, match="negative"):
        KNeighborsClassifier(metric=lambda a, b: -1.0).fit(x, y).predict(x)
    with pytest.raises(ParameterError, match="text_columns"):
        KNeighborsClassifier(metric="euclidean", text_columns=["x0"]).fit(x, y)
    with pytest.raises(ParameterError, match="value_difference"):
        KNeighborsClassifier(metric="euclidean", nominal="value_difference").fit(x, y)
    model = KNeighborsClassifier().fit(x, y)
    for bad in (0, 21, 2.5, True):
        with pytest.raises(ParameterError, match="n_neighbors"):
            model.kneighbors(x, bad)
    for bad in (None, -1.0, "far"):
        with pytest.raises(ParameterError, match="radius"):
            model.radius_neighbors(x, bad)
    with pytest.raises(ParameterError, match="mode"):
        model.kneighbors_graph(x, mode="other")
    with pytest.raises(KindError):
        KNeighborsClassifier().fit(mixed, y).predict({"age": ["x"], "town": ["Bern"], "size": ["S"], "own": [True]})


def test_a_scan_is_told_that_rows_must_be_in_memory(tmp_path):
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n3,4\n")
    with pytest.raises(InputError, match="in memory"):
        KNeighborsRegressor().fit(learnt.scan(tmp_path / "rows.csv"), "b")


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e150, 1e300])
def test_numbers_of_any_size_find_their_neighbours(size):
    x, y = RNG.normal(size=(50, 2)), RNG.normal(size=50)
    expected = KNeighborsRegressor(weights="distance").fit(x, y).predict(x[:9] + 0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = KNeighborsRegressor(weights="distance").fit(x * size, y).predict((x[:9] + 0.01) * size)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_targets_of_any_size_are_averaged():
    y = np.array([1.7e308, 1.7e308, 1.6e308])
    found = KNeighborsRegressor(n_neighbors=3).fit([[0.0], [1.0], [2.0]], y).predict([[1.0]])
    assert found[0] == pytest.approx(1.6666666e308, rel=1e-6)


def test_models_with_every_setting_survive_their_file(tmp_path):
    table, y = people(), np.arange(60) % 3
    for settings in (
        {"nominal": "value_difference", "feature_weights": "online"},
        {"text_columns": ["town"], "weights": "tricube"},
        {"n_neighbors": "loo", "metric": "mixed", "feature_weights": {"age": 2.0}},
        {"radius": 0.8, "n_neighbors": "all", "index": "vp_tree"},
    ):
        model = KNeighborsClassifier(**settings).fit(table, y, sample_weight=np.arange(60) % 4)
        learnt.save(model, tmp_path / "model")
        loaded = learnt.load(tmp_path / "model")
        np.testing.assert_array_equal(loaded.predict_proba(table), model.predict_proba(table))
        assert str(loaded.explain(table)[5]) == str(model.explain(table)[5])
    numbers = RNG.normal(size=(30, 2))
    model = KNeighborsRegressor(metric="mahalanobis").fit(numbers, numbers[:, 0])
    learnt.save(model, tmp_path / "model")
    np.testing.assert_array_equal(learnt.load(tmp_path / "model").predict(numbers), model.predict(numbers))
    own = KNeighborsRegressor(metric=lambda a, b: 0.0).fit(numbers, numbers[:, 0])
    with pytest.raises(ParameterError, match="function"):
        learnt.save(own, tmp_path / "model")


def test_contradictions_in_a_file_are_found():
    table, y = people(), np.arange(60) % 3
    x = RNG.normal(size=(20, 2))
    for X, target, name, value in (
        (table, y, "_target", np.full(60, 3, np.int32)),
        (table, y, "_target", np.zeros(59, np.int32)),
        (table, y, "_row_weights", np.full(60, -1.0)),
        (table, y, "feature_weights_", np.ones(3)),
        (table, y, "_measure", None),
        (table, y, "n_neighbors_", 0),
        (x, np.arange(20), "_target", np.zeros(20)),
    ):
        model = KNeighborsClassifier().fit(X, target)
        vars(model)[name] = value
        with pytest.raises(SavedModelError):
            model._check_fitted_state()
    from dataclasses import replace

    model = KNeighborsClassifier().fit(table, y)
    rows = model._rows
    for change in (
        {"cells": rows.cells[:2]},
        {"cells": (*rows.cells[:1], np.full(60, 99, np.int32), *rows.cells[2:])},
        {"cells": (np.full(60, np.inf), *rows.cells[1:])},
        {"numbers": np.arange(60)[::-1].copy()},
        {"numbers": np.arange(1, 61)},
        {"n_fitted": 3},
    ):
        vars(model)["_rows"] = replace(rows, **change)
        with pytest.raises(SavedModelError):
            model._check_fitted_state()


def test_an_empty_document_has_neighbours_by_cosine():
    words = sparse.csr_array(np.array([[1.0, 2, 0], [0, 0, 0], [0, 1, 3], [2, 4, 0], [0, 0, 0]]))
    y = ["a", "b", "c", "a", "b"]
    for x in (words, words.toarray()):
        model = KNeighborsClassifier(n_neighbors=2, metric="cosine", weights="distance").fit(x, y)
        theirs = SkNeighbors(n_neighbors=2, metric="cosine").fit(words.toarray(), y)
        assert model.predict(x)[[0, 2, 3]].tolist() == ["a", "c", "a"]
        distances, rows = model.kneighbors(x)
        np.testing.assert_allclose(distances, theirs.kneighbors(words.toarray())[0], atol=1e-15)
        assert distances[1].tolist() == [1, 1]
        assert rows[1].tolist() == [0, 1]
        assert model.kneighbors()[1][1].tolist() == [0, 2]
        np.testing.assert_allclose(model.predict_proba(x[[1]]).sum(), 1)
        assert model.explain(x[[1]])[0].prediction in ("a", "b", "c")


@pytest.mark.parametrize("index", ["auto", "brute", "vp_tree"])
def test_a_function_sees_labels_that_fitting_never_saw(index):
    def first_letters(a, b):
        seen.append((a[1], b[1]))
        return float(a[1] is None or b[1] is None) * 5 + float(str(a[1])[0] != str(b[1])[0])

    seen = []
    table = {"x": [1.0, None, 3.0, 4.0], "town": ["Bern", "Basel", "Chur", None]}
    model = KNeighborsClassifier(n_neighbors=2, metric=first_letters, index=index).fit(table, ["b", "b", "c", "c"])
    seen.clear()
    assert model.predict({"town": ["Burgdorf"], "x": [1.0]}).tolist() == ["b"]
    assert {a for a, _ in seen} == {"Burgdorf"}
    assert {b for _, b in seen} >= {"Bern", "Basel"}
    seen.clear()
    model.predict({"x": [1.0], "town": [None]})
    assert {a for a, _ in seen} == {None}
    assert model.explain({"x": [1.0], "town": ["Burgdorf"]})[0].prediction == "b"


def test_a_function_sees_unseen_labels_in_clusters_and_between_tables():
    def first_letters(a, b):
        return float(str(a[0])[0] != str(b[0])[0])

    table = {"town": ["Bern", "Basel", "Chur", "Churwalden"]}
    for model in (
        learnt.KMedoids(2, metric=first_letters),
        learnt.DBSCAN(0.5, min_samples=2, metric=first_letters),
        learnt.AgglomerativeClustering(2, metric=first_letters, linkage="average"),
    ):
        labels = model.fit(learnt.Table(table)).labels_
        assert model.predict({"town": ["Cazis", "Biel"]}).tolist() == [labels[2], labels[0]], model
    away = learnt.distance.pairwise(learnt.Table(table), learnt.Table({"town": ["Biel"]}), first_letters)
    assert away.ravel().tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("make", [KNeighborsClassifier, KNeighborsRegressor])
def test_rows_with_gaps_beside_others_whose_neighbours_tie_are_answered_as_each_alone(make, weights):
    """Ten rows at each of three places: both kinds of rows look for more within a radius of their own."""
    x = np.repeat([[0.0, 1.0], [1.0, 0.0], [2.0, 5.0]], 10, axis=0)
    y = np.repeat([1.0, 2.0, 3.0], 10)
    asked = np.array([[0.0, 1.0], [np.nan, 0.0], [1.0, np.nan], [2.0, 5.0], [np.nan, np.nan], [1.5, 2.0]])
    model = make(weights=weights).fit(x, y)
    alone = [model.predict(row[None])[0] for row in asked]
    np.testing.assert_allclose(model.predict(asked), alone, rtol=1e-12)
    assert model.predict(asked[[0, 1]]).tolist() == alone[:2]


def test_a_missing_cell_beside_ties_does_not_fail_the_other_rows():
    x = np.repeat([0.0, 1.0, 2.0], 10)[:, None]
    model = KNeighborsClassifier().fit(x, np.repeat(list("abc"), 10))
    assert model.predict([[0.0], [np.nan]]).tolist() == ["a", "a"]
    near = KNeighborsClassifier(radius=0.2).fit(x, np.repeat(list("abc"), 10))
    assert near.predict([[np.nan], [1.0], [2.0]]).tolist() == ["a", "b", "c"]

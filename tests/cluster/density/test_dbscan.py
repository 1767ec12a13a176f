"""DBSCAN against scikit-learn, its definition, and awkward data."""

import matplotlib as mpl
import numpy as np
import pytest
import sklearn.cluster
import sklearn.neighbors
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist, squareform

import learnt
from learnt import DBSCAN, suggest_eps
from learnt.cluster import nearest_rows
from learnt.cluster.hierarchy.hierarchy import by_first_row
from learnt.errors import InputError, ParameterError

mpl.use("Agg")


def moons(n=400, seed=0, p=2):
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, np.pi, n)
    side = np.arange(n) % 2
    x = np.column_stack([np.cos(angle) * (1 - 2 * side) + side, np.sin(angle) * (1 - 2 * side) + side / 2])
    x = np.hstack([x, np.zeros((n, p - 2))]) + 0.08 * rng.normal(size=(n, p))
    x[: n // 20] = rng.uniform(-2, 3, (n // 20, p))
    return x


def assert_same(ours, theirs):
    assert_array_equal(ours.labels_, by_first_row(theirs.labels_))
    assert_array_equal(ours.core_sample_indices_, theirs.core_sample_indices_)


@pytest.mark.parametrize("seed", range(30))
def test_labels_and_cores_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(1, 500)), int(rng.integers(1, 6))
    x = rng.normal(size=(n, p)) * rng.choice([0.5, 2])
    if seed % 3 == 0:  # ties and copies
        x = np.round(x * 2) / 2
    ours, theirs = [("euclidean",) * 2, ("manhattan",) * 2, ("chebyshev",) * 2][seed % 3]
    eps, least = float(rng.choice([0.3, 0.5, 1.0])), int(rng.integers(1, 9))
    weights = rng.integers(1, 4, n).astype(float) if seed % 2 else None
    wanted = sklearn.cluster.DBSCAN(eps=eps, min_samples=least, metric=theirs, algorithm="brute").fit(x, None, weights)
    for dtype in (np.float64, np.float32) if seed % 3 == 0 else (np.float64,):
        model = DBSCAN(eps, min_samples=least, metric=ours).fit(x.astype(dtype), sample_weight=weights)
        assert_same(model, wanted)
        assert_array_equal(model.predict(x), model.labels_)
    square = squareform(pdist(x, "cityblock" if theirs == "manhattan" else theirs)) if n > 1 else np.zeros((1, 1))
    assert_same(DBSCAN(eps, min_samples=least, metric="precomputed").fit(square, sample_weight=weights), wanted)


@pytest.mark.parametrize("cells", [1, 1000])
def test_lists_cut_into_blocks_give_the_same_clusters(cells, monkeypatch):
    square = squareform(pdist(moons(150)))
    wanted = DBSCAN(0.2, metric="precomputed").fit(square)
    monkeypatch.setattr("learnt.cluster.density.dbscan.CELLS", cells)
    monkeypatch.setattr(nearest_rows, "CELLS", cells)
    found = DBSCAN(0.2, metric="precomputed").fit(square)
    assert_array_equal(found.labels_, wanted.labels_)
    assert_array_equal(found.kind_, wanted.kind_)


def test_many_rows_give_the_clusters_of_scikit_learn_with_any_number_of_threads():
    x = moons(20_000, p=3)
    wanted = sklearn.cluster.DBSCAN(eps=0.03, min_samples=8).fit(x)
    assert len(np.unique(wanted.labels_)) > 20
    for threads in (1, 3):
        with learnt.threads(threads):
            assert_same(DBSCAN(0.03, min_samples=8).fit(x), wanted)


def test_core_border_and_noise_are_told_apart():
    model = DBSCAN(1.0, min_samples=3).fit([[0.0], [1.0], [2.0], [5.0], [9.0], [9.5], [10.0]])
    assert model.kind_.tolist() == ["border", "core", "border", "noise", "core", "core", "core"]
    assert model.core_sample_indices_.tolist() == [1, 4, 5, 6]
    assert model.labels_.tolist() == [0, 0, 0, -1, 1, 1, 1]
    assert str(model).startswith("2 clusters of 3, 3 rows: 4 cores, 2 at borders, 1 noise")


def test_a_row_at_two_borders_belongs_to_the_cluster_whose_first_core_comes_first_also_when_predicted():
    left, right = [[0.0], [0.3], [0.6]], [[2.0], [2.3], [2.6]]
    between = [[1.35]]  # nearer to the right, within eps of both
    for rows, wanted in ((left + right + between, 0), (right + left + between, 0), (between + right + left, 0)):
        model = DBSCAN(0.8, min_samples=4).fit(
            np.repeat(rows, [2] * 6 + [1] if rows[-1] == [1.35] else [1] + [2] * 6, axis=0)
        )
        labels = model.labels_
        assert labels[0 if rows[0] == [1.35] else -1] == wanted
        assert model.predict([[1.35]]).tolist() == [wanted]


def test_a_new_row_belongs_to_the_nearest_core_within_eps_or_is_noise():
    x = moons()
    model = DBSCAN(0.2).fit(x)
    new = moons(300, seed=5)
    away = np.sqrt(((new[:, None] - x[model.core_sample_indices_]) ** 2).sum(2))
    wanted = np.where(away.min(1) <= 0.2, model.labels_[model.core_sample_indices_][away.argmin(1)], -1)
    assert_array_equal(model.predict(new), wanted)


def test_explanations_tell_density_and_the_nearest_core():
    model = DBSCAN(1.0, min_samples=3).fit({"a": [0.0, 0.5, 1.0, 9.0]})
    inside, outside = model.explain({"a": [0.6, 7.0]})
    assert (inside.prediction, inside.around, inside.nearest_core) == (0, 3.0, 1)
    assert "enough for a core" in str(inside)
    assert (outside.prediction, outside.around, outside.nearest_core, outside.distance) == (-1, 0.0, 2, 6.0)
    assert "too few" in str(outside)
    assert "beyond eps" in str(outside)
    assert "a = 7, there 1" in str(outside)
    assert "<li>" in outside._repr_html_()
    alone = DBSCAN(1.0, min_samples=9).fit([[0.0], [5.0]]).explain([[0.0]])[0]
    assert "no core at all" in str(alone)
    assert alone.to_dict()["distance"] is None


def test_weights_count_as_copies_and_rows_without_weight_are_no_neighbours():
    x, w = moons(120), np.random.default_rng(1).integers(1, 4, 120)
    one = DBSCAN(0.2, min_samples=6).fit(x, sample_weight=w.astype(float))
    two = DBSCAN(0.2, min_samples=6).fit(np.repeat(x, w, axis=0))
    assert_array_equal(np.repeat(one.labels_, w), two.labels_)
    assert_array_equal(np.repeat(one.kind_, w), two.kind_)
    assert_allclose(one.neighbors_within(x), two.neighbors_within(x))
    model = DBSCAN(1.0, min_samples=3).fit([[0.0], [0.5], [1.0], [1.5]], sample_weight=[1, 1, 1, 0])
    assert model.kind_.tolist() == ["core", "core", "core", "border"]
    x = np.array([[0.0], [0.5], [1.0], [1.5], [9.0]])
    given = DBSCAN(1.0, min_samples=3, metric="precomputed").fit(np.abs(x - x.T), sample_weight=[1, 1, 1, 0, 0])
    assert given.kind_.tolist() == ["core", "core", "core", "border", "noise"]
    assert DBSCAN(1.0, min_samples=4).fit([[0.0], [0.5], [1.0], [1.2]], sample_weight=[1, 1, 1, 0]).n_clusters_ == 0


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_very_large_and_small_numbers_are_no_matter(scale):
    x = moons(200)
    assert_array_equal(DBSCAN(0.2 * scale).fit(x * scale).labels_, DBSCAN(0.2).fit(x).labels_)


def test_one_row_copies_alone_and_noise_alone():
    assert DBSCAN(min_samples=1).fit([[1.0]]).labels_.tolist() == [0]
    alone = DBSCAN().fit([[1.0]])
    assert alone.labels_.tolist() == [-1]
    assert alone.predict([[1.0]]).tolist() == [-1]
    assert alone.n_clusters_ == 0
    copies = DBSCAN(1e-9).fit(np.ones((1000, 2)))
    assert copies.n_clusters_ == 1
    assert len(copies.core_sample_indices_) == 1000


@pytest.mark.parametrize("metric", ["auto", "mixed"])
def test_mixed_tables_with_missing_cells_have_dense_places_too(metric):
    table = learnt.datasets.load("labor")
    model = DBSCAN(3.0 if metric == "auto" else 6.0, min_samples=3, metric=metric).fit(table)
    assert model.n_clusters_ >= 1
    assert_array_equal(model.predict(table), model.labels_)


def test_texts_and_functions_are_taken():
    words = {"word": ["kitten", "mitten", "bitten", "banana"]}
    assert DBSCAN(1.0, min_samples=3, metric="levenshtein").fit(words).labels_.tolist() == [0, 0, 0, -1]
    far = DBSCAN(1.0, min_samples=2, metric=lambda a, b: abs(a[0] - b[0])).fit([[0.0], [1.0], [5.0]])
    assert far.labels_.tolist() == [0, 0, -1]


def test_cosine_distances_are_those_of_scikit_learn():
    x = moons(200) + 3
    wanted = sklearn.cluster.DBSCAN(eps=0.0005, metric="cosine").fit(x)
    assert_same(DBSCAN(0.0005, metric="cosine").fit(x), wanted)


def test_wrong_settings_and_data_are_told():
    for settings, words in (({"eps": 0}, "eps=0 is not allowed"), ({"min_samples": 0}, "min_samples=0 is not allowed")):
        with pytest.raises(ParameterError, match=words):
            DBSCAN(**settings).fit(moons(9))
    with pytest.raises(InputError, match="a square, n × n"):
        DBSCAN(metric="precomputed").fit(moons(9))
    with pytest.raises(InputError, match="needs finite numbers"):
        DBSCAN(metric="euclidean").fit([[1.0], [np.nan]])
    model = DBSCAN(metric="precomputed").fit(squareform(pdist(moons(9))))
    with pytest.raises(InputError, match="cannot place new rows"):
        model.predict(np.zeros((1, 9)))


# How near neighbours are


def test_the_curve_holds_the_distances_to_the_nearest_rows_and_eps_lies_on_it():
    x = moons()
    found = suggest_eps(x, 5)
    wanted = np.sort(sklearn.neighbors.NearestNeighbors(n_neighbors=5).fit(x).kneighbors(x)[0][:, -1])
    assert_allclose(found.distances, wanted, rtol=1e-12)
    assert_allclose(suggest_eps(squareform(pdist(x)), 5, metric="precomputed").distances, wanted, rtol=1e-12)
    assert found.eps in found.distances
    model = DBSCAN(found.eps, min_samples=5).fit(x)
    assert len(model.core_sample_indices_) == round(found.share * len(x))
    assert model.n_clusters_ == 2


def test_the_curve_is_drawn_and_said():
    found = suggest_eps(moons(), 5)
    axes = found.plot()
    axes.figure.canvas.draw()
    assert axes.get_ylabel() == "distance that holds 5 rows, itself counted"
    mpl.pyplot.close(axes.figure)
    assert str(found).startswith("eps = 0.")


def test_suggestions_that_make_no_sense_are_told_and_copies_have_one():
    with pytest.raises(ParameterError, match="min_samples is 1"):
        suggest_eps(moons(9), 1)
    with pytest.raises(InputError, match="There are 3 rows, fewer than min_samples=5"):
        suggest_eps(moons(3))
    assert suggest_eps(np.ones((9, 2)), 3).eps == 0


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("eps", "least"), [(0.05, 4), (0.02, 3), (1.002, 25)])
@pytest.mark.parametrize("seed", range(3))
def test_explanations_say_of_every_row_what_its_kind_is(seed, eps, least, weighted):
    rng = np.random.default_rng(seed)
    n = 60
    town = rng.choice(["Bern", "Basel", "Chur"], n).astype(object)
    town[rng.random(n) < 0.3] = None
    x = np.round(rng.normal(size=n), 1)
    x[rng.random(n) < 0.3] = np.nan
    table = learnt.Table({"x": x, "town": town.tolist()}).take(np.concatenate([np.arange(n), rng.integers(0, n, 40)]))
    w = rng.choice([0.5, 1.0, 3.0], 100) if weighted else None
    model = DBSCAN(eps=eps, min_samples=least).fit(table, sample_weight=w)
    assert {"core", "noise"} <= set(model.kind_) or eps > 1
    found = model.explain(table)
    around = model.neighbors_within(table)
    for i, kind in enumerate(model.kind_):
        told = found[i]
        assert told.prediction == model.labels_[i]
        assert told.around == around[i]
        assert (told.around >= least) == (kind == "core")
        assert (told.distance <= eps) == (kind != "noise")
        assert ("enough for a core" in str(told)) == (kind == "core")
        if kind == "core" and (table.columns[0].missing[i] or table.columns[1].missing[i]):
            assert told.distance == 0
            one, other = (row.to_dict() for row in (table[i : i + 1], table[told.nearest_core : told.nearest_core + 1]))
            assert one == other


def test_a_row_with_missing_cells_twice_is_a_weight_of_two():
    table = learnt.Table({"x": [0.0, None, None, 0.1, 9.0], "town": ["Bern", "Chur", "Chur", "Bern", "Basel"]})
    twice = DBSCAN(eps=0.1, min_samples=2).fit(table)
    heavy = DBSCAN(eps=0.1, min_samples=2).fit(table.take([0, 1, 3, 4]), sample_weight=[1, 2, 1, 1])
    assert twice.kind_[[0, 1, 3, 4]].tolist() == heavy.kind_.tolist()
    assert twice.kind_[1] == twice.kind_[2] == "core"
    assert_array_equal(twice.labels_[[0, 1, 3, 4]], heavy.labels_)

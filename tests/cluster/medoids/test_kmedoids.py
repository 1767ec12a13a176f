"""k-medoids: the definition, the package kmedoids' losses, any metric, hostile shapes."""

import itertools
import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

import learnt
from learnt import KMedoids, Table
from learnt.errors import ConvergenceWarning, InputError, ParameterError, SavedModelError

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(c, 1.0, (30, 3)) for c in (0, 4, 8)])


def loss(d, rows, w=None):
    return float(np.average(d[rows].min(axis=0), weights=w) * (len(d) if w is None else np.sum(w)))


@pytest.mark.parametrize("method", ["fasterpam", "pam", "alternate"])
@pytest.mark.parametrize("init", ["build", "k-medoids++", "random"])
def test_labels_and_loss_are_those_of_the_medoids(method, init):
    model = KMedoids(3, method=method, init=init, random_state=0).fit(X)
    d = cdist(X, X)
    assert model.loss_ == pytest.approx(loss(d, model.medoid_indices_), rel=1e-12)
    np.testing.assert_array_equal(model.labels_, d[model.medoid_indices_].argmin(axis=0))
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.medoid_rows_.matrix, X[model.medoid_indices_])
    np.testing.assert_allclose(model.transform(X), d[:, model.medoid_indices_])
    assert model.converged_


@pytest.mark.parametrize("seed", range(4))
def test_few_rows_get_the_best_medoids_of_all(seed):
    x = np.random.default_rng(seed).normal(size=(12, 2))
    d = cdist(x, x)
    best = min(loss(d, list(rows)) for rows in itertools.combinations(range(12), 3))
    found = min(KMedoids(3, init="random", n_init=20, random_state=0).fit(x).loss_, KMedoids(3).fit(x).loss_)
    assert found == pytest.approx(best, rel=1e-12)


def test_no_swap_is_left_that_pays():
    d = cdist(X, X)
    for method in ("fasterpam", "pam"):
        model = KMedoids(5, method=method, init="random", random_state=3).fit(X)
        rows = model.medoid_indices_
        for i, c in itertools.product(range(5), range(len(X))):
            assert loss(d, [*rows[:i], c, *rows[i + 1 :]]) >= model.loss_ * (1 - 1e-9)


def test_losses_are_those_of_the_package_kmedoids():
    """FasterPAM of the package from the same start: noted down, seeds 0 to 3 of 300 × 4 normal numbers, k = 7."""
    for seed, expected in enumerate(KMEDOIDS_PACKAGE):
        rng = np.random.default_rng(seed)
        x, start = rng.normal(size=(300, 4)), rng.choice(300, 7, replace=False)
        assert KMedoids(7, init=start).fit(x).loss_ <= expected * (1 + 1e-9)


KMEDOIDS_PACKAGE = (372.76178389974024, 374.62316453354055, 382.4764318082035, 378.62521312573915)


def test_weights_are_copies():
    w = RNG.integers(0, 4, len(X))
    weighted, copied = KMedoids(4).fit(X, sample_weight=w), KMedoids(4).fit(np.repeat(X, w, axis=0))
    assert weighted.loss_ == pytest.approx(copied.loss_, rel=1e-12)
    np.testing.assert_array_equal(weighted.medoid_rows_.matrix, copied.medoid_rows_.matrix)
    np.testing.assert_array_equal(weighted.predict(X), copied.predict(X))
    assert (w[weighted.medoid_indices_] > 0).all()


def test_given_distances_give_the_groups_of_the_rows_they_are_of():
    d = cdist(X, X)
    given, own = KMedoids(3, metric="precomputed").fit(d), KMedoids(3).fit(X)
    np.testing.assert_array_equal(given.labels_, own.labels_)
    np.testing.assert_array_equal(given.medoid_indices_, own.medoid_indices_)
    with pytest.raises(InputError, match="never saw rows"):
        given.predict(d)
    with pytest.raises(InputError, match="never saw rows"):
        given.medoid_rows_
    assert "3 medoids of 90 rows" in str(given)
    w = np.arange(90) % 3
    np.testing.assert_array_equal(
        KMedoids(3, metric="precomputed").fit(d, sample_weight=w).labels_, KMedoids(3).fit(X, sample_weight=w).labels_
    )
    with pytest.raises(InputError, match="symmetric"):
        KMedoids(3, metric="precomputed").fit(np.triu(d))


def test_texts_mixed_tables_and_functions_are_clustered():
    words = KMedoids(2, metric="levenshtein").fit({"w": ["kitten", "mitten", "bitten", "house", "mouse", "spouse"]})
    assert words.labels_.tolist() == [0, 0, 0, 1, 1, 1] or words.labels_.tolist() == [1, 1, 1, 0, 0, 0]
    # Texts that fitting never saw are compared all the same.
    assert words.predict({"w": ["smitten", "blouse"]}).tolist() == [words.labels_[0], words.labels_[3]]
    table = learnt.datasets.load("labor")
    model = KMedoids(3).fit(table)
    np.testing.assert_array_equal(model.predict(table), model.labels_)
    rows = table.drop(table.target)
    d = model._metric.distances(rows, rows)
    assert model.loss_ == pytest.approx(float(d[:, model.medoid_indices_].min(axis=1).sum()))
    own = KMedoids(3, metric=lambda a, b: float(np.abs(a - b).sum())).fit(X)
    np.testing.assert_array_equal(own.labels_, KMedoids(3, metric="manhattan").fit(X).labels_)


def test_a_sample_finds_medoids_nearly_as_good():
    x = np.concatenate([RNG.normal(c, 1.0, (500, 2)) for c in (0, 6, 12)])
    whole, some = KMedoids(3).fit(x), KMedoids(3, sample=120, n_init=5, random_state=0).fit(x)
    assert whole.loss_ <= some.loss_ <= 1.05 * whole.loss_
    d = cdist(x, x[some.medoid_indices_])
    assert some.loss_ == pytest.approx(d.min(axis=1).sum())
    np.testing.assert_array_equal(some.labels_, d.argmin(axis=1))
    with pytest.raises(ParameterError, match="Draw more rows"):
        KMedoids(3, sample=2).fit(x)


@pytest.mark.parametrize("settings", [{"init": "random", "method": "alternate"}, {"sample": 20, "init": "random"}])
def test_the_best_of_several_starts_is_kept(settings):
    better = 0
    for seed in range(4):
        losses = [KMedoids(6, n_init=n, random_state=seed, **settings).fit(X).loss_ for n in (1, 2, 4, 8)]
        assert losses == sorted(losses, reverse=True)
        better += losses[-1] < losses[0]
    assert better


def test_too_many_rows_are_refused_with_the_way_out(monkeypatch):
    monkeypatch.setattr("learnt.distance.precomputed._free_memory", lambda: 1000.0)
    with pytest.raises(InputError, match=r"n=90 needs .* Set sample="):
        KMedoids(3).fit(X)


def test_explanations_add_up_to_the_distance():
    table = Table({"size": [1.0, 1.2, None, 9.0], "town": ["Bern", "Bern", "Basel", "Basel"]})
    model = KMedoids(2).fit(table)
    for told in model.explain(table):
        assert told.add_up() == pytest.approx(told.total)
    row = model.explain(table)[0]
    assert row.total == pytest.approx(float(np.asarray(model.transform(table))[0].min()) ** 2)
    for metric, power in (("manhattan", 1), ("minkowski", 2), ("chebyshev", 1), ("cosine", 1), ("euclidean", 2)):
        model = KMedoids(3, metric=metric).fit(X + 10)
        for i, told in enumerate(model.explain(X[:5] + 10)):
            assert told.add_up() == pytest.approx(told.total)
            assert told.total == pytest.approx(float(model.transform(X[:5] + 10)[i].min()) ** power)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_scales_do_not_matter(scale):
    np.testing.assert_array_equal(KMedoids(3).fit(X * scale).labels_, KMedoids(3).fit(X).labels_)


def test_hostile_shapes():
    with pytest.raises(InputError, match="n_samples=2"):
        KMedoids(3).fit(X[:2])
    with pytest.warns(ConvergenceWarning, match="Only 1 of 2"):
        model = KMedoids(2).fit(np.ones((5, 2)))
    assert model.labels_.tolist() == [0] * 5
    assert model.loss_ == 0
    assert KMedoids(1).fit(X[:1]).labels_.tolist() == [0]
    one = KMedoids(1).fit(X)
    assert one.medoid_indices_[0] == cdist(X, X).sum(axis=0).argmin()
    assert KMedoids(1, init=[5]).fit(X).medoid_indices_[0] == one.medoid_indices_[0]
    everyone = KMedoids(90).fit(X)
    assert everyone.loss_ == 0
    assert sorted(everyone.medoid_indices_) == list(range(90))
    with pytest.raises(InputError, match="sparse"):
        KMedoids(2).fit(csr_array(X))
    with pytest.raises(ParameterError, match="3 different ones"):
        KMedoids(3, init=[1, 1, 2]).fit(X)
    with pytest.raises(ParameterError, match="below 90"):
        KMedoids(3, init=[1, 2, 90]).fit(X)
    with pytest.raises(InputError, match="says that two rows are nan apart"):
        KMedoids(2, metric=lambda a, b: float("nan")).fit(X[:4])
    with pytest.warns(ConvergenceWarning, match="after 1 rounds"):
        KMedoids(9, init="random", max_iter=1, random_state=0).fit(X)


def test_any_number_of_threads_gives_the_same_bits():
    x = np.random.default_rng(1).normal(size=(700, 2))
    found = []
    for n in (1, 3):
        with learnt.threads(n):
            model = KMedoids(12, init="random", random_state=0).fit(x)
            found.append((model.medoid_indices_.tobytes(), model.labels_.tobytes(), model.loss_))
    assert found[0] == found[1]


def test_steps_are_told():
    with learnt.watch() as log:
        KMedoids(5, init="random", random_state=0).fit(X)
    assert log["objective"] == sorted(log["objective"], reverse=True)
    assert log.steps[0].learner == "KMedoids"


def test_a_model_is_kept_in_a_file_and_a_wrong_one_is_refused(tmp_path):
    table = learnt.datasets.load("labor")
    model = KMedoids(3).fit(table)
    learnt.save(model, tmp_path / "m.learnt")
    again = learnt.load(tmp_path / "m.learnt")
    np.testing.assert_array_equal(again.predict(table), model.labels_)
    for name, value in (
        ("medoid_indices_", np.array([0, 1, 99])),
        ("labels_", np.full(57, 3, np.int32)),
        ("labels_", np.zeros(0, np.int32)),
        ("_medoids", None),
        ("_metric", None),
        ("loss_", float("nan")),
        ("n_clusters", 0),
    ):
        broken = KMedoids(3).fit(table)
        setattr(broken, name, value)
        with pytest.raises(SavedModelError):
            broken._check_fitted_state()
    given = KMedoids(3, metric="precomputed").fit(cdist(X, X))
    learnt.save(given, tmp_path / "d.learnt")
    np.testing.assert_array_equal(learnt.load(tmp_path / "d.learnt").labels_, given.labels_)


def test_starts_far_apart_follow_distance_and_weight():
    from learnt.cluster.medoids.search import spread_rows

    x = np.array([[0.0], [0.1], [0.2], [100.0]])
    d, w = cdist(x, x), np.array([1.0, 1.0, 1.0, 1e-6])
    seconds = [spread_rows(d, None, 2, np.random.default_rng(s)) for s in range(200)]
    assert np.mean([3 in rows for rows in seconds]) > 0.95
    firsts = [spread_rows(d, w, 1, np.random.default_rng(s))[0] for s in range(200)]
    assert 3 not in firsts
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sorted(spread_rows(np.zeros((3, 3)), None, 3, np.random.default_rng(0))) == [0, 1, 2]
        for seed in range(20):  # rows with gaps are at a distance from themselves, and yet no row is drawn twice
            assert sorted(spread_rows(np.ones((3, 3)), None, 3, np.random.default_rng(seed))) == [0, 1, 2]


def test_alternating_takes_no_row_for_two_clusters_where_rows_are_alike():
    """All copies of a row lie in the first cluster of those that stand at it, the other's own medoid too."""
    model = KMedoids(2, init=[1, 0], method="alternate").fit([[0.0], [0.0], [5.0]])
    assert len(set(model.medoid_indices_.tolist())) == 2

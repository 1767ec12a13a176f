"""Clusters beside classes, and the figures of their agreement against scikit-learn's."""

import numpy as np
import pytest
import sklearn.metrics as sk
from scipy.optimize import linear_sum_assignment

import learnt.evaluate.metrics as metrics
from learnt import compare_clusters
from learnt.errors import InputError, LearntError, ParameterError

NAMES = (
    "rand_score",
    "adjusted_rand_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "adjusted_mutual_info_score",
    "homogeneity_score",
    "completeness_score",
    "v_measure_score",
    "fowlkes_mallows_score",
)
SHAPES = [(1, 1, 1), (2, 1, 2), (2, 2, 1), (10, 3, 4), (100, 5, 1), (500, 20, 7), (300, 300, 10), (40, 40, 40)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", SHAPES)
def test_metrics_are_those_of_scikit_learn(name, shape):
    n, a, b = shape
    rng = np.random.default_rng(n)
    for _ in range(3):
        one, other = rng.integers(0, a, n), rng.integers(0, b, n)
        found = getattr(metrics, name)(one, other)
        assert found == pytest.approx(getattr(sk, name)(one, other), abs=1e-12)
        assert getattr(metrics, name)(one, one * 7 % 1009) == pytest.approx(getattr(sk, name)(one, one), abs=1e-12)


@pytest.mark.parametrize("method", ["arithmetic", "geometric", "min", "max"])
def test_means_of_entropies_are_those_of_scikit_learn(method):
    rng = np.random.default_rng(1)
    one, other = rng.integers(0, 6, 200), rng.integers(0, 3, 200)
    for name in ("normalized_mutual_info_score", "adjusted_mutual_info_score"):
        found = getattr(metrics, name)(one, other, average_method=method)
        assert found == pytest.approx(getattr(sk, name)(one, other, average_method=method), abs=1e-12)
    assert metrics.v_measure_score(one, other, beta=0.5) == pytest.approx(sk.v_measure_score(one, other, beta=0.5))


def test_counts_of_a_hundred_million_rows_do_not_overflow():
    one = np.repeat([0, 1], 50_000)
    table = metrics.clusters.shared_counts(one, one)
    many = type(table)(table.first, table.second, table.counts * 1000, table.sizes * 1000, table.others * 1000)
    assert metrics.clusters.partitions.adjusted_rand_index(many) == 1.0


def test_labels_of_different_kinds_are_compared():
    assert metrics.adjusted_rand_score(["a", "a", "b"], [5, 5, 2]) == 1
    assert metrics.purity_score(["a", "a", "b", "b"], [0, 0, 0, 1]) == 0.75
    with pytest.raises(ParameterError, match="3 rows"):
        metrics.rand_score([0, 1, 1], [0, 1])
    with pytest.raises(ParameterError, match="average_method"):
        metrics.normalized_mutual_info_score([0], [0], average_method="median")


def test_the_table_counts_rows_and_pairs_clusters_with_classes():
    rng = np.random.default_rng(0)
    labels, classes = rng.integers(-1, 4, 200), np.array(["x", "y", "z"])[rng.integers(0, 3, 200)]
    found = compare_clusters(labels, classes)
    assert found.clusters.tolist() == [-1, 0, 1, 2, 3]
    for r, cluster in enumerate(found.clusters):
        for c, name in enumerate(found.classes):
            assert found.counts[r, c] == ((labels == cluster) & (classes == name)).sum()
    rows, columns = linear_sum_assignment(-found.counts)
    assert found.matched == pytest.approx(found.counts[rows, columns].sum() / 200)
    assert found.assignment == {found.clusters[r]: found.classes[c] for r, c in zip(rows, columns, strict=True)}
    assert found.purity == pytest.approx(found.counts.max(axis=1).sum() / 200)
    for name, value in (
        ("adjusted_rand", sk.adjusted_rand_score(classes, labels)),
        ("homogeneity", sk.homogeneity_score(classes, labels)),
        ("completeness", sk.completeness_score(classes, labels)),
        ("v_measure", sk.v_measure_score(classes, labels)),
        ("fowlkes_mallows", sk.fowlkes_mallows_score(classes, labels)),
        ("normalized_information", sk.normalized_mutual_info_score(classes, labels)),
        ("adjusted_information", sk.adjusted_mutual_info_score(classes, labels)),
    ):
        assert getattr(found, name) == pytest.approx(value, abs=1e-12)
        assert found.to_dict()[name] == getattr(found, name)


def test_the_text_shows_the_largest_of_many():
    found = str(compare_clusters(np.arange(300) % 50, [f"class {i % 30}\n" for i in range(300)]))
    assert "30 smaller clusters and 10 smaller classes not shown" in found
    assert "class 0\\n" in found


def test_rows_must_pair_up():
    with pytest.raises(InputError, match="labels has 2 rows, classes has 3"):
        compare_clusters([0, 1], ["a", "b", "c"])
    with pytest.raises(LearntError):
        compare_clusters([], [])

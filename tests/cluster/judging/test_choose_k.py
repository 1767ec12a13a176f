"""choose_k against plain definitions of its criteria, and on tables with and without clusters."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import silhouette_score

import learnt
from learnt import KMeans, choose_k
from learnt.cluster.judging.k_criteria import elbow, gap_statistic, split_clusters, uniform_rows
from learnt.errors import InputError, ParameterError

mpl.use("Agg")


def three(n=25, spread=1.0, seed=0):
    rng = np.random.default_rng(seed)
    return np.repeat([[0.0, 0], [9, 0], [0, 9]], n, axis=0) + spread * rng.normal(size=(3 * n, 2))


def fit(x, weights, k):
    model = KMeans(k, n_init=3, random_state=0).fit(x, sample_weight=weights)
    return model.inertia_, model.labels_


@pytest.fixture(scope="module")
def found():
    return choose_k(three(), range(1, 7), random_state=0)


def test_three_clear_clusters_are_found_by_every_criterion(found):
    assert dict(found.choices) == {"silhouette": 3, "elbow": 3, "gap": 3, "split": 3}
    assert found.best == 3
    assert found.doubt == "All criteria agree on 3."


def test_the_table_holds_inertia_and_silhouette_of_each_k(found):
    table = found.table
    assert table.names == ("k", "inertia", "silhouette", "gap", "gap error")
    assert_array_equal(table["k"].values, range(1, 7))
    whole = three() - three().mean(axis=0)
    assert found.inertia[0] == pytest.approx((whole**2).sum())
    labels = KMeans(3, n_init=3, random_state=0).fit(three()).labels_
    assert found.silhouette[2] == pytest.approx(silhouette_score(three(), labels))
    assert np.isnan(found.silhouette[0])


def test_the_gap_is_that_of_its_definition():
    x, k = three(12), (1, 2, 3, 4)
    inertia = np.array([fit(x, None, number)[0] for number in k])
    draw = uniform_rows(x, np.array([-1, -1]))
    gap = gap_statistic(inertia, k, fit, draw, None, 6, np.random.default_rng(5))
    rng = np.random.default_rng(5)
    logs = np.array([[np.log(fit(table, None, number)[0]) for number in k] for table in (draw(rng) for _ in range(6))])
    assert_allclose(gap.value, logs.mean(axis=0) - np.log(inertia), rtol=1e-12)
    assert_allclose(gap.error, logs.std(axis=0) * np.sqrt(1 + 1 / 6), rtol=1e-12)
    rule = [a for a in range(3) if gap.value[a] >= gap.value[a + 1] - gap.error[a + 1]]
    assert gap.best(k) == k[rule[0]] == 3


def test_tables_without_clusters_fill_the_box_of_the_principal_axes():
    rng = np.random.default_rng(0)
    turn = np.array([[0.8, -0.6], [0.6, 0.8]])
    x = rng.uniform([-5, -1], [5, 1], (500, 2)) @ turn
    drawn = uniform_rows(x, np.array([-1, -1]))(rng) @ turn.T
    assert_allclose(np.abs(drawn).max(axis=0), [5, 1], rtol=0.1)
    blocks = np.column_stack([x, np.eye(3)[rng.integers(3, size=500)]])
    drawn = uniform_rows(blocks, np.array([-1, -1, 7, 7, 7]))(rng)
    assert_array_equal(drawn[:, 2:].sum(axis=1), 1)  # a category is drawn as a whole


def test_the_elbow_is_farthest_from_the_chord():
    assert elbow((1, 2, 3, 4), np.array([10.0, 9.0, 2.0, 1.0])) == 3
    assert elbow((2, 4), np.array([5.0, 1.0])) == 2
    assert elbow((1, 2, 3), np.zeros(3)) == 1


def test_one_normal_distribution_is_not_split_however_long_it_is():
    rng = np.random.default_rng(1)
    kept = 0
    for _ in range(10):
        x = rng.normal(size=(80, 3)) * [8, 1, 1]
        count, tests = split_clusters(x, None, fit, most=5, level=0.05, draws=12, rng=rng)
        kept += count > 1
        assert tests[0].rows == 80
    assert kept <= 2
    count, tests = split_clusters(three(), None, fit, most=9, level=0.01, draws=12, rng=rng)
    assert count == 3
    assert [test.kept for test in tests].count(True) == 2
    assert tests[0].share == pytest.approx(fit(three(), None, 2)[0] / fit(three(), None, 1)[0])


def test_without_clusters_one_is_said_to_be_as_good():
    x = np.random.default_rng(0).normal(size=(120, 2))
    found = choose_k(x, range(1, 5), random_state=0)
    assert found.choices["gap"] == found.choices["split"] == 1
    assert "One cluster may be as good" in found.doubt
    assert "disagree" in found.doubt
    assert choose_k(x, range(1, 5), method="gap", random_state=0).best == 1


def test_the_largest_k_and_a_sample_are_told():
    x = np.repeat(three(20) * 4, 2, axis=0) + np.random.default_rng(0).normal(size=(120, 2)) * 0.1
    found = choose_k(x, (2, 3), random_state=0, sample=100)
    assert "3 is the largest number tried" in found.doubt
    assert "Judged by 100 of 120 rows." in found.doubt
    assert found.best == 3


def test_a_row_of_weight_two_stands_there_twice():
    x = three(12)
    weights = np.random.default_rng(0).integers(1, 3, len(x)).astype(float)
    one = KMeans(n_init=3)
    weighted = choose_k(x, range(1, 5), model=one, sample_weight=weights, random_state=0)
    copied = choose_k(np.repeat(x, weights.astype(int), axis=0), range(1, 5), model=one, random_state=0)
    assert_allclose(weighted.inertia[:3], copied.inertia[:3], rtol=1e-9)
    assert_allclose(weighted.silhouette[1:3], copied.silhouette[1:3], rtol=1e-9)
    assert weighted.best == copied.best == 3


def test_mixed_tables_with_missing_cells_are_judged_as_kmeans_sees_them():
    frame = pd.DataFrame(three(), columns=["größe", "gewicht"])
    frame.loc[3, "größe"] = np.nan
    frame["ort"] = np.repeat(["Bern", "Genf", "Chur"], 25)
    found = choose_k(frame, range(1, 6), random_state=0)
    assert found.best == 3
    model = KMeans(3, n_init=3, random_state=0).fit(frame)
    assert found.inertia[2] == pytest.approx(model.inertia_)


def test_it_prints_draws_and_is_watched():
    with learnt.watch() as log:
        found = choose_k(three(10), range(1, 4), random_state=0)
    assert log["k"][:3] == [1, 2, 3]
    text = str(found)
    assert text.startswith("3 clusters by silhouette")
    assert "split" in text
    assert found.doubt in text
    axes = found.plot()
    assert [ax.get_ylabel() for ax in axes] == ["inertia", "mean silhouette", "gap ± error"]


@pytest.mark.parametrize(
    ("x", "words"),
    [
        (np.ones((5, 2)), "1 different rows"),
        ([[1.0]], "1 different rows"),
        ([[np.inf], [1.0]], "infinite"),
        (np.empty((0, 2)), "0 sample"),
    ],
)
def test_tables_without_two_different_rows_are_told(x, words):
    with pytest.raises(InputError, match=words):
        choose_k(x)


def test_copies_of_one_row_are_one_cluster_by_the_gap():
    found = choose_k(np.ones((6, 2)), method="gap", random_state=0)
    assert (found.best, found.k) == (1, (1,))


def test_wrong_arguments_are_told():
    with pytest.raises(ParameterError, match="method='bic'"):
        choose_k(three(), method="bic")
    with pytest.raises(ParameterError, match=r"k=\[0, 1\]"):
        choose_k(three(), [0, 1])
    with pytest.raises(ParameterError, match="Expected a KMeans"):
        choose_k(three(), model=3)
    with pytest.raises(ParameterError, match="categories='modes'"):
        choose_k(three(), model=KMeans(categories="modes"))
    with pytest.raises(InputError, match="fewer than each k"):
        choose_k([[1.0], [2.0]], [5])

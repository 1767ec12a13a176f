"""What makes clusters different: against plain NumPy, on all kinds of columns, and on awkward tables."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import learnt
from learnt.cluster.judging.traits import Trait
from learnt.errors import InputError

RNG = np.random.default_rng(3)


def trait(profile, cluster: int, column: str, what: str | None = None) -> Trait:
    return next(t for t in profile[cluster].traits if t.column == column and (what is None or t.what == what))


def test_the_effect_of_a_number_is_the_difference_of_means_in_standard_deviations_of_the_whole():
    x, labels = RNG.normal(5, 3, 90), RNG.integers(0, 3, 90)
    profile = learnt.profile_clusters({"x": x}, labels)
    for c in range(3):
        found = trait(profile, c, "x")
        assert found.inside == pytest.approx(x[labels == c].mean(), rel=1e-12)
        assert found.whole == pytest.approx(x.mean(), rel=1e-12)
        assert found.effect == pytest.approx((x[labels == c].mean() - x.mean()) / x.std(), rel=1e-10)
        assert profile[c].size == (labels == c).sum()


def test_of_categories_the_one_whose_share_differs_most_is_told_by_cohens_h():
    town = ["a"] * 5 + ["b"] * 3 + ["c"] * 2
    labels = [0] * 5 + [1] * 5
    found = trait(learnt.profile_clusters({"town": town}, labels), 1, "town")
    # a falls from 1/2 to none, b rises from 0.3 to 0.6, c from 0.2 to 0.4.
    assert (found.category, found.inside, found.whole) == ("a", 0.0, 0.5)
    assert found.effect == pytest.approx(-2 * math.asin(math.sqrt(0.5)))
    assert found.lift == 0.0


def test_of_two_categories_the_frequent_one_is_told():
    found = trait(learnt.profile_clusters({"paid": [True, True, True, False]}, [0, 0, 1, 1]), 0, "paid")
    assert (found.category, found.inside, found.whole, found.lift) == (True, 1.0, 0.75, 4 / 3)


def test_ordered_categories_are_compared_by_rank_and_told_by_their_median_label():
    table = learnt.Table({"size": ["S", "S", "M", "L", "L", "L"]}, ordinal={"size": ["S", "M", "L"]})
    found = trait(learnt.profile_clusters(table, [0, 0, 0, 1, 1, 1]), 0, "size")
    ranks = np.array([0, 0, 1, 2, 2, 2])
    assert (found.inside_words, found.whole_words) == ("'S'", "'M'")
    assert found.effect == pytest.approx((1 / 3 - ranks.mean()) / ranks.std())


def test_missing_cells_are_left_out_of_means_and_their_share_is_a_trait():
    x = [1.0, 3.0, None, None, 8.0, 10.0, 9.0, 9.0]
    profile = learnt.profile_clusters({"x": x}, [0, 0, 0, 0, 1, 1, 1, 1])
    assert trait(profile, 0, "x", "mean").inside == pytest.approx(2.0)
    gone = trait(profile, 0, "x", "missing")
    assert (gone.inside, gone.whole) == (0.5, 0.25)
    assert gone.inside_words == "missing 50 %"
    seen, rest = trait(profile, 0, "x", "mean"), trait(profile, 1, "x", "mean")
    assert (seen.there, rest.there) == (0.5, 1.0)
    assert seen.rank == pytest.approx(abs(seen.effect) * math.sqrt(0.5))


def test_a_weight_stands_for_copies():
    table = learnt.datasets.load("weather_numeric")
    labels = np.arange(14) % 3
    weights = np.arange(14) % 4
    copies = np.repeat(np.arange(14), weights)
    weighted = learnt.profile_clusters(table, labels, weights)
    repeated = learnt.profile_clusters(table.take(copies), labels[copies])
    for one, other in zip(weighted, repeated, strict=True):
        assert (one.label, one.size) == (other.label, other.size)
        for a, b in zip(one.traits, other.traits, strict=True):
            assert (a.column, a.category) == (b.column, b.category)
            np.testing.assert_allclose([a.inside, a.whole, a.effect], [b.inside, b.whole, b.effect], atol=1e-12)


def test_a_sparse_matrix_gives_the_traits_of_its_dense_copy():
    dense = RNG.random((60, 40)) * (RNG.random((60, 40)) < 0.2)
    labels = RNG.integers(0, 4, 60)
    sparse, full = (learnt.profile_clusters(x, labels) for x in (csr_matrix(dense), dense))
    for one, other in zip(sparse, full, strict=True):
        wanted = {t.column: t.effect for t in other.traits if t.effect != 0}
        assert {t.column: pytest.approx(t.effect, abs=1e-9) for t in one.traits} == wanted


def test_a_hundred_thousand_sparse_columns_take_no_time():
    wide = csr_matrix((np.ones(500), (RNG.integers(0, 50, 500), RNG.integers(0, 100_000, 500))), shape=(50, 100_000))
    profile = learnt.profile_clusters(wide, np.arange(50) % 2)
    assert 0 < len(profile[0].traits) <= 200


@pytest.mark.parametrize("scale", [1e150, 1e-150])
def test_numbers_near_the_ends_of_the_range_have_the_same_effects(scale):
    x, labels = RNG.normal(size=50), RNG.integers(0, 2, 50)
    plain, huge = (trait(learnt.profile_clusters({"x": v}, labels), 0, "x").effect for v in (x, x * scale))
    assert huge == pytest.approx(plain, rel=1e-12)


def test_columns_that_say_nothing_have_no_traits():
    table = {"constant": [0.1] * 4, "empty": [None] * 4, "same": ["a"] * 4, "x": [1, 1, 2, 2]}
    profile = learnt.profile_clusters(table, [0, 0, 1, 1])
    assert [t.column for t in profile[0].traits] == ["x"]
    assert "much like the whole table" in str(learnt.profile_clusters({"x": [1, 2, 1, 2]}, [0, 0, 1, 1]))


def test_noise_comes_last_under_its_name():
    profile = learnt.profile_clusters({"x": [1, 2, 3, 9]}, [-1, 0, 0, 3])
    assert [c.name for c in profile] == ["0", "3", "noise"]
    assert profile.to_dict()[0]["traits"][0]["column"] == "x"
    with pytest.raises(KeyError, match="The clusters are 0, 3, -1"):
        profile[7]


def test_a_fitted_model_may_stand_for_its_labels():
    iris = learnt.datasets.load("iris").drop("class")
    model = learnt.KMeans(3, random_state=0).fit(iris)
    assert learnt.profile_clusters(iris, model) == learnt.profile_clusters(iris, model.labels_)
    new = iris.rows(0, 20)
    assert learnt.profile_clusters(new, model) == learnt.profile_clusters(new, model.predict(new))


@pytest.mark.parametrize("labels", [[0, 1], [0, 0.5, 1], ["a", "b", "a"], [0, None, 1], [0, 1, -2]])
def test_labels_that_are_no_clusters_are_refused(labels):
    with pytest.raises(InputError, match=r"one per row|number of a cluster per row"):
        learnt.profile_clusters({"x": [1, 2, 3]}, labels)


def test_names_from_files_stay_on_their_line_and_are_escaped_in_html():
    table = {"<b>\n" + "x" * 50: [1.0, 2.0, 3.0, 9.0], "城": ["<i>", "<i>", "b", "b"]}
    profile = learnt.profile_clusters(table, [0, 0, 1, 1])
    assert all(len(line) < 120 for line in str(profile).splitlines())
    page = profile._repr_html_()
    assert "<b>" not in page
    assert "<i>" not in page
    assert "&lt;i&gt;" in page

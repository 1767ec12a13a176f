"""One exemplar for each class, the basic linear classifier, and rectangles."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris, load_wine
from sklearn.neighbors import NearestCentroid

import learnt
from learnt import BasicLinearClassifier, NearestExemplar, NestedExemplarsClassifier, geometric_median
from learnt.neighbors.extent import cells_of

WINE = load_wine(return_X_y=True)
IRIS = load_iris(return_X_y=True)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_centroids_are_those_of_scikit_learn(metric):
    x, y = WINE
    ours, theirs = NearestExemplar(metric=metric).fit(x, y), NearestCentroid(metric=metric).fit(x, y)
    np.testing.assert_allclose(ours.exemplars_, theirs.centroids_, rtol=1e-12)
    np.testing.assert_array_equal(ours.predict(x), theirs.predict(x))


@pytest.mark.parametrize(
    ("metric", "name"),
    [("euclidean", "euclidean"), ("manhattan", "cityblock"), ("chebyshev", "chebyshev"), ("cosine", "cosine")],
)
def test_the_medoid_is_the_row_with_the_least_total_distance(metric, name):
    x, y = WINE
    model = NearestExemplar(exemplar="medoid", metric=metric).fit(x, y)
    for c in range(3):
        some = np.flatnonzero(y == c)
        assert model.medoids_[c] == some[cdist(x[some], x[some], name).sum(axis=1).argmin()]
    np.testing.assert_allclose(model.distances(x), cdist(x, x[model.medoids_], name), rtol=1e-9, atol=1e-12)


def test_mahalanobis_distances_are_scipys():
    x, y = IRIS
    model = NearestExemplar(metric="mahalanobis").fit(x, y)
    inverse = np.linalg.inv(np.cov(x.T, bias=True))
    means = np.array([x[y == c].mean(axis=0) for c in range(3)])
    np.testing.assert_allclose(model.distances(x), cdist(x, means, "mahalanobis", VI=inverse), rtol=1e-8)


def test_geometric_medians_stand_for_their_classes():
    x, y = IRIS
    model = NearestExemplar(exemplar="geometric_median").fit(x, y)
    for c in range(3):
        np.testing.assert_allclose(model.exemplars_[c], geometric_median(x[y == c]), rtol=1e-12)


@pytest.mark.parametrize("exemplar", ["centroid", "medoid", "geometric_median"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "mahalanobis", "cosine"])
def test_a_weight_of_two_is_a_row_twice(exemplar, metric):
    (x, y), counts = IRIS, np.random.default_rng(3).integers(0, 4, 150)
    rows = np.repeat(np.arange(150), counts)
    weighted = NearestExemplar(exemplar=exemplar, metric=metric).fit(x, y, counts)
    copied = NearestExemplar(exemplar=exemplar, metric=metric).fit(x[rows], y[rows])
    np.testing.assert_allclose(weighted.exemplars_, copied.exemplars_, rtol=1e-8)
    np.testing.assert_allclose(weighted.predict_proba(x), copied.predict_proba(x), atol=1e-8)
    plain = NearestExemplar(exemplar=exemplar, metric=metric).fit(x, y)
    assert np.abs(plain.exemplars_ - weighted.exemplars_).max() > 1e-3


def test_an_outlier_pulls_the_mean_but_not_the_others():
    x = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [30.0, 30.0], [5.0, 5.0], [6.0, 5.0], [5.0, 6.0]])
    y = ["a", "a", "a", "a", "b", "b", "b"]
    asked = [[2.0, 2.0]]
    assert NearestExemplar().fit(x, y).predict(asked).tolist() == ["b"]
    for exemplar in ("medoid", "geometric_median"):
        assert NearestExemplar(exemplar=exemplar).fit(x, y).predict(asked).tolist() == ["a"], exemplar


@pytest.mark.parametrize(("x", "y"), [WINE, IRIS, (IRIS[0][:100] + 1e6, IRIS[1][:100])])
def test_the_basic_linear_classifier_is_the_nearest_centroid(x, y):
    linear, nearest = BasicLinearClassifier().fit(x, y), NearestExemplar().fit(x, y)
    asked = np.vstack([x, np.random.default_rng(0).normal(x.mean(axis=0), 3 * x.std(axis=0), (500, x.shape[1]))])
    np.testing.assert_array_equal(linear.predict(asked), nearest.predict(asked))
    np.testing.assert_allclose(linear.predict_proba(asked), nearest.predict_proba(asked), atol=1e-9)


def test_of_two_classes_the_border_is_halfway_between_the_means():
    x, y = IRIS[0][:100], IRIS[1][:100]
    model = BasicLinearClassifier().fit(x, y)
    low, high = x[y == 0].mean(axis=0), x[y == 1].mean(axis=0)
    np.testing.assert_allclose(model.coef_[0], high - low)
    np.testing.assert_allclose(model.intercept_[0], (low @ low - high @ high) / 2)
    np.testing.assert_allclose(model.decision_function(x), x @ model.coef_[0] + model.intercept_[0], atol=1e-9)
    np.testing.assert_allclose(model.decision_function([(low + high) / 2]), 0, atol=1e-9)


def test_the_parts_of_an_explanation_are_the_lead_over_the_next_class():
    x, y = IRIS
    model = BasicLinearClassifier().fit(x, y)
    for i in (0, 70, 120):
        told, scores = model.explain(x[i : i + 1])[0], np.sort(model.decision_function(x[i : i + 1])[0])
        assert sum(e.contribution for e in told.evidence) == pytest.approx(scores[-1] - scores[-2])


def test_probabilities_are_those_of_round_bells_of_equal_width():
    from scipy.stats import multivariate_normal

    x, y = IRIS
    model = NearestExemplar().fit(x, y)
    within = np.concatenate([x[y == c] - x[y == c].mean(axis=0) for c in range(3)])
    assert model.width_ == pytest.approx((within**2).mean())
    bells = [multivariate_normal(m, model.width_ * np.eye(4)).pdf(x) for m in model.exemplars_]
    np.testing.assert_allclose(model.predict_proba(x), (bells / np.sum(bells, axis=0)).T, atol=1e-10)


def test_a_row_far_away_has_finite_probabilities():
    x, y = IRIS
    for model in (NearestExemplar().fit(x, y), BasicLinearClassifier().fit(x, y)):
        assert np.isfinite(model.predict_proba([[1e9, -1e9, 0.0, 1e9]])).all()


def test_rectangles_grow_from_rows_and_hold_exceptions():
    x = np.array([[0.0], [4.0], [2.0], [1.0], [9.0], [2.0]])
    model = NestedExemplarsClassifier(growth="nested").fit(x, ["a", "a", "b", "a", "b", "b"])
    found = model.rectangles_
    # [0, 4] of a; 2 is an exception inside; 9 is nearest to [0, 4], wrong, a point; 2 again is inside the smaller.
    assert found.label.tolist() == [0, 1, 1]
    assert found.low[:, 0].tolist() == [0.0, 2.0, 9.0]
    assert found.high[:, 0].tolist() == [4.0, 2.0, 9.0]
    assert found.tried.tolist() == [5.0, 2.0, 1.0]
    assert found.right.tolist() == [3.0, 2.0, 1.0]
    assert model.predict([[2.0], [2.1], [8.0], [-1.0]]).tolist() == ["b", "a", "b", "a"]


def test_labels_gather_in_sets():
    cells = {"colour": ["red", "blue", "green", "red"], "x": [0.0, 0.1, 1.0, 0.05]}
    model = NestedExemplarsClassifier(growth="nested").fit(cells, ["a", "a", "b", "a"])
    assert str(model).splitlines()[0] == "'a' if colour is 'blue' or 'red' and x is 0 to 0.1 (3 of 4 right)"
    told = model.explain({"colour": ["green"], "x": [0.2]})[0]
    assert told.prediction == "b"
    assert [e.contribution for e in told.evidence] == pytest.approx([0.0, 0.64])


def test_a_missing_cell_is_at_1_from_every_rectangle():
    cells = {"x": [0.0, None, 2.0], "c": ["u", "u", "v"], "same": [7.0, None, 7.0]}
    model = NestedExemplarsClassifier(growth="nested").fit(cells, ["a", "a", "b"])
    asked = {"x": [0.0, None, 0.0, 0.0], "c": ["u", "u", None, "u"], "same": [7.0, 7.0, 7.0, None]}
    far = model.distances(asked)
    assert far[:, 0].tolist() == [0.0, 1.5, 1.5, 1.5]  # it was right twice of three times
    for told, away in zip(model.explain(asked), far, strict=True):
        assert sum(e.contribution for e in told.evidence) == pytest.approx(away.min() ** 2)


def test_the_second_match_makes_fewer_rectangles():
    table = learnt.datasets.load("iris")
    rows = table.take(np.random.default_rng(0).permutation(150))
    one, two = (NestedExemplarsClassifier(growth="nested", second_match=m).fit(rows) for m in (False, True))
    assert two.n_exemplars_ < one.n_exemplars_ < 30
    assert min(one.score(rows), two.score(rows)) > 0.9


@pytest.mark.parametrize("growth", ["apart", "nested"])
def test_distances_from_rectangles_are_those_of_the_definition(growth):
    x, y = IRIS
    order = np.random.default_rng(1).permutation(150)
    model = NestedExemplarsClassifier(growth=growth).fit(x[order], y[order])
    found, span = model.rectangles_, np.ptp(x, axis=0)
    outside = np.maximum(0, np.maximum(found.low[None] - x[:, None], x[:, None] - found.high[None])) / span
    away = np.sqrt((outside**2).sum(axis=2)) * found.tried / found.right
    want = np.array([away[:, found.label == c].min(axis=1) for c in range(3)]).T
    np.testing.assert_allclose(model.distances(x), want, atol=1e-12)


def held(found, h, cells):
    """Which rows lie inside rectangle h; missing cells do not."""
    inside = np.ones(len(cells), dtype=bool)
    for j, members in enumerate(found.sets):
        there = ~np.isnan(cells[:, j])
        if members.shape[1]:
            inside &= there & members[h, np.where(there, cells[:, j], 0).astype(int)]
        else:
            inside &= (cells[:, j] >= found.low[h, j]) & (cells[:, j] <= found.high[h, j])
    return inside


@pytest.mark.parametrize("name", ["iris", "glass", "labor", "vote", "breast_cancer", "contact_lenses"])
def test_rectangles_apart_hold_no_row_of_another_class_unless_one_stands_at_the_same_place(name):
    table = learnt.datasets.load(name)
    model = NestedExemplarsClassifier().fit(table)
    found, cells = model.rectangles_, cells_of(table.drop(table.target))
    y = np.array(table[table.target].labels())
    assert found.right.sum() == table.n_rows
    assert (found.tried == found.right).all()
    for h in range(model.n_exemplars_):
        others = held(found, h, cells) & (y != model.classes_[found.label[h]])
        assert not others.any() or (found.low[h] == found.high[h]).all()
    assert model.n_exemplars_ < 0.6 * table.n_rows


def test_of_equally_near_rectangles_apart_that_with_most_rows_answers():
    x = [[0.0], [4.0], [2.0], [1.0], [9.0], [2.0], [2.0], [2.0]]
    model = NestedExemplarsClassifier().fit(x, ["a", "a", "b", "a", "b", "a", "b", "a"])
    # 0 cannot reach 4, where 2 is between; 2 itself is of both classes, two rows each: the first of these answers
    assert sorted(model.rectangles_.right[np.isin(model.rectangles_.low[:, 0], [2.0])].tolist()) == [2.0, 2.0]
    assert model.predict([[2.0], [8.0], [0.4], [4.5]]).tolist() == ["b", "b", "a", "a"]
    heavier = NestedExemplarsClassifier().fit(x, ["a", "a", "b", "a", "b", "a", "b", "a"], [1, 1, 1, 1, 1, 1, 1, 2])
    assert heavier.predict([[2.0]]).tolist() == ["a"]


def accuracy(make, table, shuffles):
    """The mean of ten-fold cross-validations, classes spread over the folds."""
    y, right = np.array(table[table.target].labels()), 0
    for shuffle in range(shuffles):
        rng, fold = np.random.default_rng(shuffle), np.empty(len(y), int)
        for c in np.unique(y):
            fold[rng.permutation(np.flatnonzero(y == c))] = np.arange((y == c).sum()) % 10
        order = rng.permutation(len(y))
        for f in np.unique(fold):
            model = make().fit(table.take(order[fold[order] != f]))
            right += int((model.predict(table.take(fold == f)) == y[fold == f]).sum())
    return right / (shuffles * len(y))


@pytest.mark.parametrize(
    ("name", "above"), [("glass", 0.25), ("iris", 0.55), ("labor", 0.15), ("vote", 0.3), ("breast_cancer", -0.02)]
)
def test_rectangles_apart_are_better_than_the_commonest_class_or_level_with_it(name, above):
    """Breast cancer is the table on which nobody does much better, and shuffles differ by 0.02."""
    table = learnt.datasets.load(name)
    commonest = np.unique(table[table.target].labels(), return_counts=True)[1].max() / table.n_rows
    assert accuracy(NestedExemplarsClassifier, table, 4) >= commonest + above


def test_rectangles_apart_are_better_than_nested_ones_on_columns_of_labels():
    vote = learnt.datasets.load("vote")
    nested = accuracy(lambda: NestedExemplarsClassifier(growth="nested"), vote, 1)
    assert accuracy(NestedExemplarsClassifier, vote, 1) > nested + 0.04


def test_the_basic_linear_classifier_puts_rows_beyond_all_numbers_on_a_side():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(40, 3)) * 1e-150, np.array(["a", "b"])[np.arange(40) % 2]
    x[1::2] += [1e-149, -1e-149, 0.0]
    model = BasicLinearClassifier(standardize=True).fit(x, y)
    far = np.array([[1e200, -1e200, 0.0], [-1.7e308, 1.7e308, 1.0]])
    assert model.decision_function(far).tolist() == [np.inf, -np.inf]

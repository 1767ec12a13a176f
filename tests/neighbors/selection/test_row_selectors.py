"""Edited and condensed tables, before any learner."""

import numpy as np
import pandas as pd
import pytest

import learnt
from learnt import (
    CondensedNeighbors,
    EditedNeighbors,
    InstanceBasedClassifier,
    KNeighborsClassifier,
    NaiveBayesClassifier,
    Table,
)
from learnt.errors import InputError, ParameterError


def noisy(n=400, seed=0, noise=0.2):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    x = rng.normal(size=(n, 2)) + 3 * y[:, None]
    return x, y, np.where(rng.random(n) < noise, 1 - y, y)


def plain_edited(x, y, k):
    z = (x - x.min(axis=0)) / np.ptp(x, axis=0)
    away = ((z[:, None] - z[None]) ** 2).sum(axis=2)
    np.fill_diagonal(away, np.inf)
    near = np.argsort(away, axis=1, kind="stable")[:, :k]
    return np.array([np.bincount(y[row], minlength=2)[c] * 2 >= k for row, c in zip(near, y, strict=True)])


@pytest.mark.parametrize("k", [1, 3, 4])
def test_editing_leaves_out_what_most_neighbours_contradict(k):
    x, _, y = noisy()
    np.testing.assert_array_equal(EditedNeighbors(n_neighbors=k).select(x, y), plain_edited(x, y, k))


def test_condensing_keeps_rows_that_get_all_others_right():
    x, y, _ = noisy()
    mask = CondensedNeighbors().select(x, y)
    assert mask.sum() < 0.2 * len(x)
    z = (x - x.min(axis=0)) / np.ptp(x, axis=0)
    nearest = ((z[:, None] - z[None, mask]) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(y[mask][nearest], y)


def test_condensing_goes_on_until_a_pass_keeps_nothing():
    # Row 1 is right when first shown, and wrong once row 2 is kept.
    x = np.array([[0.0], [4.0], [5.0], [10.0]])
    mask = CondensedNeighbors().select(x, ["a", "a", "b", "b"])
    assert mask.tolist() == [True, True, True, False]


def test_editing_takes_out_noise_and_condensing_after_it_leaves_little():
    x, truth, y = noisy(1000)
    plain = InstanceBasedClassifier(policy="ib1").fit(x, y)
    edited = EditedNeighbors(CondensedNeighbors()).fit(x, y)
    clean, answer, _ = noisy(1000, seed=1)
    assert edited.score(clean, answer) > plain.score(clean, answer) + 0.08
    assert edited.learner_.n_kept_ < edited.n_kept_ < 1000
    assert (truth == y)[EditedNeighbors().select(x, y)].mean() > 0.9


def test_any_learner_can_be_fitted_to_the_rows_that_stay():
    votes = learnt.datasets.load("vote")
    model = EditedNeighbors(NaiveBayesClassifier()).fit(votes)
    alone = NaiveBayesClassifier().fit(votes.take(model.rows_))
    np.testing.assert_array_equal(model.predict_proba(votes), alone.predict_proba(votes))
    np.testing.assert_array_equal(np.flatnonzero(EditedNeighbors().select(votes)), model.rows_)
    assert str(model.explain(votes)[0]) == str(alone.explain(votes)[0])


def test_rows_come_back_in_the_form_they_came():
    x, _, y = noisy(50)
    mask = EditedNeighbors().select(x, y)
    frame = pd.DataFrame(x, columns=["a", "b"])
    rows, target = EditedNeighbors().fit_resample(frame, pd.Series(y))
    pd.testing.assert_frame_equal(rows, frame[mask])
    assert target.tolist() == y[mask].tolist()
    for given in (x, x.tolist(), Table(frame), {"a": x[:, 0], "b": x[:, 1]}):
        rows, target = EditedNeighbors().fit_resample(given, y.tolist())
        assert target == y[mask].tolist()
        assert Table(rows).n_rows == mask.sum()


def test_polars_rows_come_back_as_polars():
    pl = pytest.importorskip("polars")
    x, _, y = noisy(50)
    rows, target = CondensedNeighbors().fit_resample(pl.DataFrame({"a": x[:, 0], "b": x[:, 1]}), pl.Series(y))
    mask = CondensedNeighbors().select(x, y)
    assert rows.height == len(target) == mask.sum()
    np.testing.assert_array_equal(rows["a"].to_numpy(), x[mask, 0])


def test_a_class_that_loses_all_its_rows_keeps_its_column_of_probabilities():
    x = np.array([[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [5.3], [0.15]])
    y = np.array(["a"] * 4 + ["b"] * 4 + ["c"])
    model = EditedNeighbors().fit(x, y)
    assert model.learner_.classes_.tolist() == ["a", "b"]
    assert model.predict_proba([[0.15]]).tolist() == [[1.0, 0.0, 0.0]]
    first = EditedNeighbors().fit(x, np.where(y == "c", "A", y))  # also if it comes before the others
    assert first.classes_.tolist() == ["A", "a", "b"]
    assert first.predict_proba([[0.15]]).tolist() == [[0.0, 1.0, 0.0]]


def test_if_no_row_would_stay_all_do():
    x = np.array([[0.0], [1.0], [2.0], [3.0]])
    assert EditedNeighbors(n_neighbors=1).select(x, ["a", "b", "a", "b"]).all()


def test_a_regressor_is_refused():
    with pytest.raises(ParameterError, match="a classifier of learnt"):
        EditedNeighbors(learnt.LinearRegression()).fit([[0.0], [1.0]], ["a", "b"])


def test_rows_of_weight_zero_are_neither_asked_nor_kept():
    x, _, y = noisy(200)
    weights = (np.arange(200) % 4 > 0).astype(float)
    some = weights > 0
    for selector in (EditedNeighbors(), CondensedNeighbors()):
        mask = selector.select(x, y, weights)
        np.testing.assert_array_equal(mask[some], selector.select(x[some], y[some]))
        assert not mask[~some].any()


def test_weights_reach_the_learner_inside_and_the_neighbours():
    x, _, y = noisy(200)
    counts = np.random.default_rng(5).integers(1, 4, 200)
    rows = np.repeat(np.arange(200), counts)
    model = EditedNeighbors(NaiveBayesClassifier(), n_neighbors=4).fit(x, y, counts)
    copied = EditedNeighbors(NaiveBayesClassifier(), n_neighbors=4).fit(x[rows], y[rows])
    np.testing.assert_array_equal(rows[copied.rows_], np.repeat(model.rows_, counts[model.rows_]))
    np.testing.assert_allclose(model.predict_proba(x), copied.predict_proba(x), rtol=1e-9)
    scaled = EditedNeighbors(n_neighbors=4).select(x, y, counts / 2)  # fractions: the smallest is one copy
    np.testing.assert_array_equal(scaled, EditedNeighbors(n_neighbors=4).select(x, y, counts))


def test_the_target_is_given_row_by_row_where_rows_come_back():
    with pytest.raises(InputError, match="y is 'c'"):
        EditedNeighbors().fit_resample({"x": [0.0, 1.0], "c": ["a", "b"]}, "c")


def test_files_larger_than_memory_are_refused(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("x,c\n0,a\n1,b\n")
    for use in (EditedNeighbors().select, CondensedNeighbors().fit, InstanceBasedClassifier().fit):
        with pytest.raises(InputError, match="was given a scan"):
            use(learnt.scan(file), "c")


@pytest.mark.parametrize("inner", [None, KNeighborsClassifier(n_neighbors=1), CondensedNeighbors()])
def test_an_explanation_names_rows_of_the_table_that_was_fitted(inner):
    x, _, y = noisy(200)
    model = EditedNeighbors(inner).fit(x, y)
    assert model.n_kept_ < 200
    asked = int((model.learner_ if isinstance(inner, CondensedNeighbors) else model).rows_[-1])
    told = model.explain(x[asked : asked + 1])[0]
    assert told.prediction == y[asked]
    if isinstance(inner, KNeighborsClassifier):
        assert told.neighbors[0].row == asked
        assert model.learner_.kneighbors_graph(x[:3]).shape == (3, 200)
    else:
        assert f"row {asked} at squared distance 0" in str(told)
    assert set(model.learner_.rows_ if isinstance(inner, CondensedNeighbors) else ()) <= set(model.rows_)

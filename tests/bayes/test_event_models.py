"""Models of counts: definitions, sparse rows, no smoothing, explanations and drawing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from learnt import BernoulliNB, ComplementNB, MultinomialNB, Table
from learnt.errors import InputError, ParameterError, SavedModelError

MODELS = [MultinomialNB, BernoulliNB, ComplementNB]


def documents(n=120, p=30, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    rate = rng.gamma(0.5, 1, size=(3, p))
    return rng.poisson(rate[y]).astype(float), y


@pytest.mark.parametrize("model", MODELS)
def test_dense_and_sparse_rows_give_the_same_probabilities(model):
    x, y = documents()
    one, two = model().fit(x, y), model().fit(csr_matrix(x), y)
    np.testing.assert_allclose(one.predict_log_proba(x), two.predict_log_proba(csr_matrix(x)), rtol=1e-12)


@pytest.mark.parametrize("model", [MultinomialNB, ComplementNB])
@pytest.mark.parametrize("container", [np.asarray, csr_matrix])
def test_negative_counts_are_an_error_that_names_column_and_row(model, container):
    x, y = documents()
    fitted = model().fit(x, y)
    x[17, 4] = -2
    for use in (lambda: model().fit(container(x), y), lambda: fitted.predict(container(x))):
        with pytest.raises(InputError, match=r"Negative values in data.*'x4' has -2 in row 17"):
            use()


def test_a_category_is_one_occurrence_of_itself_and_a_gap_is_none():
    table = Table({"n": [2.0, None, 0.0], "town": ["Bern", "Basel", None]})
    model = MultinomialNB().fit(table, ["a", "b", "a"])
    np.testing.assert_array_equal(model.feature_count_, [[2, 0, 1], [0, 1, 0]])


def test_without_smoothing_a_word_a_class_never_had_rules_it_out():
    x = np.array([[2.0, 1, 0], [0, 1, 2]])
    model = MultinomialNB(alpha=0).fit(x, ["a", "b"])
    np.testing.assert_allclose(model.predict_proba([[1, 5, 0], [0, 5, 1], [0, 3, 0]]), [[1, 0], [0, 1], [0.5, 0.5]])
    np.testing.assert_allclose(model.predict_proba([[1, 0, 1]]), [[0.5, 0.5]])  # impossible in both: the priors
    assert model.explain(np.array([[1.0, 0, 0]]))[0].total == np.inf
    fraction = np.array([[0.2, 0.1, 0.0]])
    for container in (np.asarray, csr_matrix):
        np.testing.assert_allclose(model.predict_proba(container(fraction)), [[1, 0]])


def test_gaps_stored_in_a_sparse_matrix_count_as_nothing():
    x, y = documents()
    model = MultinomialNB(alpha=0).fit(csr_matrix(x), y)
    gap = x[:1].copy()
    gap[0, np.flatnonzero(x[0])[0]] = np.nan
    without = np.nan_to_num(gap)
    np.testing.assert_allclose(model.predict_proba(csr_matrix(gap)), model.predict_proba(without))
    told = model.explain(csr_matrix(gap))[0]
    assert [e.column for e in told.evidence] == [f"x{j}" for j in np.flatnonzero(without[0])]


def test_without_smoothing_presence_and_absence_both_rule_out():
    x = np.array([[1.0, 1, 0], [1, 0, 1], [0, 1, 1], [0, 1, 0]])
    model = BernoulliNB(alpha=0).fit(x, ["a", "a", "b", "b"])
    rows = np.array([[1.0, 1, 1], [0, 1, 1], [1, 0, 0]])
    for container in (np.asarray, csr_matrix):
        np.testing.assert_allclose(model.predict_proba(container(rows)), [[1, 0], [0, 1], [1, 0]])
    with np.errstate(all="raise"):
        assert model.explain(rows)[0].total == np.inf


@pytest.mark.parametrize("model", MODELS)
def test_explanations_of_sparse_rows_list_the_words_that_occur(model):
    x, y = documents()
    fitted = model().fit(csr_matrix(x), y)
    posterior = np.sort(fitted.predict_log_proba(x), axis=1)
    for i, told in enumerate(fitted.explain(csr_matrix(x))[:10]):
        assert [e.column for e in told.evidence] == [f"x{j}" for j in np.flatnonzero(x[i])]
        assert told.add_up() == pytest.approx(posterior[i, -1] - posterior[i, -2], rel=1e-9)
        assert str(told)


def test_dense_explanations_of_presence_begin_at_the_prior_odds():
    x, y = documents()
    model = BernoulliNB().fit(x, y)
    told = model.explain(x)[0]
    first, second = told.prediction, told.alternatives[0][0]
    assert np.exp(told.base) == pytest.approx(np.sum(y == first) / np.sum(y == second))


def test_a_complement_model_scores_by_the_counts_of_the_other_classes():
    x, y = documents()
    model = ComplementNB(alpha=0.5).fit(x, y)
    for c in range(3):
        others = x[y != c].sum(axis=0) + 0.5
        np.testing.assert_allclose(model.feature_log_prob_[c], -np.log(others / others.sum()), rtol=1e-12)


def test_drawn_counts_have_the_shares_and_the_length_of_the_model():
    x, y = documents()
    model = MultinomialNB().fit(x, y)
    rows, labels = model.sample(3000, length=50, random_state=0)
    counts = rows.matrix
    np.testing.assert_array_equal(counts.sum(axis=1), 50)
    for c, label in enumerate(model.classes_):
        shares = counts[labels == label].sum(axis=0) / counts[labels == label].sum()
        np.testing.assert_allclose(shares, np.exp(model.feature_log_prob_[c]), atol=0.01)


def test_drawn_presences_have_the_shares_of_the_model():
    x, y = documents()
    model = BernoulliNB().fit(x, y)
    rows, labels = model.sample(6000, random_state=0)
    for c, label in enumerate(model.classes_):
        shares = rows.matrix[labels == label].mean(axis=0)
        np.testing.assert_allclose(shares, np.exp(model.feature_log_prob_[c]), atol=0.05)


def test_counts_are_not_drawn_for_columns_that_are_none():
    model = MultinomialNB().fit({"town": ["Bern", "Basel"]}, [0, 1])
    with pytest.raises(ParameterError, match="'town' is nominal"):
        model.sample(3)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("attribute", ["_coef", "_intercept", "feature_log_prob_", "class_log_prior_"])
def test_a_model_whose_parts_contradict_each_other_is_refused(model, attribute):
    x, y = documents()
    fitted = model().fit(x, y)
    fitted._check_fitted_state()
    setattr(fitted, attribute, np.zeros((2, 7)))
    with pytest.raises(SavedModelError):
        fitted._check_fitted_state()


@pytest.mark.parametrize("cells", [[1.0, 2.0, 3.0], ["x", "x", "x"], [0.0, 0.0, 0.0]])
def test_one_normalised_column_says_nothing_about_the_class(cells):
    """Its share is 1 in every class; log 1 / Σ log 1 is taken for 0."""
    model = ComplementNB(norm=True).fit({"a": cells}, ["p", "q", "r"])
    np.testing.assert_allclose(model.predict_proba({"a": cells}), 1 / 3, rtol=1e-12)
    assert np.isfinite(model.feature_log_prob_).all()

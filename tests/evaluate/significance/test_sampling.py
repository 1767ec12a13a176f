"""Joint errors of scores: against scipy, against brute force, and in the cases where they are none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from learnt.evaluate.significance import SamplingErrors, row_ties


def errors_of(losses, stretch=1.0):
    """Of learners that are right or wrong on each row: rows × learners."""
    return SamplingErrors.from_rows(losses.mean(axis=0), (losses - losses.mean(axis=0)) / len(losses), stretch)


def test_two_learners_are_compared_by_the_paired_t_test_of_their_rows():
    losses = np.random.default_rng(0).normal(size=(80, 2))
    errors = errors_of(losses)
    expected = stats.ttest_rel(losses[:, 0], losses[:, 1])
    assert errors.statistics[0, 1] == pytest.approx(expected.statistic)
    assert errors.p_value(errors.statistics[0, 1]) == pytest.approx(expected.pvalue)
    # One pair is a family of its own, so that the largest statistic is just Student's.
    assert errors.adjusted_p_value(errors.statistics[0, 1]) == pytest.approx(expected.pvalue, abs=0.02)


def test_critical_values_of_independent_pairs_are_those_of_the_studentized_range():
    """Equally sure scores whose errors are independent: the largest |t| of all pairs is Tukey's range over √2."""
    k, n = 6, 200
    covariance = np.eye(k) / n
    errors = SamplingErrors(np.zeros(k), covariance, 31, n)
    expected = stats.studentized_range.ppf(0.95, k, 30) / np.sqrt(2)
    assert np.quantile(errors.largest, 0.95) == pytest.approx(expected, rel=0.02)


def test_the_set_of_independent_learners_is_dunnetts():
    """One-sided comparisons of equally sure scores with one of them: Dunnett's critical value, whoever it is."""
    k = 5
    rng = np.random.default_rng(4)
    draws = rng.normal(size=(200_000, k))
    chi = np.sqrt(rng.chisquare(40, 200_000) / 40)[:, None]
    critical = np.quantile(((draws[:, 1:] - draws[:, :1]) / np.sqrt(2) / chi).max(axis=1), 0.95)
    for gap, kept in ((critical * 0.97, True), (critical * 1.03, False)):
        scores = np.zeros(k)
        scores[0] = -gap * np.sqrt(2)
        assert SamplingErrors(scores, np.eye(k), 41, 41).may_be_best()[0] == kept


def test_stretching_makes_every_statement_weaker():
    losses = (np.random.default_rng(1).random((300, 8)) < np.linspace(0.6, 0.8, 8)).astype(float)
    plain, stretched = errors_of(losses), errors_of(losses, 2.11)
    np.testing.assert_allclose(stretched.standard_errors, plain.standard_errors * np.sqrt(2.11))
    assert set(np.flatnonzero(plain.may_be_best())) <= set(np.flatnonzero(stretched.may_be_best()))
    assert plain.effective == pytest.approx(2.11 * stretched.effective)


def test_the_best_score_is_always_in_the_set_and_twins_share_their_fate():
    losses = (np.random.default_rng(2).random((400, 5)) < [0.5, 0.6, 0.7, 0.8, 0.95]).astype(float)
    losses = np.column_stack([losses, losses[:, 4], losses[:, 0]])
    errors = errors_of(losses, 2.11)
    found = errors.may_be_best()
    assert found[4]
    assert found[5]
    assert not found[0]
    assert not found[6]
    assert errors.of_differences[4, 5] == 0
    assert errors.adjusted_p_value(errors.statistics[4, 5]) == 1


def test_rows_that_all_differ_by_the_same_are_no_proof_when_they_are_few():
    def pair(n):
        return SamplingErrors(np.array([1.0, 0.0]), np.zeros((2, 2)), n, n)

    few, many = pair(3), pair(300)
    assert few.may_be_best().all()
    assert not many.may_be_best()[1]


def test_order_of_rows_and_learners_does_not_matter():
    rng = np.random.default_rng(3)
    losses = (rng.random((200, 6)) < np.linspace(0.5, 0.9, 6)).astype(float)
    one = errors_of(losses, 2.11)
    other = errors_of(losses[rng.permutation(200)][:, ::-1], 2.11)
    np.testing.assert_array_equal(one.may_be_best(), other.may_be_best()[::-1])
    np.testing.assert_allclose(one.statistics, other.statistics[::-1, ::-1], atol=1e-12)


def test_letters_and_pairs_say_the_same():
    losses = (np.random.default_rng(5).random((500, 5)) < [0.9, 0.88, 0.8, 0.7, 0.5]).astype(float)
    order = np.argsort(-losses.mean(axis=0))
    losses = losses[:, order]
    names = [f"l{i}" for i in order]
    by_fold = {name: losses[:, j].reshape(10, 50).mean(axis=1) for j, name in enumerate(names)}
    ties = row_ties(names, errors_of(losses, 2.11), by_fold, higher_is_better=True, n_folds=10)
    assert ties.by == "rows"
    for pair in ties.pairs:
        share = set(ties.letters[pair.better]) & set(ties.letters[pair.worse])
        assert bool(share) != pair.significant
        assert pair.significant == (pair.adjusted_p_value <= 0.05)
        assert pair.adjusted_p_value >= pair.p_value - 0.005
    assert names[0] in ties.with_best
    assert "may also be" in ties.words or "is the best of the 5" in ties.words


def test_scores_drawn_anew_give_the_covariance_of_the_draws():
    rng = np.random.default_rng(6)
    draws = rng.multivariate_normal([0, 0], [[1, 0.8], [0.8, 2]], 5000)
    errors = SamplingErrors.from_replicates(np.array([0.0, 0.1]), draws, 2.0, 100)
    np.testing.assert_allclose(errors.covariance, 2 * np.array([[1, 0.8], [0.8, 2]]), rtol=0.1)


def test_a_lead_of_a_hairs_breadth_proves_nothing():
    rng = np.random.default_rng(8)
    squares = rng.chisquare(3, size=300)
    nearly = squares * (1 + 1e-5) + rng.normal(0, 1e-7, 300)  # worse on every row, by next to nothing
    errors = errors_of(-np.column_stack([squares, nearly]))
    assert stats.ttest_rel(squares, nearly).pvalue < 1e-10
    assert errors.may_be_best().all()
    assert errors.statistics[0, 1] == 0

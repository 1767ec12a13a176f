"""Worked examples on three hypotheses, sums of residuals, experts with a gate, and votes of lines."""

import math

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier as PeerTree

import learnt
from learnt.ensemble.triplet.learner import three_hypotheses_bound

# Three hypotheses.


@pytest.mark.parametrize("error", [0.01, 0.1, 0.25, 0.49])
def test_three_err_together_as_three_that_err_independently_and_less_than_one(error):
    """Two of three, or all of them, are wrong: 3ε²(1 − ε) + ε³."""
    wrong = sum(math.comb(3, k) * error**k * (1 - error) ** (3 - k) for k in (2, 3))
    assert three_hypotheses_bound(error) == pytest.approx(wrong)
    assert three_hypotheses_bound(error) < error


def test_three_of_three_of_three_err_as_little_as_one_likes():
    errors = [0.4]
    while errors[-1] > 1e-6:
        errors.append(three_hypotheses_bound(errors[-1]))
    assert errors[1:3] == pytest.approx([0.352, 0.2845], abs=5e-5)
    assert len(errors) == 9
    assert three_hypotheses_bound(0.5) == 0.5  # what is no better than chance stays so


class _Stump(PeerTree):
    """Remembers the rows that it was fitted to; takes no weights."""

    met = []

    def fit(self, x, y):
        self.met.append((np.asarray(x), np.asarray(y)))
        return super().fit(x, y)


def test_each_hypothesis_is_fitted_to_rows_that_the_others_find_hard():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 2))
    y = np.where(x[:, 0] + x[:, 1] > 0, "yes", "no")
    _Stump.met.clear()
    model = learnt.TripletBoostClassifier(_Stump(max_depth=1, random_state=0), by="resampling").fit(x, y)
    (_, _), (second, target), (third, _) = _Stump.met
    one, two, _ = model.estimators_
    assert len(second) == 400
    assert (one.predict(second) != target).mean() == pytest.approx(0.5, abs=4 * 0.5 / math.sqrt(400))
    assert (one.predict(third) != two.predict(third)).all()


# Sums of residuals.


def test_two_stumps_are_added_up_by_hand():
    """Squares of 1 to 4: the mean 7.5, then ∓5 on both sides of 2.5, then −7/6 and 3.5 on both sides of 3.5."""
    x, y = {"x": [1.0, 2.0, 3.0, 4.0]}, np.array([1.0, 4.0, 9.0, 16.0])
    model = learnt.AdditiveRegressor(n_estimators=2, learning_rate=1.0).fit(x, y)
    first, second = model.estimators_
    np.testing.assert_allclose(first.predict(x), [-5, -5, 5, 5])
    np.testing.assert_allclose(second.predict(x), [-7 / 6, -7 / 6, -7 / 6, 3.5])
    np.testing.assert_allclose(model.predict(x), [4 / 3, 4 / 3, 34 / 3, 16])
    assert model.train_score_ == pytest.approx([-np.var(y), -29 / 4, -38 / 12])


# Experts.


@pytest.mark.parametrize("method", ["em", "gradient"])
def test_the_answer_of_experts_is_their_sum_weighed_by_the_gate(method):
    x = np.random.default_rng(1).normal(size=(60, 2))
    number = np.abs(x[:, 0])
    said = learnt.MixtureOfExpertsRegressor(method=method, max_iter=5).fit(x, number)
    experts = np.column_stack([expert.predict(x) for expert in said.estimators_])
    np.testing.assert_allclose(said.predict(x), (said.gate_proba(x) * experts).sum(axis=1))
    told = learnt.MixtureOfExpertsClassifier(method=method, max_iter=5).fit(x, number > 0.6)
    shares = np.stack([expert.predict_proba(x) for expert in told.estimators_], axis=1)
    np.testing.assert_allclose(told.predict_proba(x), np.einsum("ik,ikc->ic", told.gate_proba(x), shares), atol=1e-12)


# Votes of lines.


def test_three_lines_vote_for_a_region_that_no_line_bounds():
    """Right is what two of three half planes say. Each errs on a sixth of the plane or more, as the best single line
    does, and boosting weighs them so that their vote errs nowhere."""
    angles = 2 * np.pi * np.arange(3) / 3
    normals = np.column_stack([np.cos(angles), np.sin(angles)])
    points = np.random.default_rng(2).normal(size=(600, 2))
    sides = np.where(points @ normals.T + 0.4 > 0, 1, -1)
    y = np.where(sides.sum(axis=1) > 0, 1, -1)

    def half_plane(normal):
        return lambda table: np.where(table["a"].values * normal[0] + table["b"].values * normal[1] + 0.4 > 0, 1, -1)

    table = {"a": points[:, 0], "b": points[:, 1]}
    model = learnt.AdaBoostClassifier(n_estimators=3, hypotheses=[half_plane(n) for n in normals]).fit(table, y)
    line = learnt.LogisticRegression(penalty=None).fit(table, y)
    assert min((sides != y[:, None]).mean(axis=0)) > 0.1
    assert line.score(table, y) < 0.9
    assert model.score(table, y) == 1

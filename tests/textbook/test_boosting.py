"""Worked examples on boosting and bagging: votes, weights and bounds by hand, and what bagging helps."""

import math

import numpy as np
import pytest

import learnt
from learnt import AdaBoostClassifier, BaggingClassifier, DecisionTreeClassifier
from learnt.learner.base import Classifier


def points(*labels: int) -> tuple[dict, np.ndarray]:
    return {"i": np.arange(len(labels)) * 1.0}, np.array(labels)


def says(*labels: int):
    return lambda table: np.array(labels)[table["i"].values.astype(int)]


def test_eleven_points_of_which_one_is_wrong_at_first():
    """Errors 1/11 and 1/20: votes 1.151 and 1.472, ten weights of 1/20 and one of ½, and a bound of .2506."""
    table, y = points(*[1] * 6, *[-1] * 5)
    first, second = y.copy(), y.copy()
    first[10], second[3] = 1, -1  # each errs in one point of its own; the others in three
    others = [says(*np.where(np.arange(11) % 4 == k, -y, y)) for k in (0, 1)]
    with learnt.watch() as log:
        model = AdaBoostClassifier(n_estimators=2, hypotheses=[says(*first), says(*second), *others]).fit(table, y)
    np.testing.assert_allclose(model.estimator_errors_, [1 / 11, 1 / 20])
    np.testing.assert_allclose(model.estimator_weights_, [1.151, 1.472], atol=5e-4)
    np.testing.assert_allclose(log["weights"][0], 1 / 11)
    np.testing.assert_allclose(np.sort(log["weights"][1]), [1 / 20] * 10 + [1 / 2])
    assert model.bound_[1] == pytest.approx(0.2506, abs=5e-5)
    assert model.bound_[1] == pytest.approx(2 * math.sqrt(10) / 11 * 2 * math.sqrt(19) / 20)
    f = 0.5 * math.log(10) * first + 0.5 * math.log(19) * second
    np.testing.assert_allclose(model.decision_function(table), f)


def test_a_quarter_wrong_weighs_a_half_in_the_next_round():
    """25 of 100 wrong: their weight doubles from 25 to 50, that of the others falls by a third from 75 to 50."""
    table, y = points(*[1] * 50, *[-1] * 50)
    wrong = np.arange(100) % 4 == 0
    model = AdaBoostClassifier(n_estimators=2, hypotheses=[says(*np.where(wrong, -y, y))])
    model.fit(table, y)
    assert model.stopped_.startswith("Round 1: error 0.5")
    source = [says(*np.where(wrong, -y, y)), says(*np.where(np.roll(wrong, 1), -y, y))]
    with learnt.watch() as log:
        AdaBoostClassifier(n_estimators=2, hypotheses=source).fit(table, y)
    before, after = (100 * weights for weights in log["weights"])
    assert before[wrong].sum() == pytest.approx(25)
    assert after[wrong].sum() == pytest.approx(50)
    np.testing.assert_allclose(after[wrong], 2)
    np.testing.assert_allclose(after[~wrong], 2 / 3)


class _Nearest(Classifier, listed=False):
    """One nearest neighbour, as short as can be."""

    def __init__(self):
        pass

    def _plan(self, training):
        self.rows_, self.labels_ = np.asarray(training.source), training.target
        return
        yield

    def _probabilities(self, table):
        far = ((np.asarray(table)[:, None] - self.rows_[None]) ** 2).sum(axis=2)
        return np.eye(len(self.classes_))[self.labels_[far.argmin(axis=1)]]


def _gains(learner, rounds: int = 30) -> np.ndarray:
    """How much bagging adds to the accuracy of a learner, in many samples of 30 rows and five like columns."""
    gains = []
    for seed in range(rounds):
        rng = np.random.default_rng(seed)
        shared = rng.normal(size=(830, 1))
        x = math.sqrt(0.95) * shared + math.sqrt(0.05) * rng.normal(size=(830, 5))
        y = (rng.random(830) < np.where(x[:, 0] <= 0.5, 0.2, 0.8)).astype(int)
        bag = BaggingClassifier(learner, 40, random_state=seed).fit(x[:30], y[:30])
        gains.append(bag.score(x[30:], y[30:]) - learnt.clone(learner).fit(x[:30], y[:30]).score(x[30:], y[30:]))
    return np.array(gains)


@pytest.mark.costly
def test_bagging_helps_trees_and_not_nearest_neighbours():
    """Thirty rows of five columns: a tree turns with its sample, a nearest neighbour hardly does."""
    tree, nearest = _gains(DecisionTreeClassifier()), _gains(_Nearest())
    assert tree.mean() > 3 * tree.std(ddof=1) / math.sqrt(len(tree))
    assert tree.mean() > 0.02
    assert abs(nearest.mean()) < 0.01

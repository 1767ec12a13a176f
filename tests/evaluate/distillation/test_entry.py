"""Imitating, by hand: what is held out, what is shown, how it is judged."""

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import r2_score

import learnt
from learnt.errors import ParameterError
from learnt.evaluate.distillation.entry import _columns_of, _judged, distill
from learnt.learner.parameters import seed_from


def test_answers_are_judged_as_counted_and_numbers_by_r2():
    truth, said = np.array(["a", "b", "a", "a"]), np.array(["a", "a", "a", "b"])
    fidelity, constant = _judged(truth, said, True)
    peer = binomtest(2, 4).proportion_ci(method="wilson")
    assert tuple(fidelity) == pytest.approx((peer.low, peer.high), abs=1e-6)
    assert (fidelity.estimate, constant) == (0.5, 0.75)
    x = np.random.default_rng(0).normal(size=50)
    fidelity, constant = _judged(x, x + 0.1, False)
    assert fidelity.estimate == pytest.approx(r2_score(x, x + 0.1))
    assert constant == 0.0


def test_numbers_without_spread_are_imitated_or_not():
    same, _ = _judged(np.ones(5), np.ones(5), False)
    other, _ = _judged(np.ones(5), np.zeros(5), False)
    assert same.estimate == 1.0
    assert np.isnan(other.estimate)


def test_without_artificial_rows_the_student_is_the_tree_of_the_answers():
    iris = learnt.datasets.iris()
    model = learnt.NaiveBayesClassifier().fit(iris)
    found = distill(model, iris, n_artificial=0, held_out=0.5, max_leaf_nodes=4)
    assert (found.n_real, found.n_held_out, found.n_artificial) == (75, 75, 0)
    rows = iris.drop(iris.target)
    order = np.random.default_rng(seed_from(0)).permutation(150)
    fitting = rows.take(np.sort(order[75:]))
    by_hand = learnt.DecisionTreeClassifier(max_leaf_nodes=4).fit(fitting, model.predict(fitting))
    assert str(found.student) == str(by_hand)


def test_columns_are_those_the_model_knows():
    iris = learnt.datasets.iris()
    narrow = iris.select([*list(iris.names)[:2], iris.target])
    model = learnt.NaiveBayesClassifier().fit(narrow, iris.target)
    assert list(_columns_of(model, iris).names) == list(iris.names)[:2]
    with pytest.raises(ParameterError, match="is for regression"):
        distill(model, iris, student=learnt.Ridge())

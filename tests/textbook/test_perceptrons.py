"""Worked examples of perceptrons: "and" by mistakes, from both sides, and "exclusive or" that no line separates."""

import pytest

from learnt import DualPerceptron, KernelPerceptron, Perceptron
from learnt.errors import ConvergenceWarning

ROWS = [[0, 0], [0, 1], [1, 0], [1, 1]]


def test_and_takes_eighteen_mistakes():
    model = Perceptron().fit(ROWS, [-1, -1, -1, 1])
    assert [*model.intercept_, *model.coef_[0]] == [-4, 3, 2]
    assert model.n_mistakes_ == 18
    assert model.converged_
    assert model.n_mistakes_ <= model.mistake_bound_


def test_and_from_its_rows_counts_the_same_mistakes():
    model = DualPerceptron().fit(ROWS, [-1, -1, -1, 1])
    assert model.alpha_.tolist() == [2, 5, 4, 7]
    assert [*model.intercept_, *model.coef_[0]] == [-4, 3, 2]


def test_exclusive_or_never_converges_but_in_the_space_of_products():
    for learner in (Perceptron(max_iter=1000), DualPerceptron(max_iter=1000)):
        with pytest.warns(ConvergenceWarning, match="separated"):
            learner.fit(ROWS, [-1, 1, 1, -1])
        assert not learner.converged_
    assert KernelPerceptron(kernel="polynomial", degree=2).fit(ROWS, [-1, 1, 1, -1]).converged_

"""What machines say of themselves."""

import numpy as np
import pytest

import learnt
from learnt import SVC, SVR, OneClassSVM


def test_the_parts_of_a_classifier():
    iris = learnt.datasets.load("iris")
    model = SVC(tol=1e-9).fit(iris, "class")
    found = model.summary()
    assert found.n_support == len(model.support_)
    np.testing.assert_allclose([part.margin for part in found.parts], model.margin_)
    for m, part in enumerate(found.parts):
        beta = np.abs(model.dual_coef_[m])
        assert sum(part.support) == np.count_nonzero(beta)
        assert part.at_bound == np.sum(beta == 1.0)
        assert part.objective == model.objective_[m]
    text = str(found)
    assert "'Iris-setosa' against 'Iris-versicolor'" in text
    assert "A larger C counts these rows more" in text
    assert "<table" in found._repr_html_()


@pytest.mark.parametrize("factor", [1.0, 1000.0])
def test_a_cost_that_no_row_reaches_changes_nothing_when_it_grows(factor):
    table = learnt.datasets.load("labor")
    model = SVC(C=100.0, tol=1e-9).fit(table, "class")
    words = str(model.summary())
    least = float(words.rsplit("down to ", 1)[1].rstrip("."))
    features = table.drop("class")
    other = SVC(C=factor * least * 1.001, tol=1e-9).fit(table, "class")
    np.testing.assert_allclose(other.decision_function(features), model.decision_function(features), atol=1e-6)
    smaller = SVC(C=least * 0.99, tol=1e-9).fit(table, "class")
    assert np.abs(smaller.decision_function(features) - model.decision_function(features)).max() > 1e-6


def test_machines_of_other_costs_are_fitted_where_the_rows_are_given():
    table = learnt.datasets.load("iris")
    model = SVC().fit(table, "class")
    few, same, many = model.summary(table, "class").others
    assert (few.C, same.C, many.C) == (0.1, 1.0, 10.0)
    assert few.margin > same.margin > many.margin
    assert few.support == len(SVC(C=0.1).fit(table, "class").support_)
    assert same.loss == pytest.approx(1 - model.score(table, "class"))


def test_of_numbers_and_of_the_bulk():
    cpu = learnt.datasets.load("cpu")
    model = SVR().fit(cpu, cpu.target)
    found = model.summary(cpu, cpu.target)
    assert found.at_bound == int(np.isclose(np.abs(model.dual_coef_[0]), model._target_spread).sum())
    assert [other.C for other in found.others] == [0.1, 1.0, 10.0]
    rows = cpu.drop(cpu.target)
    bulk = OneClassSVM(nu=0.2).fit(rows)
    assert "20 %, lies between" in str(bulk.summary())
    assert bulk.summary().at_bound <= 0.2 * cpu.n_rows


def test_no_bound_and_one_class():
    x = np.array([[0.0], [1.0], [3.0], [4.0]])
    hard = SVC(C=float("inf"), kernel="linear").fit(x, ["a", "a", "b", "b"])
    assert "Every C from" in str(hard.summary())
    assert "0 of 'a'" in str(SVC().fit(x, ["a"] * 4).summary())

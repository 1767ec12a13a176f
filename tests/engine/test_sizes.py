"""Columns and targets whose squares are no numbers are refused, small ones as large ones."""

import numpy as np
import pytest

import learnt
from learnt.engine.sizes import check_sizes
from learnt.errors import InputError

REGRESSORS = ("LinearRegression", "ModelTreeRegressor", "LocallyWeightedRegressor")
LEARNERS = (*REGRESSORS, "NaiveBayesClassifier", "DiscriminantClassifier", "BasicLinearClassifier", "Perceptron")


def rows(n=80):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 3))
    return x, x @ [1.0, 2.0, -1.0] + 0.1 * rng.normal(size=n)


@pytest.mark.parametrize(("factor", "said"), [(1e-162, "vanish"), (1e-158, "vanish"), (1e170, "overflow")])
@pytest.mark.parametrize("name", [*LEARNERS, "JointTableClassifier", "OrdinalRegression", "SGDClassifier"])
def test_columns_whose_squares_are_no_numbers_are_refused(name, factor, said):
    x, y = rows()
    target = y if name in REGRESSORS else (y > 0).astype(int)
    with pytest.raises(InputError, match=f"squares {said}"):
        getattr(learnt, name)().fit(x * factor, target)


@pytest.mark.parametrize("factor", [1e-140, 1e139])
@pytest.mark.parametrize("name", LEARNERS)
def test_others_are_learnt_as_in_ordinary_units(name, factor):
    x, y = rows()
    target = y if name in REGRESSORS else (y > 0).astype(int)
    learner = getattr(learnt, name)
    scores = [learner().fit(z, target).score(z, target) for z in (x, x * factor)]
    assert scores[0] == pytest.approx(scores[1], abs=1e-6)


@pytest.mark.parametrize(("factor", "said"), [(1e-170, "vanish"), (1e170, "overflow")])
@pytest.mark.parametrize(
    "name", ["DecisionTreeRegressor", "DecisionStumpRegressor", "RandomForestRegressor", "GradientBoostingRegressor"]
)
def test_targets_of_trees_whose_squares_are_no_numbers_are_refused(name, factor, said):
    x, y = rows()
    with pytest.raises(InputError, match=f"The target .*squares {said}"):
        getattr(learnt, name)().fit(x, y * factor)


def test_neighbours_average_targets_of_any_size():
    x, y = rows()
    one, two = (learnt.KNeighborsRegressor().fit(x, y * f).predict(x) / f for f in (1.0, 1e170))
    np.testing.assert_allclose(one, two, rtol=1e-12)


def test_numbers_too_large_to_be_squared_are_refused_where_they_count():
    table = learnt.Table({"small": [1.0, None], "large": [1.0, 1e200]})
    check_sizes(table, np.array([1.0, 0.0]))
    with pytest.raises(InputError, match="'large' holds values so large"):
        check_sizes(table)


@pytest.mark.parametrize(
    "learner", [learnt.HiddenMarkovModel(), learnt.PairwiseRanker()], ids=lambda m: type(m).__name__
)
def test_sequences_and_rankings_refuse_them(learner):
    rows = {"x": [1.0, 2.0, 1e200, 4.0]}
    with pytest.raises(InputError, match="'x' holds values so large"):
        learner.fit(rows, [1, 2, 3, 4]) if learner.needs else learner.fit(rows)

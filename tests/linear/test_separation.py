"""Whether classes are separated, against a linear program, which decides it exactly."""

import warnings

import numpy as np
import pytest
from scipy.optimize import linprog

from learnt import LogisticRegression, OrdinalRegression
from learnt.errors import ConvergenceWarning

LEARNERS = [(LogisticRegression, {"penalty": None}), (OrdinalRegression, {})]


def table(n, seed, k=2):
    """A numeric column, and a nominal one of which some categories are rare."""
    rng = np.random.default_rng(seed)
    town = rng.choice(list("abcde"), n, p=[0.4, 0.3, 0.2, 0.05, 0.05]).astype(object)
    x = rng.normal(size=n).round(1)
    y = np.digitize(0.5 * x + rng.logistic(size=n), np.linspace(-1, 1, k + 1)[1:-1])
    return {"x": x, "town": town}, y


def encoded(columns):
    towns = sorted(set(columns["town"]))
    return np.column_stack([np.ones(len(columns["x"])), columns["x"], *(columns["town"] == t for t in towns[1:])])


def grows_for_ever(gains):
    """Whether some direction d has gains·d ≥ 0 in all rows of `gains` and > 0 in one: all d within a box, by HiGHS."""
    found = linprog(-gains.sum(axis=0), A_ub=-gains, b_ub=np.zeros(len(gains)), bounds=(-1, 1))
    assert found.status == 0
    return -found.fun > 1e-7


def gains_of_logistic(x, y):
    """(b_own − b_other)·x of each row and each other class."""
    k, found = int(y.max()) + 1, []
    for row, c in zip(x, y, strict=True):
        for other in set(range(k)) - {int(c)}:
            b = np.zeros((k, x.shape[1]))
            b[c], b[other] = row, -row
            found.append(b.ravel())
    return np.array(found)


def gains_of_ordinal(x, y):
    """θ_c − b·x of each row below the last threshold, b·x − θ_{c−1} of each above the first."""
    k, found = int(y.max()), []
    for row, c in zip(x[:, 1:], y, strict=True):
        for threshold, sign in ((c, 1.0), (c - 1, -1.0)):
            if 0 <= threshold < k:
                found.append(sign * np.concatenate([np.arange(k) == threshold, -row]))
    return np.array(found)


@pytest.mark.parametrize(("learner", "settings"), LEARNERS)
@pytest.mark.parametrize("k", [2, 3])
def test_separation_is_found_where_a_linear_program_finds_it_and_nowhere_else(learner, settings, k):
    seen = set()
    for seed in range(30):
        columns, y = table(60 if k == 2 else 140, seed, k)
        if len(set(y.tolist())) < k:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = learner(**settings).fit(columns, y)
        found = model.separated_ if learner is OrdinalRegression else model.separation_ is not None
        gains = gains_of_ordinal if learner is OrdinalRegression else gains_of_logistic
        assert found == grows_for_ever(gains(encoded(columns), y)), seed
        assert model.converged_ != found
        seen.add(found)
    assert seen == {True, False}


@pytest.mark.parametrize(("learner", "settings"), LEARNERS)
@pytest.mark.parametrize(("n", "rare"), [(1000, 1), (30_000, 1), (30_000, 4)])
def test_a_rare_category_of_one_class_alone_is_found_however_little_it_adds_to_the_likelihood(
    learner, settings, n, rare
):
    columns, y = table(n, 0)
    columns["town"][: rare + 2] = ["rare"] * rare + ["both"] * 2
    y[: rare + 2] = [1] * rare + [0, 1]
    with pytest.warns(ConvergenceWarning, match="All rows with 'town' = 'rare' are 1, and no row of another class is"):
        model = learner(**settings).fit(columns, y)
    assert not model.converged_
    assert "rare" in str(model.summary())
    columns["town"][10:12], y[10:12] = "rare", [1, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert learner(**settings).fit(columns, y).converged_


def test_weights_of_a_row_do_not_hide_that_its_category_separates():
    columns, y = table(2000, 1)
    columns["town"][0], y[0] = "rare", 1
    weights = np.ones(2000)
    weights[0] = 1e-3
    with pytest.warns(ConvergenceWarning, match="'town' = 'rare'"):
        LogisticRegression(penalty=None).fit(columns, y, weights)
    weights[0] = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LogisticRegression(penalty=None).fit(columns, y, weights)


def test_a_category_that_one_of_three_classes_never_has_is_quasi_separation():
    """Its log-odds of that class go to −∞, while those of the other two are finite."""
    columns, y = table(600, 2, k=3)
    columns["town"][:20] = "new"
    y[:20] = [0, 1] * 10
    with pytest.warns(ConvergenceWarning, match="quasi separation"):
        assert LogisticRegression(penalty=None).fit(columns, y).separation_ == "quasi"

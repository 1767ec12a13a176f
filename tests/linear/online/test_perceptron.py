"""Perceptrons: the worked example, Novikoff's theorem, the dual, votes and averages."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from learnt import DualPerceptron, Perceptron
from learnt.errors import ConvergenceWarning, InputError
from learnt.linear.online.novikoff import margin
from learnt.linear.online.perceptron_votes import _sides

AND = {"a": [0.0, 0.0, 1.0, 1.0], "b": [0.0, 1.0, 0.0, 1.0]}


def by_hand(x, y, epochs, weights=None, eta=1.0):
    """The algorithm as it stands in books, in homogeneous coordinates: weights, mistakes, counts, all weights."""
    x = np.column_stack([np.ones(len(x)), x])
    w, counts, history = np.zeros(x.shape[1]), np.zeros(len(x)), []
    for _ in range(epochs):
        wrong = 0
        for i in range(len(x)):
            for _ in range(1 if weights is None else int(weights[i])):
                if y[i] * (w @ x[i]) <= 0:
                    w = w + eta * y[i] * x[i]
                    counts[i] += 1
                    wrong += 1
                history.append(w)
        if not wrong:
            break
    return w, int(counts.sum()), counts, np.array(history)


def separable(seed, n=60, p=3, gap=0.15):
    """Rows with a known unit separator, all at least `gap` away from it."""
    rng = np.random.default_rng(seed)
    w = rng.normal(size=p + 1)
    w /= np.linalg.norm(w)
    x = rng.normal(size=(4 * n, p)) * rng.uniform(0.3, 3)
    side = np.column_stack([np.ones(len(x)), x]) @ w
    keep = np.flatnonzero(np.abs(side) >= gap)[:n]
    return x[keep], np.where(side[keep] > 0, 1, -1), float(np.abs(side[keep]).min())


def test_the_example_of_and():
    model = Perceptron().fit(AND, [-1, -1, -1, 1])
    assert model.intercept_.tolist() == [-4.0]
    assert model.coef_.tolist() == [[3.0, 2.0]]
    assert model.n_mistakes_ == 18
    assert model.converged_
    dual = DualPerceptron().fit(AND, [-1, -1, -1, 1])
    assert dual.alpha_.tolist() == [2.0, 5.0, 4.0, 7.0]
    assert dual.coef_.tolist() == [[3.0, 2.0]]
    assert model.predict(AND).tolist() == [-1, -1, -1, 1]


def test_exclusive_or_never_converges_and_a_warning_says_so():
    for learner in (Perceptron(max_iter=200), DualPerceptron(max_iter=200)):
        with pytest.warns(ConvergenceWarning, match=r"200 passes: 0 and 1 cannot be separated by it, however many"):
            learner.fit(AND, [0, 1, 1, 0])
        assert not learner.converged_
        assert learner.n_iter_ == 200
        assert np.isnan(learner.margin_)
        assert "not separated in 200 passes, nor ever" in learner.summary()


@pytest.mark.parametrize("seed", range(4))
def test_weights_and_mistakes_are_those_of_the_algorithm_by_hand(seed):
    x, y, _ = separable(seed)
    model = Perceptron(eta0=0.5, standardize=False).fit(x, y)
    w, mistakes, counts, _ = by_hand(x, y, 50, eta=0.5)
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), w, rtol=1e-12)
    assert model.n_mistakes_ == mistakes
    for rows in (x, csr_matrix(x), x.astype(np.float32).astype(np.float64, order="F") * 0 + x):
        dual = DualPerceptron(standardize=False).fit(rows, y)
        np.testing.assert_array_equal(dual.alpha_, counts)
        np.testing.assert_allclose(dual.coef_[0], (dual.alpha_ * y) @ x, rtol=1e-9, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 80), p=st.integers(1, 8), shuffle=st.booleans())
def test_mistakes_never_exceed_novikoffs_bound(seed, n, p, shuffle):
    x, y, gap = separable(seed, n, p)
    if len(set(y.tolist())) < 2:
        return
    longest = np.linalg.norm(np.column_stack([np.ones(len(x)), x]), axis=1).max()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = Perceptron(max_iter=2000, shuffle=shuffle, standardize=False, random_state=seed).fit(x, y)
    assert model.n_mistakes_ <= (longest / gap) ** 2  # by a separator known beforehand
    if model.converged_:
        assert model.radius_ == pytest.approx(longest)
        assert model.margin_ >= gap * (1 - 1e-9)  # the largest margin is no less than that of the known one
        assert model.n_mistakes_ <= model.mistake_bound_ * (1 + 1e-9)


def test_the_margin_is_the_largest_there_is():
    from scipy.optimize import minimize

    x, y, _ = separable(3)
    model = Perceptron(standardize=False).fit(x, y)
    rows = np.column_stack([np.ones(len(x)), x]) * y[:, None]
    # The hard-margin machine through the origin: least |w| with every margin at least 1.
    found = minimize(
        lambda w: 0.5 * w @ w,
        np.append(model.intercept_, model.coef_) * 100,
        jac=lambda w: w,
        constraints={"type": "ineq", "fun": lambda w: rows @ w - 1, "jac": lambda w: rows},
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    assert model.margin_is_largest_
    assert model.margin_ == pytest.approx(1 / np.linalg.norm(found.x), rel=1e-6)


def test_the_margin_of_two_points_is_half_their_distance():
    found = margin(np.array([[1.0, 1.0], [1.0, -1.0]]), np.array([1.0, -1.0]), np.array([0.3, 1.0]))
    assert found.value == pytest.approx(1.0)
    assert found.largest


def test_the_average_is_the_mean_of_all_weights_on_the_way():
    x, y, _ = separable(5)
    _, _, _, history = by_hand(x, y, 50)
    model = Perceptron(variant="averaged", standardize=False).fit(x, y)
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), history.mean(axis=0), rtol=1e-10)
    sparse = Perceptron(variant="averaged", standardize=False).fit(csr_matrix(x), y)
    np.testing.assert_allclose(sparse.coef_, model.coef_, rtol=1e-9)
    dual = DualPerceptron(variant="averaged", standardize=False).fit(x, y)
    np.testing.assert_allclose((dual.alpha_ * y) @ x, model.coef_[0], rtol=1e-9)
    np.testing.assert_allclose((dual.alpha_ * y).sum(), model.intercept_[0], rtol=1e-9)


def test_votes_are_signs_of_all_weights_on_the_way():
    x, y, _ = separable(6)
    _, _, _, history = by_hand(x, y, 50)
    model = Perceptron(variant="voted", standardize=False).fit(x, y)
    new = np.random.default_rng(1).normal(size=(50, 3))
    expected = np.sign(np.column_stack([np.ones(50), new]) @ history.T).mean(axis=1)
    np.testing.assert_allclose(model.decision_function(new), expected, rtol=1e-9, atol=1e-12)
    told = model.explain(new)[0]
    assert told.total == pytest.approx(abs(expected[0]))


def test_a_weight_of_two_shows_a_row_twice():
    x, y, _ = separable(7)
    counts = np.random.default_rng(2).integers(0, 4, len(x))
    for variant in ("plain", "averaged", "voted"):
        weighted = Perceptron(variant=variant).fit(x, y, counts)
        copied = Perceptron(variant=variant).fit(np.repeat(x, counts, axis=0), np.repeat(y, counts))
        np.testing.assert_allclose(weighted.decision_function(x), copied.decision_function(x), rtol=1e-10)
        assert weighted.n_mistakes_ == copied.n_mistakes_
    _, mistakes, _, _ = by_hand(x, y, 50, counts)
    assert Perceptron(standardize=False).fit(x, y, counts).n_mistakes_ == mistakes


@pytest.mark.parametrize("variant", ["plain", "averaged", "voted"])
def test_fractions_of_weights_count_relative_to_the_smallest(variant):
    x, y, _ = separable(7)
    counts = np.random.default_rng(2).integers(1, 4, len(x))
    whole, parts = (Perceptron(variant=variant).fit(x, y, w) for w in (counts, counts * 0.3))
    assert whole.n_mistakes_ == parts.n_mistakes_
    np.testing.assert_allclose(parts.decision_function(x), whole.decision_function(x), rtol=1e-9)


def test_enormous_weights_take_no_time():
    model = Perceptron().fit(AND, [-1, -1, -1, 1], [1e12, 1.5, 1e12, 0.5])
    assert model.predict(AND).tolist() == [-1, -1, -1, 1]


def test_several_classes_are_each_against_the_rest():
    x = np.random.default_rng(0).normal(size=(90, 2)) * 0.3 + np.repeat([[0, 0], [4, 0], [0, 4]], 30, axis=0)
    y = np.repeat(["a", "b", "c"], 30)
    model = Perceptron(max_iter=500, standardize=False).fit(x, y)
    for c, label in enumerate(model.classes_):
        w, mistakes, _, _ = by_hand(x, np.where(y == label, 1, -1), 500)
        np.testing.assert_allclose(model.coef_[c], w[1:], rtol=1e-9)
        assert model.n_mistakes_[c] == mistakes
    assert model.mistake_bound_.shape == (3,)
    assert model.score(x, y) == 1.0
    assert model.summary().count("\n") == 2


def test_without_an_intercept_the_line_goes_through_the_origin():
    x = np.array([[1.0, 2.0], [2.0, 1.0], [-1.0, -2.0], [0.0, 0.0]])
    model = Perceptron(fit_intercept=False, max_iter=5, variant="plain", standardize=False)
    with pytest.warns(ConvergenceWarning):
        model.fit(x, [1, 1, 0, 0])  # the row of zeros is always wrong
    assert model.intercept_.tolist() == [0.0]
    assert model.n_mistakes_ == 5 + 1


@pytest.mark.parametrize("size", [1e-150, 1e150])
def test_scales_near_the_ends_of_floating_point_are_no_trouble(size):
    x, y, _ = separable(8)
    model = Perceptron(fit_intercept=False, max_iter=1).fit(x[:1] * size, [1])
    assert model.predict(x[:1] * size).tolist() == [1]
    model = Perceptron(max_iter=300).fit(x * size, y)
    assert model.converged_
    assert model.score(x * size, y) == 1.0
    assert model.mistake_bound_ == pytest.approx(Perceptron(max_iter=300).fit(x, y).mistake_bound_)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = Perceptron(max_iter=300, standardize=False).fit(x * size, y)
    assert model.score(x * size, y) > 0.6
    assert np.isfinite(model.radius_)


def test_values_whose_squares_overflow_are_named():
    with pytest.raises(InputError, match="'x0'"):
        Perceptron().fit(np.array([[1e200], [-1e200], [3e200]]), [0, 1, 0])


def test_probabilities_are_fitted_to_the_rows():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4000, 3))
    y = rng.random(4000) < 1 / (1 + np.exp(-2 * x @ [1.0, -1.0, 0.5]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = Perceptron(variant="averaged").fit(x, y)
    p = model.predict_proba(x)[:, 1]
    for low in np.arange(0.1, 0.9, 0.2):  # what it calls likely happens so often
        some = (p >= low) & (p < low + 0.2)
        assert abs(y[some].mean() - p[some].mean()) < 0.06


@pytest.mark.filterwarnings("ignore::learnt.errors.ConvergenceWarning")
def test_longer_steps_scale_the_weights_and_leave_the_probabilities():
    x, y = overlapping()
    one, other = Perceptron().fit(x, y), Perceptron(eta0=64.0).fit(x, y)
    np.testing.assert_allclose(other.coef_, 64 * one.coef_, rtol=1e-12)
    np.testing.assert_allclose(other.predict_proba(x), one.predict_proba(x), rtol=1e-9)


def overlapping(seed=0, n=80):
    rng = np.random.default_rng(seed)
    x = rng.normal([500.0, 0.01], [40.0, 0.002], (n, 2))
    return x, np.where((x - [500, 0.01]) @ [1 / 40, 1 / 0.002] + rng.normal(0, 0.7, n) > 0, 1, -1)


@pytest.mark.parametrize("storage", [np.asarray, csr_matrix])
def test_numbers_are_standardised_and_weights_told_in_the_units_of_the_table(storage):
    x, y = overlapping()
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    w, mistakes, counts, history = by_hand(z, y, 50)
    for variant, expected in (("plain", w), ("averaged", history.mean(axis=0))):
        with pytest.warns(ConvergenceWarning):
            model = Perceptron(variant=variant).fit(storage(x), y)
        assert model.n_mistakes_ == mistakes
        np.testing.assert_allclose(model.coef_[0], expected[1:] / x.std(axis=0), rtol=1e-8)
        np.testing.assert_allclose(model.decision_function(x), expected[0] + z @ expected[1:], rtol=1e-7, atol=1e-7)
    with pytest.warns(ConvergenceWarning):
        voted = Perceptron(variant="voted").fit(storage(x), y)
    votes = np.sign(np.column_stack([np.ones(len(z)), z]) @ history.T).mean(axis=1)
    np.testing.assert_allclose(voted.decision_function(storage(x)), votes, rtol=1e-9, atol=1e-12)
    with pytest.warns(ConvergenceWarning):
        dual = DualPerceptron(variant="plain").fit(storage(x), y)
    np.testing.assert_array_equal(dual.alpha_, counts)


def test_auto_keeps_the_line_that_separates_and_averages_where_none_does():
    x = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0, 0], [2, 0], [9, 9]], 30, axis=0)
    y = np.repeat(["a", "b", "c"], 30)
    fits = {}
    for variant in ("auto", "plain", "averaged"):
        with pytest.warns(ConvergenceWarning, match="'a', 'b', each against all others, cannot be separated"):
            fits[variant] = Perceptron(variant=variant).fit(x, y)
    apart = fits["auto"]._separated
    assert apart.tolist() == [False, False, True]
    for c, separated in enumerate(apart):
        np.testing.assert_array_equal(fits["auto"].coef_[c], fits["plain" if separated else "averaged"].coef_[c])


def test_zeros_and_ones_enter_like_false_and_true():
    rng = np.random.default_rng(2)
    yes, size = rng.random(60) < 0.3, rng.normal(100, 20, 60)
    y = (yes * 30 + size) > 110
    one = Perceptron().fit({"yes": yes, "size": size}, y)
    two = Perceptron().fit({"yes": yes.astype(int), "size": size}, y)
    np.testing.assert_allclose(one.coef_, two.coef_, rtol=1e-12)
    almost = Perceptron().fit({"x": 1 + 1e-6 * (size > 100)}, size > 100)  # far from it: one that hardly varies
    assert almost.score({"x": 1 + 1e-6 * (size > 100)}, size > 100) == 1.0


@pytest.mark.parametrize(("name", "least"), [("iris", 0.88), ("glass", 0.55), ("labor", 0.85), ("vote", 0.93)])
@pytest.mark.parametrize("learner", [Perceptron, DualPerceptron])
def test_defaults_do_well_on_tables_as_they_are(name, least, learner):
    from learnt import cross_validate, datasets

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert cross_validate(learner(), datasets.load(name), cv=5).mean("accuracy") > least


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 40), p=st.integers(1, 5))
def test_whether_rows_can_be_separated_at_all_is_told_as_a_linear_program_finds_it(seed, n, p):
    from scipy.optimize import linprog

    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(n, p)), np.where(rng.random(n) < 0.5, 1, -1)
    y[: n // 2 or 1] = np.where(x[: n // 2 or 1, 0] > 0, 1, -1)
    if len(set(y.tolist())) < 2:
        return
    rows = np.column_stack([np.ones(n), x]) * y[:, None]
    feasible = linprog(np.zeros(p + 1), -rows, -np.ones(n), bounds=(None, None)).status == 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = Perceptron(max_iter=1, standardize=False).fit(x, y)
    assert np.isnan(model.margin_) == (not feasible)
    assert model.margin_is_largest_
    said = " ".join(str(w.message) for w in caught)
    assert ("can be separated, but not in so few (max_iter=1)" in said) == (feasible and not model.converged_)
    assert ("however many passes" in said) == (not feasible)


def test_a_perceptron_on_its_way_tells_the_bound_it_has_not_reached():
    x, y, _ = separable(3, gap=0.02)
    with pytest.warns(ConvergenceWarning, match="can be separated"):
        model = Perceptron(max_iter=1).fit(x, y)
    assert "not yet separated; Novikoff's bound" in model.summary()
    assert model.n_mistakes_ <= model.mistake_bound_


def test_votes_take_the_side_of_the_line_where_its_sum_overflows():
    """Sides from exact fractions."""
    x = np.array([[1e300, 1e300], [1e300, -1e300], [-1e308, 1.0], [1.0, 2.0]])
    coef, intercept = np.array([[1e100, 1.0], [-1e100, 1e-5]]).T, np.array([-5.0, 1e10])
    expected = [
        [np.sign(float(s > 0) - float(s < 0)) for s in (
            sum(Fraction(a) * Fraction(b) for a, b in zip(row, line, strict=True)) + Fraction(b0)
            for line, b0 in zip(coef.T.tolist(), intercept.tolist(), strict=True)
        )]
        for row in x.tolist()
    ]  # fmt: skip
    np.testing.assert_array_equal(_sides(x, coef, intercept), expected)

"""The kernel perceptron: the dual by hand, exclusive or, and its limits."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

import learnt
from learnt import DualPerceptron, KernelPerceptron
from learnt.errors import ConvergenceWarning, InputError

AND = {"a": [0.0, 0.0, 1.0, 1.0], "b": [0.0, 1.0, 0.0, 1.0]}


def rings(n=120, seed=0):
    rng = np.random.default_rng(seed)
    angle, inner = rng.uniform(0, 2 * np.pi, n), rng.random(n) < 0.5
    far = np.where(inner, 1.0, 3.0) + 0.2 * rng.normal(size=n)
    return np.column_stack([far * np.cos(angle), far * np.sin(angle)]), np.where(inner, 1, -1)


def by_hand(gram, y, epochs, history=None):
    """The dual as it stands in books: the sum over all rows for every test."""
    alpha = np.zeros(len(y))
    for _ in range(epochs):
        wrong = 0
        for i in range(len(y)):
            if y[i] * ((alpha * y) @ gram[:, i]) <= 0:
                alpha[i] += 1
                wrong += 1
            if history is not None:
                history.append(alpha.copy())
        if not wrong:
            break
    return alpha


@pytest.mark.parametrize("kernel", ["linear", "polynomial", "rbf"])
@pytest.mark.parametrize("storage", [np.asarray, csr_matrix])
def test_counts_and_scores_are_those_by_hand(kernel, storage):
    x, y = rings()
    products = {
        "linear": x @ x.T,
        "polynomial": polynomial_kernel(x, degree=2, gamma=0.5, coef0=1.5),
        "rbf": rbf_kernel(x, gamma=0.5),
    }[kernel]
    gram = products + 1
    alpha = by_hand(gram, y, 30)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        settings = {"degree": 2, "gamma": 0.5, "coef0": 1.5, "standardize": False, "max_iter": 30}
        model = KernelPerceptron(variant="plain", kernel=kernel, **settings).fit(storage(x), y)
    np.testing.assert_array_equal(model.support_, np.flatnonzero(alpha))
    np.testing.assert_array_equal(model.alpha_, alpha[alpha > 0])
    np.testing.assert_allclose(model.decision_function(storage(x)), (alpha * y) @ gram, rtol=1e-9, atol=1e-9)


def test_the_linear_kernel_is_the_dual_perceptron():
    model = KernelPerceptron(kernel="linear", standardize=False).fit(AND, [-1, -1, -1, 1])
    assert model.alpha_.tolist() == DualPerceptron().fit(AND, [-1, -1, -1, 1]).alpha_.tolist() == [2, 5, 4, 7]


@pytest.mark.parametrize("kernel", ["polynomial", "rbf"])
def test_exclusive_or_is_separated(kernel):
    model = KernelPerceptron(kernel=kernel, degree=2).fit(AND, [0, 1, 1, 0])
    assert model.converged_
    assert model.predict(AND).tolist() == [0, 1, 1, 0]
    with pytest.warns(ConvergenceWarning, match="Another kernel"):
        KernelPerceptron(kernel="linear").fit(AND, [0, 1, 1, 0])


def test_rings_are_separated_and_new_rows_found():
    x, y = rings()
    new, truth = rings(seed=1)
    assert KernelPerceptron().fit(x, y).score(new, truth) > 0.97


def test_only_mistakes_are_remembered():
    x, y = rings()
    model = KernelPerceptron().fit(x, y)
    assert len(model.support_) < len(x) / 2
    assert model._rows.shape == (len(model.support_), 2)


def test_more_rows_than_fit_are_refused_before_any_work():
    with pytest.raises(InputError, match="20000 rows"):
        KernelPerceptron().fit(np.zeros((20_000, 1)), np.arange(20_000) % 2)


def test_products_that_overflow_are_refused_with_advice():
    x, y = rings()
    with pytest.raises(InputError, match="standardize"):
        KernelPerceptron(kernel="polynomial", degree=9, gamma=1.0, standardize=False).fit(x * 1e40, y)


@pytest.mark.parametrize("flipped", [0, 5])
def test_averages_and_votes_are_those_of_all_counts_on_the_way(flipped):
    """Of rings that are apart, and of rings with five rows on the wrong side."""
    x, y = rings(60)
    y[:flipped] *= -1
    gram, history = rbf_kernel(x, gamma=0.05) + 1, []
    last = by_hand(gram, y, 12, history)
    settings = {"gamma": 0.05, "standardize": False, "max_iter": 12}
    new = rings(40, seed=3)[0]
    likeness = rbf_kernel(new, x, gamma=0.05) + 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fits = {v: KernelPerceptron(variant=v, **settings).fit(x, y) for v in ("auto", "plain", "averaged", "voted")}
    mean = np.mean(history, axis=0)
    assert fits["auto"].converged_ == (flipped == 0)
    for variant, alpha in (("plain", last), ("averaged", mean), ("auto", mean if flipped else last)):
        np.testing.assert_allclose(fits[variant].decision_function(new), likeness @ (alpha * y), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(fits[variant].alpha_, alpha[last > 0], rtol=1e-9)
    votes = np.sign(likeness @ (np.array(history) * y).T).mean(axis=1)
    np.testing.assert_allclose(fits["voted"].decision_function(new), votes, rtol=1e-9, atol=1e-9)
    assert fits["voted"].explain(new)[0].total == pytest.approx(abs(votes[0]))


def test_weights_of_votes_show_rows_again():
    x, y = rings(60)
    counts = np.random.default_rng(2).integers(0, 3, len(x))
    for variant in ("averaged", "voted"):
        settings = {"variant": variant, "gamma": 0.3}
        weighted = KernelPerceptron(**settings).fit(x, y, counts)
        copied = KernelPerceptron(**settings).fit(np.repeat(x, counts, axis=0), np.repeat(y, counts))
        np.testing.assert_allclose(weighted.decision_function(x), copied.decision_function(x), rtol=1e-9, atol=1e-12)


def test_a_voting_model_is_the_same_after_saving(tmp_path):
    x, y = rings(60)
    y = np.where(x[:, 0] > 2, 2, y)  # three classes
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = KernelPerceptron(variant="voted", max_iter=5).fit(x, y)
    learnt.save(model, tmp_path / "model.learnt")
    np.testing.assert_array_equal(
        learnt.load(tmp_path / "model.learnt").decision_function(x), model.decision_function(x)
    )


@pytest.mark.parametrize("n", [60, 400])
def test_mistakes_stay_below_the_bound_in_the_space_of_the_kernel(n):
    x, y = rings(n)
    model = KernelPerceptron(gamma=0.5, standardize=False).fit(x, y)
    assert model.radius_ == pytest.approx(np.sqrt(2))  # exp(0) + 1
    assert model.n_mistakes_ <= model.mistake_bound_
    gram = rbf_kernel(x, gamma=0.5) + 1
    alpha = np.zeros(n)
    alpha[model.support_] = model.alpha_
    found = (y * (gram @ (alpha * y))).min() / np.sqrt((alpha * y) @ gram @ (alpha * y))
    assert model.margin_ >= found * (1 - 1e-9)  # no less than that of the border found
    assert model.margin_is_largest_ == (n == 60)
    assert "Novikoff's bound" in model.summary()


def test_the_bound_of_the_linear_kernel_is_that_of_the_perceptron():
    one = KernelPerceptron(kernel="linear").fit(AND, [-1, -1, -1, 1])
    two = DualPerceptron().fit(AND, [-1, -1, -1, 1])
    assert one.mistake_bound_ == pytest.approx(two.mistake_bound_)
    assert one.summary() == two.summary()


def test_rows_for_which_the_kernel_overflows_are_refused():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(30, 3)) * 1e-150, np.array(list("abc"))[np.arange(30) % 3]
    model = KernelPerceptron(kernel="polynomial", max_iter=5).fit(x, y)
    with pytest.raises(InputError, match="Row 1 holds values so large that the kernel overflows"):
        model.predict_proba([[0.0, 0.0, 0.0], [1e200, -1e200, 1e160]])

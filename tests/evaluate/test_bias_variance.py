"""Bias and variance: the parts add up, and are the known ones where they are known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

import learnt
from learnt.baseline import MajorityClassifier, MeanRegressor
from learnt.errors import InputError, LearntError, ParameterError
from learnt.evaluate import bias_variance, decompose_squared, decompose_zero_one

pytestmark = pytest.mark.usefixtures("forked_workers")


def test_the_parts_of_a_straight_line_are_those_of_theory():
    """Least squares on fixed x: variance σ²·xᵀ(XᵀX)⁻¹x and no bias; a constant is biased by what it leaves out."""
    rng = np.random.default_rng(0)
    n, fits, sigma = 25, 4000, 0.5
    x = np.linspace(-1, 1, n)
    X = np.column_stack([np.ones(n), x])
    truth = 1 + 2 * x
    new = np.linspace(-1.5, 1.5, 7)
    N = np.column_stack([np.ones(7), new])
    hat = N @ np.linalg.inv(X.T @ X) @ X.T
    answers = (truth + sigma * rng.normal(size=(fits, n))) @ hat.T
    y = 1 + 2 * new + sigma * rng.normal(size=7)
    found = decompose_squared(answers, y, 1 + 2 * new)
    variance = sigma**2 * np.mean(np.sum(N @ np.linalg.inv(X.T @ X) * N, axis=1))
    assert found.variance == pytest.approx(variance, rel=0.05)
    assert found.bias < 1e-3
    assert found.noise == pytest.approx(np.mean((y - 1 - 2 * new) ** 2))
    constant = decompose_squared(np.repeat(answers.mean(axis=1, keepdims=True) * 0 + 1, 7, axis=1), y, 1 + 2 * new)
    assert constant.bias == pytest.approx(np.mean((2 * new) ** 2))
    assert constant.variance == 0


@given(st.integers(1, 8), st.integers(1, 8), st.integers(0, 1000))
@settings(max_examples=50, deadline=None)
def test_squared_parts_add_up_to_the_mean_loss(fits, rows, seed):
    rng = np.random.default_rng(seed)
    f, y = rng.normal(size=(fits, rows)), rng.normal(size=rows)
    found = decompose_squared(f, y)
    assert found.bias + found.variance == pytest.approx(found.mean_loss)
    assert found.mean_loss == pytest.approx(np.mean((f - y) ** 2))
    assert 0 <= found.stability <= 1


@given(st.integers(1, 9), st.integers(1, 9), st.integers(2, 4), st.integers(0, 1000))
@settings(max_examples=80, deadline=None)
def test_zero_one_parts_add_up_to_the_error_rate_after_both_schools(fits, rows, classes, seed):
    rng = np.random.default_rng(seed)
    f, y = rng.integers(0, classes, (fits, rows)), rng.integers(0, classes, rows)
    found = decompose_zero_one(f, y)
    error = np.mean(f != y)
    assert found.mean_loss == pytest.approx(error)
    assert found.bias + found.variance == pytest.approx(error)
    assert sum(found.kohavi_wolpert) == pytest.approx(error)
    assert min(found.kohavi_wolpert) >= 0
    main = np.array([np.bincount(f[:, i], minlength=classes).argmax() for i in range(rows)])
    assert found.bias == pytest.approx(np.mean(main != y))
    agree = [np.mean(f[a] == f[b]) for a in range(fits) for b in range(a)]
    assert found.stability == pytest.approx(np.mean(agree) if agree else 1.0)


def test_labels_are_as_good_as_codes():
    codes = np.array([[0, 1, 1], [0, 0, 1]])
    words = np.array(["no", "yes"])
    assert str(decompose_zero_one(codes, [0, 1, 0])) == str(decompose_zero_one(words[codes], words[[0, 1, 0]]))


def test_variance_of_a_mean_is_the_noise_over_the_rows_and_its_bias_is_none():
    """The mean of m rows varies by σ²/m; resamples that share rows would show half of that as bias."""
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(900, 1)), rng.normal(size=900)
    found = [bias_variance(MeanRegressor(), x, y + 5, truth=np.full(900, 5.0), n=40, random_state=s) for s in range(12)]
    m = 300  # a half of two thirds
    assert np.mean([r.variance for r in found]) == pytest.approx(1 / m, rel=0.15)
    assert abs(np.mean([r.bias for r in found])) < 0.5 / m
    assert {r.n_fits for r in found} == {40}
    for r in found:
        assert r.bias + r.variance + r.noise == pytest.approx(r.mean_loss)


def test_halves_share_no_row():
    from learnt.evaluate.decomposition import _fits
    from learnt.evaluate.problem import problem

    task = problem(learnt.datasets.load("iris"))
    cut = list(_fits(task, np.arange(0, 150, 3), 7, 0))
    assert len(cut) == 8
    for one, other in zip(cut[0::2], cut[1::2], strict=True):
        assert len(one.train) == len(other.train) == 50
        rows = [set(part.tolist()) for part in (one.train, other.train, one.test)]
        assert len(set.union(*rows)) == sum(map(len, rows)) == 150


def test_a_rigid_learner_is_biased_and_a_supple_one_varies():
    rng = np.random.default_rng(0)
    x = rng.uniform(-3, 3, size=(300, 1))
    truth = np.sin(2 * x[:, 0])
    y = truth + 0.3 * rng.normal(size=300)
    rigid = bias_variance(MeanRegressor(), x, y, truth=truth, n=30)
    supple = bias_variance(DecisionTreeRegressor(random_state=0), x, y, truth=truth, n=30)
    assert rigid.bias > 5 * supple.bias
    assert supple.variance > 5 * rigid.variance
    assert rigid.noise == supple.noise == pytest.approx(0.09, rel=0.3)
    assert rigid.stability < supple.stability
    straight = bias_variance(LinearRegression(), x, 2 * x[:, 0] + 0.3 * rng.normal(size=300), truth=2 * x[:, 0], n=30)
    assert straight.bias < 0.01
    assert straight.stability > 0.99


def test_classes_are_judged_by_the_error_rate_and_baselines_are_stable():
    iris = learnt.datasets.load("iris")
    tree = bias_variance(learnt.DecisionTreeClassifier(), iris, n=15)
    assert tree.n_test == 50
    assert tree.mean_loss < 0.2
    assert tree.stability > 0.8
    rows = {"x": range(90), "y": ["p"] * 80 + ["q"] * 10}
    constant = bias_variance(MajorityClassifier(), rows, "y", n=10)
    assert (constant.variance, constant.stability) == (0, 1)
    assert constant.bias == constant.mean_loss == pytest.approx(1 / 9, abs=0.03)


def test_it_depends_on_the_seed_alone():
    iris = learnt.datasets.load("iris")
    one, two, other = (
        bias_variance(learnt.DecisionTreeClassifier(), iris, n=6, n_jobs=jobs, random_state=seed)
        for jobs, seed in ((1, 0), (2, 0), (1, 1))
    )
    assert str(one) == str(two) != str(other)


def test_it_prints_and_draws_its_parts():
    import matplotlib as mpl

    mpl.use("Agg")
    from learnt.plot.resampling import plot_bias_variance

    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=(60, 1)), rng.normal(size=60)
    known = bias_variance(MeanRegressor(), x, x[:, 0] + noise, truth=x[:, 0], n=10)
    open_ = bias_variance(MeanRegressor(), x, x[:, 0] + noise, n=10)
    assert list(known.parts()) == ["bias²", "variance", "noise"]
    assert list(open_.parts()) == ["bias² (with noise)", "variance"]
    axes = plot_bias_variance([known, known], ["one", "two"])
    widths = [patch.get_width() for patch in axes.patches[:3]]
    assert sum(widths) == pytest.approx(known.mean_loss)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: decompose_squared([1.0, 2.0], [1.0]), "fits × rows"),
        (lambda: bias_variance(MajorityClassifier(), [[1.0], [2.0]], ["a", "b"]), "cannot be halved"),
        (lambda: decompose_squared([[1.0, 2.0]], [1.0]), "one target per row"),
        (lambda: decompose_zero_one([["a"]], ["a", "b"]), "one target per row"),
        (lambda: bias_variance(MeanRegressor(), [[1.0], [2.0], [3.0]], [1.5, 2.0, 3.0], n=1), "at least 2"),
        (lambda: bias_variance(MeanRegressor(), [[1.0], [2.0], [3.0]], [1.5, 2.0, 3.0], truth=[1.0]), "3 rows"),
        (
            lambda: bias_variance(MajorityClassifier(), [[1.0], [2.0]] * 3, ["a", "b"] * 3, truth=[1.0] * 6),
            "for numbers",
        ),
    ],
)
def test_wrong_calls_are_said(call, message):
    with pytest.raises((InputError, ParameterError, LearntError), match=message):
        call()

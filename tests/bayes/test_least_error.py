"""The Bayes error of known distributions, against formulas and brute force."""

import numpy as np
import pytest
from scipy.stats import binom, expon, multivariate_normal, norm, poisson, uniform

import learnt
from learnt import bayes_error
from learnt.errors import LearntError

RNG = np.random.default_rng(6)


def test_of_tables_it_is_what_the_largest_joint_probabilities_leave():
    p, prior = RNG.dirichlet(np.ones(7), 3), RNG.dirichlet(np.ones(3))
    joint = p * prior[:, None]
    for found in (bayes_error(p, prior), bayes_error(joint)):
        assert found.value == pytest.approx(1 - joint.max(axis=0).sum())
        assert (found.error, found.method) == (0, "sum")
    assert float(bayes_error(joint)) == bayes_error(joint).value


def test_with_a_loss_it_is_the_least_risk():
    joint, loss = RNG.dirichlet(np.ones(12)).reshape(3, 4), RNG.random((3, 3)) * 10
    risks = [[sum(joint[c, x] * loss[c, a] for c in range(3)) for a in range(3)] for x in range(4)]
    assert bayes_error(joint, loss=loss).value == pytest.approx(sum(min(r) for r in risks))


@pytest.mark.parametrize(("a", "b", "s"), [(0, 2, 1), (-3, 0.1, 0.5), (100, 104, 1.5)])
def test_two_bell_curves_of_one_width_err_by_half_their_distance(a, b, s):
    found = bayes_error([norm(a, s), norm(b, s)])
    assert found.value == pytest.approx(norm.cdf(-abs(a - b) / (2 * s)), abs=1e-10)
    assert abs(found.value - norm.cdf(-abs(a - b) / (2 * s))) <= found.error + 1e-12
    assert found.method == "integral"


def test_unequal_priors_and_widths_agree_with_a_fine_sum():
    classes, prior = [norm(0, 1), norm(1, 3), norm(4, 0.2)], [0.5, 0.3, 0.2]
    x = np.linspace(-30, 40, 2_000_001)
    joint = np.array([p * d.pdf(x) for p, d in zip(prior, classes, strict=True)])
    direct = 1 - np.trapezoid(joint.max(axis=0), x)
    assert bayes_error(classes, prior).value == pytest.approx(direct, abs=1e-7)


def test_distributions_with_ends_are_integrated_up_to_them():
    assert bayes_error([uniform(0, 2), uniform(1, 2)]).value == pytest.approx(0.25, abs=1e-9)
    assert bayes_error([uniform(0, 1), uniform(5, 1)]).value == pytest.approx(0, abs=1e-12)
    crossing = np.log(4) / 3  # e^−x = 4e^−4x
    expected = 0.5 * (np.exp(-4 * crossing) + 1 - np.exp(-crossing))
    assert bayes_error([expon(), expon(scale=0.25)]).value == pytest.approx(expected, abs=1e-9)


def test_discrete_distributions_are_summed():
    x = np.arange(400)
    for classes in ([poisson(3), poisson(9)], [binom(20, 0.3), binom(20, 0.6)]):
        expected = 1 - np.maximum(0.4 * classes[0].pmf(x), 0.6 * classes[1].pmf(x)).sum()
        assert bayes_error(classes, [0.4, 0.6]).value == pytest.approx(expected, abs=1e-12)


def test_of_several_columns_it_is_estimated_with_its_error():
    sigma = np.array([[2.0, 0.6], [0.6, 1.0]])
    a, b = np.zeros(2), np.array([1.0, 1.5])
    distance = np.sqrt((a - b) @ np.linalg.solve(sigma, a - b))
    exact = norm.cdf(-distance / 2)
    found = [
        bayes_error([multivariate_normal(a, sigma), multivariate_normal(b, sigma)], n=20_000, random_state=s)
        for s in range(40)
    ]
    off = np.array([(f.value - exact) / f.error for f in found])
    assert np.abs(off).max() < 4.5
    assert 0.6 < off.std() < 1.5  # the error told is the error made
    assert str(found[0]).endswith("(Monte Carlo)")


def test_of_a_model_it_is_that_of_its_own_distribution():
    x = np.concatenate([RNG.normal(0, 1, 500), RNG.normal(2, 1, 500)])[:, None]
    y = np.repeat([0, 1], 500)
    model = learnt.DiscriminantClassifier().fit(x, y)
    apart = abs(model.means_[0, 0] - model.means_[1, 0]) / np.sqrt(model.covariance_[0, 0])
    found = bayes_error(model, random_state=0)
    assert abs(found.value - norm.cdf(-apart / 2)) < 4.5 * found.error


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: bayes_error([[0.5, 0.6], [0.5, 0.5]], [0.5, 0.5]),
        lambda: bayes_error([[0.5, 0.5]]) and bayes_error([[0.5, -0.5]]),
        lambda: bayes_error("nothing"),
        lambda: bayes_error([]),
        lambda: bayes_error([norm(), poisson(3)]),
        lambda: bayes_error([norm(), norm(1)], [0.5, 0.6]),
        lambda: bayes_error([norm(), norm(1)], n=1),
        lambda: bayes_error([norm(), norm(1)], [1 / 3] * 3),
    ],
)
def test_what_is_no_distribution_is_refused(wrong):
    with pytest.raises(LearntError):
        wrong()

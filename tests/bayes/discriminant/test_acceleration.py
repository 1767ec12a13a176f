"""Anderson's acceleration of steps whose end is known."""

import numpy as np

from learnt.bayes.discriminant.acceleration import Acceleration
from learnt.bayes.discriminant.expected_products import Gaussians


def test_acceleration_finds_the_end_of_steps_that_shrink_by_few_factors():
    """Steps that are linear in means and logarithms of covariances, two factors: two differences tell all."""
    end = Gaussians.of(np.array([[1.0, -2.0]]), np.array([[[2.0, 0.5], [0.5, 1.0]]]), 1e-8)
    at = Gaussians.of(np.array([[0.0, 0.0]]), np.array([np.eye(2)]), 1e-8)

    def step(g):
        mean = end.mean + np.array([0.9, 0.5]) * (g.mean - end.mean)
        return Gaussians.of_logarithm(mean, end.logarithm + 0.9 * (g.logarithm - end.logarithm), np.log(1e-8))

    acceleration = Acceleration()
    for _ in range(3):
        at = acceleration.beyond(at, step(at), 1e-8)
    np.testing.assert_allclose(at.mean, end.mean, atol=1e-9)
    np.testing.assert_allclose(at.covariance, end.covariance, atol=1e-9)


def test_acceleration_leaves_a_saddle_point_by_longer_and_longer_steps():
    """Steps grow by a factor away from 0; their smallest combination would lead there."""
    acceleration, spread = Acceleration(), np.array([np.eye(2)])
    at = Gaussians.of(np.array([[1e-6, 0.0]]), spread, 1e-8)
    for _ in range(12):
        at = acceleration.beyond(at, Gaussians.of(1.05 * at.mean, spread, 1e-8), 1e-8)
    assert at.mean[0, 0] > 1.0
    acceleration.led_down()
    assert acceleration.beyond(at, at, 1e-8) is at


def test_the_first_step_is_the_one_given():
    at = Gaussians.of(np.array([[0.0]]), np.array([[[1.0]]]), 1e-8)
    to = Gaussians.of(np.array([[1.0]]), np.array([[[2.0]]]), 1e-8)
    assert Acceleration().beyond(at, to, 1e-8) is to


def test_what_is_guessed_is_positive_definite_however_far_it_goes():
    """Variances that fall by a factor each step: the guess goes far, and never below the least."""
    acceleration, rng = Acceleration(), np.random.default_rng(0)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    at = Gaussians.of(np.zeros((1, 3)), (turn @ np.diag([1.0, 2.0, 3.0]) @ turn.T)[None], 1e-8)
    for _ in range(8):
        smaller = turn @ np.diag([0.1, 0.5, 0.9]) @ turn.T
        to = Gaussians.of(at.mean, np.array([smaller @ at.covariance[0] @ smaller]), 1e-8)
        at = acceleration.beyond(at, to, 1e-8)
        assert np.linalg.eigvalsh(at.covariance[0]).min() > 0.99e-8

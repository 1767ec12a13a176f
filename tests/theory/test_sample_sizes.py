"""Sample sizes: the numbers of the textbook, each unknown solved back, and simulations that keep the promise."""

import math

import numpy as np
import pytest

from learnt.errors import ParameterError
from learnt.theory import agnostic_bound, consistent_bound, vc_bound

UNKNOWNS = {
    consistent_bound: {"m": 400, "epsilon": 0.07, "delta": 0.02, "log_hypotheses": 9.0},
    agnostic_bound: {"m": 4000, "epsilon": 0.07, "delta": 0.02, "log_hypotheses": 9.0},
    vc_bound: {"m": 9000, "epsilon": 0.07, "delta": 0.02, "vc": 5.0},
}


def test_the_numbers_of_the_textbook():
    few = {"epsilon": 0.1, "delta": 0.05}
    assert consistent_bound(**few, hypotheses=973).value == pytest.approx(98.76, abs=0.005)
    assert consistent_bound(**few, hypotheses=973).m == 99
    assert agnostic_bound(**few, hypotheses=973).m == 494
    assert consistent_bound(**few, hypotheses=3**10).m == 140
    assert consistent_bound(**few, hypotheses=2 ** (2**3)).m == 86
    assert vc_bound(**few, vc=3).m == 1899


def test_classes_beyond_all_numbers_are_given_by_their_logarithm():
    n = 40
    found = consistent_bound(epsilon=0.1, delta=0.05, log_hypotheses=2**n * math.log(2))
    assert found.value == pytest.approx((2**n * math.log(2) + math.log(20)) / 0.1)
    assert consistent_bound(epsilon=0.1, delta=0.05, hypotheses=2 ** (2**12)).log_hypotheses == pytest.approx(
        4096 * math.log(2)
    )


@pytest.mark.parametrize("bound", UNKNOWNS)
def test_each_unknown_solved_gives_the_others_back(bound):
    given = UNKNOWNS[bound]
    rows = bound(**(given | {"m": None})).value
    whole = given | {"m": rows}
    for name, value in whole.items():
        assert bound(**(whole | {name: None})).value == pytest.approx(value, rel=1e-9), name


@pytest.mark.parametrize("bound", UNKNOWNS)
def test_exactly_one_is_left_out(bound):
    with pytest.raises(ParameterError, match="exactly one"):
        bound(**UNKNOWNS[bound])
    with pytest.raises(ParameterError, match="exactly one"):
        bound(epsilon=0.1)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"epsilon": 0, "delta": 0.1, "hypotheses": 5}, "epsilon is 0"),
        ({"epsilon": 0.1, "delta": 1, "hypotheses": 5}, "delta is 1"),
        ({"epsilon": 0.1, "delta": 0.1, "hypotheses": 0}, "hypotheses is 0"),
        ({"epsilon": 0.1, "m": 0, "hypotheses": 5}, "m is 0"),
        ({"epsilon": 0.1, "delta": 0.1, "hypotheses": 5, "log_hypotheses": 2}, "not both"),
    ],
)
def test_numbers_that_cannot_be_are_named(settings, words):
    with pytest.raises(ParameterError, match=words):
        consistent_bound(**settings)


def test_the_word_vacuous():
    assert "vacuous" in str(consistent_bound(m=10, delta=0.05, hypotheses=10**9))
    assert "vacuous" not in str(consistent_bound(m=1000, delta=0.05, hypotheses=10**9))


def test_consistent_learners_keep_the_promise():
    """Thresholds on 200 values: of many samples of the size said, at most a share δ leaves an error above ε."""
    rng, epsilon, delta = np.random.default_rng(0), 0.1, 0.1
    m = consistent_bound(epsilon=epsilon, delta=delta, hypotheses=201).m
    truth, failed = 77, 0
    for _ in range(2000):
        x = rng.integers(0, 200, m)
        inside = x[x >= truth]
        learnt_threshold = inside.min() if len(inside) else 200
        failed += (learnt_threshold - truth) / 200 > epsilon
    assert failed / 2000 <= delta

"""Greedy selection against all mixtures, and against its own definition step by step."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from learnt.evaluate.ensembling.greedy import greedy_weights, log_loss_of_truth, squared_loss


def by_hand(answers: np.ndarray, loss, rounds: int) -> np.ndarray:
    """One member after another, as the paper has it."""
    chosen: list[int] = []
    history = []
    for _ in range(rounds):
        tried = [float(loss(np.mean(answers[[*chosen, m]], axis=0))) for m in range(len(answers))]
        chosen.append(int(np.argmin(tried)))
        history.append(min(tried))
    best = chosen[: int(np.argmin(history)) + 1]
    return np.bincount(best, minlength=len(answers)) / len(best)


@pytest.mark.parametrize("seed", range(5))
def test_members_are_chosen_as_the_paper_has_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, w = rng.beta(3, 1, (4, 60)), rng.integers(1, 4, 60).astype(float)
    for weights in (None, w):
        loss = log_loss_of_truth(weights)
        np.testing.assert_allclose(greedy_weights(p, loss, 12), by_hand(p, loss, 12))
    y = rng.standard_normal(60)
    f = y + rng.standard_normal((4, 60))
    np.testing.assert_allclose(greedy_weights(f, squared_loss(y, None), 12), by_hand(f, squared_loss(y, None), 12))


def test_it_comes_near_the_best_mixture() -> None:
    rng = np.random.default_rng(1)
    y = rng.standard_normal(300)
    f = np.array([y + s * rng.standard_normal(300) for s in (0.5, 0.7, 1.0)])
    loss = squared_loss(y, None)
    found = float(loss(greedy_weights(f, loss) @ f))
    steps = np.arange(51) / 50
    every = [np.array([a, b, 1 - a - b]) for a, b in itertools.product(steps, steps) if a + b <= 1]
    least = min(float(loss(w @ f)) for w in every)
    assert found <= least * 1.001
    assert found <= float(loss(f).min())


def test_a_weight_of_two_is_a_row_twice_and_of_nothing_no_row() -> None:
    rng = np.random.default_rng(2)
    p, counts = rng.beta(3, 1, (5, 40)), rng.integers(0, 3, 40)
    weighted = greedy_weights(p, log_loss_of_truth(counts.astype(float)))
    copied = greedy_weights(np.repeat(p, counts, axis=1), log_loss_of_truth(None))
    np.testing.assert_allclose(weighted, copied)


def test_of_equal_members_the_first_is_taken_alone() -> None:
    p = np.full((3, 10), 0.7)
    np.testing.assert_array_equal(greedy_weights(p, log_loss_of_truth(None)), [1, 0, 0])
    y = np.zeros(10)
    np.testing.assert_array_equal(greedy_weights(np.zeros((2, 10)), squared_loss(y, None)), [1, 0])


def test_certain_errors_and_large_numbers_do_not_stop_it() -> None:
    p = np.array([[0.0, 1.0], [0.6, 0.6]])
    assert greedy_weights(p, log_loss_of_truth(None)).sum() == 1
    y = np.array([1e150, -1e150])
    np.testing.assert_array_equal(greedy_weights(np.array([[0.0, 0.0], y]), squared_loss(y, None)), [0, 1])

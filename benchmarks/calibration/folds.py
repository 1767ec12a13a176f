"""Tests and intervals of cross-validated scores, on learners that really learn.

Two classes differ by the same amount in two columns, and one learner sees the first column, the other the second. By
symmetry both have the same expected accuracy for every number of training rows, which is what the tests of
cross-validated scores take for granted, and their scores have all the dependence that folds give: through shared
training rows and through shared test rows. A cut halfway between the class means hardly depends on single training
rows, the nearest neighbour depends on nothing else: between the two lie most learners.
"""

from __future__ import annotations

from functools import cache, partial

import numpy as np

from calibration import Answers, group, holds
from learnt.evaluate import METRICS, bayesian_t_test, corrected_t_test, five_by_two_test, paired_t_test
from learnt.evaluate.comparison.standings import mean_interval, score_interval
from learnt.evaluate.significance import SamplingErrors

ACCURACY = METRICS["accuracy"]
CAUTIOUS = "cautious: scores of this learner correlate less than is allowed for"
LIBERAL = "too easy: training sets share rows, as its page says"
UNSTABLE = "too easy: scores of this learner correlate more than is allowed for"


def draw(rng: np.random.Generator, n: int, times: int) -> tuple[np.ndarray, np.ndarray]:
    """Classes (times × n, half of each in random order) and columns (times × 2 × n)."""
    y = rng.permuted(np.tile(np.arange(n) % 2, (times, 1)), axis=1)
    return y, 1.5 * y[:, None, :] + rng.normal(size=(times, 2, n))


def cut(y: np.ndarray, x: np.ndarray, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Whether each test row is answered right, times × 2 × tests, by a cut between the means of two classes."""
    own, seen = y[:, None, train], x[:, :, train]
    ones = own.sum(axis=2)
    high = (seen * own).sum(axis=2) / np.maximum(ones, 1)
    low = (seen * (1 - own)).sum(axis=2) / np.maximum(len(train) - ones, 1)
    above = x[:, :, test] > ((high + low) / 2)[:, :, None]
    return (above == (high > low)[:, :, None]) == y[:, None, test]


def nearest(y: np.ndarray, x: np.ndarray, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """The same by the class of the nearest training row."""
    place = np.abs(x[:, :, test, None] - x[:, :, None, train]).argmin(axis=3)
    found = np.take_along_axis(np.broadcast_to(y[:, None, train], (*x.shape[:2], len(train))), place, axis=2)
    return found == y[:, None, test]


LEARNERS = {"cut": cut, "nearest": nearest}


def splits(rng: np.random.Generator, n: int, kind: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """Training and test rows of each fold."""
    rows = np.arange(n)
    if kind == "folds":
        return [(rows[rows % 10 != f], rows[rows % 10 == f]) for f in range(10)]
    found = []
    for _ in range(5 if kind == "halves" else 30):
        order = rng.permutation(n)
        held = n // 2 if kind == "halves" else n // 10
        found.append((order[held:], order[:held]))
        if kind == "halves":
            found.append((order[:held], order[held:]))
    return found


def right(rng: np.random.Generator, learner: str, n: int, times: int, kind: str) -> list[np.ndarray]:
    """Of each fold, whether each test row is answered right: times × 2 × tests."""
    y, x = draw(rng, n, times)
    return [LEARNERS[learner](y, x, train, test) for train, test in splits(rng, n, kind)]


def scores(answers: list[np.ndarray]) -> np.ndarray:
    """times × 2 × folds."""
    return np.stack([a.mean(axis=2) for a in answers], axis=2)


@cache
def expected(learner: str, n: int) -> float:
    """The accuracy that ten folds estimate: that of training sets of 9/10 of the rows. Its own error is less than a
    fiftieth of the intervals' width."""
    times = 3_000 if n < 1000 else 300
    rng, step = np.random.default_rng(1), 100 if n < 1000 else 10
    return float(np.mean([scores(right(rng, learner, n, step, "folds")).mean() for _ in range(times // step)]))


def _folds(rng: np.random.Generator, n: int, times: int, learner: str) -> Answers:
    answers = right(rng, learner, n, times, "folds")
    folds, rows, truth = scores(answers), np.concatenate(answers, axis=2).astype(float), expected(learner, n)
    found: dict[str, list[float | bool]] = {}
    for run in range(times):
        a, b = folds[run]
        sizes = {"n_train": 0.9 * n, "n_test": 0.1 * n}
        means = rows[run].mean(axis=1)
        errors = SamplingErrors.from_rows(means, (rows[run] - means[:, None]).T / n, 1 + n / (0.9 * n))
        interval = score_interval(float(means[0]), float(errors.standard_errors[0]), errors, ACCURACY)
        t = float(errors.statistics[0, 1])
        answer = {
            "paired_t_test": paired_t_test(a, b).p_value,
            "corrected_t_test": corrected_t_test(a, b, **sizes).p_value,
            "bayesian_t_test(rope=0), either ≥ .975": _either(a, b),
            "compare().ties, a pair": errors.p_value(t) if t else 1.0,
            "cross_validate().interval": holds(mean_interval(a, *sizes.values(), ACCURACY), truth),
            "compare().leaderboard": holds(interval, truth),
        }
        for name, value in answer.items():
            found.setdefault(name, []).append(value)
    return {name: np.array(values) for name, values in found.items()}


def _either(a: np.ndarray, b: np.ndarray) -> float:
    test = bayesian_t_test(a, b, rho=0.1, rope=0.0)
    return 2 * min(test.first_higher, test.second_higher)


def _repeated(rng: np.random.Generator, n: int, times: int, learner: str) -> Answers:
    resamples = scores(right(rng, learner, n, times, "resamples"))
    halves = scores(right(rng, learner, n, times, "halves"))
    size = {"n_train": n - n // 10, "n_test": n // 10}
    return {
        "paired_t_test, 30 resamples": np.array([paired_t_test(a, b).p_value for a, b in resamples]),
        "corrected_t_test, 30 resamples": np.array([corrected_t_test(a, b, **size).p_value for a, b in resamples]),
        "five_by_two_test": np.array([five_by_two_test(a, b).p_value for a, b in halves]),
        "five_by_two_test(statistic='f')": np.array([five_by_two_test(a, b, statistic="f").p_value for a, b in halves]),
    }


OF_FOLDS = (
    "corrected_t_test",
    "bayesian_t_test(rope=0), either ≥ .975",
    "compare().ties, a pair",
    "cross_validate().interval",
    "compare().leaderboard",
)
KNOWN = {
    "cut": dict.fromkeys((*OF_FOLDS, "five_by_two_test", "five_by_two_test(statistic='f')"), CAUTIOUS)
    | dict.fromkeys(("paired_t_test", "paired_t_test, 30 resamples"), LIBERAL),
    "nearest": {"cross_validate().interval": "narrow: folds of three rows are far from Gaussian"}
    | dict.fromkeys(("compare().leaderboard", "compare().ties, a pair"), CAUTIOUS)
    | dict.fromkeys(("paired_t_test", "paired_t_test, 30 resamples"), LIBERAL)
    | dict.fromkeys(
        ("corrected_t_test, 30 resamples", "five_by_two_test", "five_by_two_test(statistic='f')"), UNSTABLE
    ),
}


def _enter() -> None:
    for learner, words in (("cut", "two cuts between class means"), ("nearest", "two nearest neighbours")):
        for kind, play, sizes in (
            ("ten folds of n rows", _folds, (30, 100, 1000)),
            ("resamples and halves of n rows", _repeated, (100,)),
        ):
            own = partial(play, learner=learner)
            own.__name__, own.__module__ = f"{play.__name__[1:]}_{learner}", __name__  # type: ignore[attr-defined]
            group(f"{words}, {kind}", sizes, known=KNOWN[learner])(own)


_enter()

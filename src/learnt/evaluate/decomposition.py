"""Bias and variance: how much of a learner's loss comes from what it cannot say, how much from chance in its rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError, ParameterError
from learnt.evaluate.folds import Fold
from learnt.evaluate.foreign import check_learner, learner_task
from learnt.evaluate.problem import Problem, problem
from learnt.evaluate.splits.k_folds import seeds
from learnt.evaluate.splits.shuffled import part_sizes, spread
from learnt.evaluate.splits.strata import quantile_bins
from learnt.evaluate.words import check_call
from learnt.evaluate.workers.running import run_folds
from learnt.learner.parameters import seed_from
from learnt.show.numbers import number, percent
from learnt.show.text_table import aligned


@dataclass(frozen=True, eq=False)
class BiasVariance:
    """The mean loss of many fits of one learner on the same test rows, in its parts.

    | field | meaning |
    |---|---|
    | `loss` | "squared" or "zero_one" |
    | `mean_loss` | of all fits on all test rows: `bias + variance + noise` |
    | `bias` | loss of the main answer (the mean of the fits, or the class most of them give), squared or 0/1 |
    | `variance` | what is added by fits that differ from the main answer; for classes the net of the next two |
    | `noise` | variance of the target itself; None where the truth is not known, and then part of `bias` |
    | `unbiased_variance` | for classes: disagreement where the main answer is right, which adds to the loss |
    | `biased_variance` | for classes: right answers where the main answer is wrong, which take from the loss |
    | `kohavi_wolpert` | for classes: the other usual parts, (bias², variance), which are never negative |
    | `stability` | how much fits agree, 1 at best |

    Stability is the share of pairs of fits that answer a row alike; for numbers, the share of the answers' variance
    that lies between rows and not between fits.
    """

    loss: str
    mean_loss: float
    bias: float
    variance: float
    noise: float | None
    stability: float
    n_fits: int
    n_test: int
    unbiased_variance: float | None = None
    biased_variance: float | None = None
    kohavi_wolpert: tuple[float, float] | None = None
    learner: Any = None

    def parts(self) -> dict[str, float]:
        """The parts of the mean loss, by name."""
        squared = self.loss == "squared"
        name = ("bias²" if squared else "bias") + ("" if self.noise is not None else " (with noise)")
        parts = {name: self.bias, "variance": self.variance}
        return parts if self.noise is None else {**parts, "noise": self.noise}

    def __str__(self) -> str:
        who = "" if self.learner is None else f"{self.learner!r}: "
        what = "mean squared error" if self.loss == "squared" else "error rate"
        rows = [[f"{what}", number(self.mean_loss)], *([name, number(part)] for name, part in self.parts().items())]
        lines = [f"{who}{self.n_fits} fits, {self.n_test} test rows", aligned(rows, (0,))]
        if self.unbiased_variance is not None and self.biased_variance is not None and self.kohavi_wolpert is not None:
            bias, variance = self.kohavi_wolpert
            lines.append(
                f"Variance {number(self.unbiased_variance)} where the main answer is right, less "
                f"{number(self.biased_variance)} where it is wrong."
            )
            lines.append(f"After Kohavi and Wolpert: bias² {number(bias)}, variance {number(variance)}.")
        agreement = "of pairs of fits agree" if self.loss != "squared" else "of the answers' variance lies in the rows"
        lines.append(f"Stability: {percent(self.stability, 1)} {agreement}.")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<BiasVariance: bias {number(self.bias)}, variance {number(self.variance)}>"

    def plot(self, ax: Any = None) -> Any:
        """Draw the parts as one bar; returns the matplotlib axes."""
        from learnt.plot.resampling import plot_bias_variance

        return plot_bias_variance([self], ax=ax)


def decompose_squared(answers: Any, y: Any, truth: Any = None) -> BiasVariance:
    """The parts of the squared loss of `answers` (fits × rows) to observed numbers `y`.

        E(y − f)² = (t − f̄)² + E(f − f̄)² + E(y − t)²

    `truth` t is the noiseless target of each row, where it is known; without it the noise counts as bias. The parts
    add up to the mean loss against fresh observations of the same rows, of which the noise is E(y − t)².

    >>> print(decompose_squared([[1.0, 2.0], [3.0, 2.0]], [2.0, 3.0]))
    2 fits, 2 test rows
    mean squared error      1
    bias² (with noise)    0.5
    variance              0.5
    Stability: 0.0 % of the answers' variance lies in the rows.
    """
    f, target = _checked_answers(answers, y)
    main = f.mean(axis=0)
    variance = float(f.var(axis=0).mean())
    noise = None
    aim = target
    if truth is not None:
        aim = _checked_answers(answers, truth)[1]
        noise = float(((target - aim) ** 2).mean())
    bias = float(((aim - main) ** 2).mean())
    between = float(main.var())
    stability = 1.0 if between + variance == 0 else between / (between + variance)
    return BiasVariance("squared", bias + variance + (noise or 0.0), bias, variance, noise, stability, *f.shape)


def decompose_zero_one(answers: Any, y: Any) -> BiasVariance:
    """The parts of the 0/1 loss of `answers` (fits × rows, labels or codes) to the observed classes `y`.

    The main answer is the class most fits give. After Domingos, variance adds to the loss where that is right and
    takes from it where that is wrong; after Kohavi and Wolpert with p_k the share of fits that answer k,
    bias² = ½ Σ(1[y = k] − p_k)² and variance = ½(1 − Σ p_k²). Both add up to the error rate.

    >>> result = decompose_zero_one([["a", "b"], ["a", "a"], ["b", "a"]], ["a", "b"])
    >>> round(result.mean_loss, 3), result.bias, round(result.unbiased_variance, 3), round(result.biased_variance, 3)
    (0.5, 0.5, 0.167, 0.167)

    References: P. Domingos, A unified bias-variance decomposition, 2000; R. Kohavi, D. Wolpert, Bias plus variance
    decomposition for zero-one loss functions, 1996.
    """
    f, target = np.asarray(answers), np.asarray(y)
    _check_shapes(f, target)
    labels, codes = np.unique(np.concatenate([f.ravel(), target]), return_inverse=True)
    f, target = codes[: f.size].reshape(f.shape), codes[f.size :]
    n_fits, n_rows = len(f), len(target)
    votes = np.zeros((n_rows, len(labels)), np.int64)
    np.add.at(votes, (np.broadcast_to(np.arange(n_rows), f.shape), f), 1)
    share = votes / n_fits
    main = votes.argmax(axis=1)
    right = main == target
    hit = share[np.arange(n_rows), target]
    unbiased = float(np.where(right, 1 - hit, 0).mean())
    biased = float(np.where(right, 0, hit).mean())
    bias = float((~right).mean())
    one_hot = np.eye(len(labels))[target]
    own = (0.5 * ((one_hot - share) ** 2).sum(axis=1), 0.5 * (1 - (share**2).sum(axis=1)))
    pairs = n_fits * (n_fits - 1)
    stability = float((votes * (votes - 1)).sum() / (pairs * n_rows)) if pairs else 1.0
    return BiasVariance(
        "zero_one",
        float((1 - hit).mean()),
        bias,
        unbiased - biased,
        None,
        stability,
        n_fits,
        n_rows,
        unbiased,
        biased,
        (float(own[0].mean()), float(own[1].mean())),
    )


def _checked_answers(answers: Any, y: Any) -> tuple[Array, Array]:
    f, target = np.asarray(answers, dtype=np.float64), np.asarray(y, dtype=np.float64)
    _check_shapes(f, target)
    return f, target


def _check_shapes(f: Array, target: Array) -> None:
    if f.ndim != 2 or f.size == 0 or target.shape != f.shape[1:]:
        raise InputError(
            f"Answers have shape {f.shape} and targets {target.shape}. Expected fits × rows, and one target per row."
        )


def bias_variance(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    truth: Any = None,
    n: int = 100,
    test_size: Any = 1 / 3,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> BiasVariance:
    """Fit a learner on many halves of the training rows and take the loss on the test rows apart.

    Numbers are judged by squared loss, classes by 0/1 loss. `truth` is the noiseless target of every row of `X`,
    where that is known (of simulated data), to tell noise from bias. The training rows are halved at random `n` / 2
    times and both halves are fitted: they share no row, so that the difference of their answers shows the variance
    without bias, (f₁ − f₂)²/2, and the rest of the loss is bias and noise. It is the learner's variance at half the
    training rows. `bias` and `variance` of Domingos's parts need a main answer, taken from all fits; to judge fits on
    rows of your own, use `decompose_squared` and `decompose_zero_one`.

    >>> from learnt.baseline import MeanRegressor
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(300, 1))
    >>> result = bias_variance(MeanRegressor(), x, 2 * x[:, 0] + rng.normal(size=300), truth=2 * x[:, 0], n=20)
    >>> result.bias > 20 * result.variance
    True
    """
    check_learner(learner)
    check_call("bias_variance", n=n, random_state=random_state)
    task = problem(X, y, task=learner_task(learner))
    if n < 2:
        raise ParameterError("n=1 fit has no variance to show. Expected at least 2.")
    seed = seed_from(random_state)
    strata = task.target if task.classes is not None else quantile_bins(task.target, 2)
    _, n_test = part_sizes(task.n_rows, None, test_size, 1 / 3)
    test = spread(np.arange(task.n_rows), strata, n_test, np.random.default_rng(seed))
    if task.n_rows - n_test < 2:
        raise InputError(f"{task.n_rows - n_test} row is left to train on, which cannot be halved. Test fewer rows.")
    cut = _fits(task, test, n, seed)
    results = run_folds(learner, task, cut, n + n % 2, n_jobs=n_jobs, what="bias and variance")
    answers = np.array([r.answer for r in results])
    if task.classes is None:
        known = None if truth is None else _truth_of(truth, task)[test]
        found = decompose_squared(answers, task.target[test], known)
        variance = float(((answers[0::2] - answers[1::2]) ** 2).mean() / 2)
        found = replace(found, variance=variance, bias=found.bias + found.variance - variance)
    elif truth is not None:
        raise ParameterError("truth= is for numbers. The noise of classes is counted as bias.")
    else:
        found = decompose_zero_one(answers, task.target[test])
        differing = float((answers[0::2] != answers[1::2]).mean())
        parts = (found.mean_loss - differing / 2, differing / 2)
        found = replace(found, kohavi_wolpert=parts, stability=1 - differing)
    return replace(found, learner=learner)


def _fits(task: Problem, test: Array, n: int, seed: int) -> Iterator[Fold]:
    """Halves of the rows that are not tested, in pairs without a common row.

    By chance alone: stratified halves would be more alike than rows from the world are, and hide variance.
    """
    rest = np.setdiff1d(np.arange(task.n_rows), test)
    size = len(rest) // 2
    for pair, own in enumerate(seeds(seed, (n + 1) // 2)):
        rows = np.random.default_rng(own).permutation(rest)
        yield Fold(0, 2 * pair, np.sort(rows[:size]), test, own)
        yield Fold(0, 2 * pair + 1, np.sort(rows[size : 2 * size]), test, own + 1)


def _truth_of(truth: Any, task: Problem) -> Array:
    known: Array = np.asarray(truth, dtype=np.float64)
    if known.shape != (task.n_rows,) or not np.isfinite(known).all():
        raise InputError(f"truth has shape {known.shape}. Expected a finite number for each of the {task.n_rows} rows.")
    return known

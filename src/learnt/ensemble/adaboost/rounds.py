"""The rounds of AdaBoost: a hypothesis by the weights of the rows, its vote by its error, new weights by its mistakes.

    e_t = Σ_wrong w_i / Σ w_i        α_t = ½·ln((1 − e_t)/e_t)            two classes
                                     α_t = ln((1 − e_t)/e_t) + ln(K − 1)   K > 2 (SAMME)

The learning rate multiplies α. With h = α (two classes) or α/2, the weights of wrong rows grow by e^h and those of
right ones shrink by it, and the share of rows that the vote gets wrong is at most ∏ Z_t,
Z_t = (1 − e_t)·e^−h + e_t·e^h, which for two classes at full rate is ∏ 2·√(e_t(1 − e_t)).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Batch
from learnt.engine.target import class_codes
from learnt.ensemble.members import answer_codes, copies_are_weights, fitted_member, taken_rows
from learnt.errors import ConvergenceWarning, InputError
from learnt.learner.base import Learner
from learnt.learner.settings import clone
from learnt.show.numbers import number
from learnt.statistics.sample import hash_rows
from learnt.watch import report, watching

#: A sample from which a hypothesis no better than guessing was learnt is drawn again, at most so often.
MOST_DRAWS = 20

#: An error that falls short of guessing by less than this part of it does so by rounding.
ROUNDING = 1e-10

#: No row's weight falls below this part of all, or it would be lost for good.
LEAST_WEIGHT = 1e-280

#: The vote of a first hypothesis that is no better than guessing: it decides, and says nothing about how likely.
LEAST_VOTE = 1e-12
_MOST_EXPONENT = 700.0  # of e, before it overflows


class Source(Protocol):
    """Where hypotheses come from."""

    def next(self, weights: Array, number: int) -> tuple[Any, Array]:
        """The hypothesis of round `number` by these weights, and what it answers, as class codes."""


class LearnerSource:
    """A learner fitted anew each round, with the weights or to rows drawn by them."""

    def __init__(self, learner: Learner, batch: Batch, classes: Array, *, resampling: bool, seed: int):
        self.learner, self.batch, self.classes = learner, batch, classes
        self.resampling, self.seed = resampling, seed
        self.guessing = error_of_guessing(len(classes))

    def next(self, weights: Array, number: int) -> tuple[Any, Array]:
        for draw in range(MOST_DRAWS if self.resampling else 1):
            batch = Batch(self.batch.table, 0, self.batch.target, weights)
            if self.resampling:
                batch = drawn_by_weight(self.learner, batch, self.seed + number * MOST_DRAWS + draw)
            member = fitted_member(clone(self.learner), batch, self.classes)
            answers = answer_codes(member, self.batch.table, self.classes)
            if error_of(answers != self.batch.target, weights) < self.guessing:
                break
        return member, answers


class ListSource:
    """A finite set of hypotheses, of which each round takes the one that errs least; of equal ones the first."""

    def __init__(self, hypotheses: Sequence[Any], table: Table, target: Array, classes: Array):
        self.answers = [hypothesis_codes(h, table, classes) for h in hypotheses]
        self.target = target

    def next(self, weights: Array, number: int) -> tuple[int, Array]:
        best = min(range(len(self.answers)), key=lambda i: error_of(self.answers[i] != self.target, weights))
        return best, self.answers[best]


def drawn_by_weight(learner: Learner, batch: Batch, seed: int) -> Batch:
    """As many rows as there are, drawn with replacement in proportion to their weights; they weigh the same."""
    assert batch.weights is not None
    place = hash_rows(seed % 2**64, 0, batch.n_rows)
    heap = np.cumsum(batch.weights)
    rows = np.minimum(np.searchsorted(heap, place * heap[-1], side="right"), batch.n_rows - 1)
    whole = Batch(batch.table, 0, batch.target)
    if not copies_are_weights(learner):
        return taken_rows(whole, np.sort(rows))
    counts = np.bincount(rows, minlength=batch.n_rows)
    return taken_rows(whole, np.flatnonzero(counts), counts[counts > 0])


def hypothesis_codes(hypothesis: Any, table: Table, classes: Array) -> Array:
    """What a listed hypothesis, a fitted learner or a function of a table, says of each row, as codes."""
    fitted: bool = isinstance(hypothesis, Learner)
    labels: Any = hypothesis.predict(table) if fitted else np.asarray(hypothesis(table))
    name = getattr(hypothesis, "__name__", type(hypothesis).__name__)
    if np.shape(labels) != (table.n_rows,):
        raise InputError(
            f"The hypothesis {name!r} gave an array of shape {np.shape(labels)} for {table.n_rows} rows. "
            "Expected one label a row."
        )
    unknown = set(np.unique(labels).tolist()) - set(classes.tolist())
    if unknown:
        raise InputError(
            f"The hypothesis {name!r} gave the label {next(iter(unknown))!r}, which is not a class. "
            f"The classes are {classes.tolist()[:6]}."
        )
    codes: Array = class_codes(labels, classes)
    return codes


def error_of_guessing(n_classes: int) -> float:
    """The error of answering with each class as often, from which on a hypothesis says nothing."""
    return (1 - 1 / max(n_classes, 2)) * (1 - ROUNDING)


def error_of(wrong: Array, weights: Array) -> float:
    """The part of the weight that is on wrong rows."""
    return float((weights * wrong).sum() / weights.sum())


@dataclass
class Boosted:
    """What the rounds leave behind, one entry a round; `stopped` says why there are no more."""

    members: list[Any] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    alphas: list[float] = field(default_factory=list)
    bounds: list[float] = field(default_factory=list)
    training_errors: list[float] = field(default_factory=list)
    stopped: str = ""


class Votes:
    """The votes for each row's classes so far: of two classes, those for the second minus those for the first."""

    def __init__(self, n_rows: int, n_classes: int):
        self.pair, self.sums = n_classes == 2, np.zeros(n_rows if n_classes == 2 else (n_rows, n_classes))

    def add(self, answers: Array, alpha: float) -> None:
        if self.pair:
            self.sums += np.array([-alpha, alpha])[answers]
        else:
            self.sums[np.arange(len(answers)), answers] += alpha

    def decided_classes(self) -> Array:
        """The class with most votes, of equal ones the first."""
        best: Array = (self.sums > 0).astype(np.int32) if self.pair else self.sums.argmax(axis=1)
        return best


def boost(
    source: Source, target: Array, start: Array, n_classes: int, *, n_rounds: int, rate: float, owner: str
) -> Boosted:
    """Boost for at most `n_rounds`; `start` holds the weights of the rows."""
    found, votes, total, bound = Boosted(), Votes(len(target), n_classes), float(start.sum()), 1.0
    weights, guessing = start.copy(), error_of_guessing(n_classes)
    for t in range(n_rounds):
        member, answers = source.next(weights, t)
        wrong = answers != target
        error = error_of(wrong, weights)
        guesses = error >= guessing
        if guesses:
            found.stopped = f"Round {t}: error {number(error)} is no better than guessing ({number(guessing)})."
            if t > 0:
                break
        alpha = LEAST_VOTE if guesses else vote_weight(error, n_classes, rate, sum(found.alphas))
        half = alpha if n_classes == 2 else alpha / 2
        rise = math.exp(min(half, _MOST_EXPONENT))
        bound *= (1 - error) * math.exp(-half) + error * rise if error > 0 else 0.0
        votes.add(answers, alpha)
        found.members.append(member)
        found.errors.append(error)
        found.alphas.append(alpha)
        found.bounds.append(bound)
        found.training_errors.append(error_of(votes.decided_classes() != target, start))
        _tell(found, weights / total if watching() else None, n_rounds, owner)
        if error == 0:
            found.stopped = f"Round {t}: no row is wrong any more."
        if guesses:
            _warn(error, guessing, owner)
        if found.stopped:
            break
        rise = math.exp(min(2 * half, _MOST_EXPONENT))
        fall = 1 / (1 - error + error * rise)  # which keeps the sum
        weights = weights * np.where(wrong, rise * fall, fall)  # members may keep those that they were given
        np.maximum(weights, LEAST_WEIGHT * total, out=weights)
    return found


def _tell(found: Boosted, shares: Array | None, n_rounds: int, owner: str) -> None:
    """Report a round; `shares` are the weights it was learnt from, which add up to 1."""
    if shares is not None:
        facts = {"error": found.errors[-1], "alpha": found.alphas[-1], "training_error": found.training_errors[-1]}
        t, bound = len(found.members), found.bounds[-1]
        report("round", learner=owner, iteration=t, total=n_rounds, objective=bound, weights=shares, **facts)


def _warn(error: float, guessing: float, owner: str) -> None:
    warnings.warn(
        f"{owner}: the first hypothesis errs on {number(error)} of the weight, no better than guessing "
        f"({number(guessing)}). It is kept alone. Give a stronger estimator.",
        ConvergenceWarning,
        stacklevel=2,
    )


def vote_weight(error: float, n_classes: int, rate: float, before: float) -> float:
    """α of an error below that of guessing; one without error outvotes all `before` it together."""
    if error == 0:
        return before + 1.0
    if n_classes == 2:
        return rate * 0.5 * math.log((1 - error) / error)
    return rate * (math.log((1 - error) / error) + math.log(n_classes - 1))

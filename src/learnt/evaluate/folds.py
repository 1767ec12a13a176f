"""Folds of a problem, and what becomes of a learner on one of them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.engine.target import class_codes
from learnt.errors import InputError, ParameterError
from learnt.evaluate.foreign import features_for, fit_on, model_bytes, quiet_blas, seeded
from learnt.evaluate.problem import Problem
from learnt.evaluate.splits.base import by_fold
from learnt.evaluate.splits.grouped import StratifiedGroupKFold
from learnt.evaluate.splits.k_folds import seeds
from learnt.evaluate.splits.strata import dealt, quantile_bins
from learnt.learner.base import Classifier
from learnt.learner.parameters import Whole, seed_from
from learnt.show.words import spell


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows to train on and rows to test on. `seed` is for learners that leave their `random_state` open."""

    repeat: int
    number: int
    train: Array  # row numbers
    test: Array
    seed: int = 0
    ask_training: bool = False  # whether the training rows shall be answered too

    def run(self, learner: Any, problem: Problem) -> FoldResult:
        """What a worker does with it."""
        return run_fold(learner, problem, self)


@dataclass(frozen=True, eq=False)
class FoldResult:
    """What a learner answered on the test rows of a fold, and what that took.

    `answer` holds codes into the problem's classes, or numbers. `probabilities` has a column for each of those
    classes, 0 for one that the training rows did not hold; it is None where the learner gives none.
    """

    repeat: int
    number: int
    test: Array  # row numbers
    answer: Array
    probabilities: Array | None
    fit_seconds: float
    predict_seconds: float
    model_bytes: int | None
    n_train: int
    training: FoldResult | None = None  # the same model's answers on its own training rows, where asked for
    chosen: dict[str, str] | None = None  # settings that the model's own search chose, in words


def folds(problem: Problem, cv: Any = 10, repeats: int = 1, random_state: Any = 0) -> Iterator[Fold]:
    """The folds one after the other: `repeats` times `cv` parts, shuffled, stratified, groups kept together.

    Numeric targets are stratified by tenths. `cv` may also be a splitter, ours or scikit-learn's; then a repeat
    ends where it tests a row for the second time.
    """
    n_folds(problem, cv, repeats)
    seed = seed_from(random_state)
    if cv in Whole():
        yield from _own_folds(problem, int(cv), repeats, seed)
    else:
        yield from _foreign_folds(problem, cv, seed)


def n_folds(problem: Problem, cv: Any = 10, repeats: int = 1) -> int:
    """How many folds there will be; an error where these rows cannot be cut so."""
    if repeats not in Whole(1):
        raise ParameterError(f"repeats={spell(repeats)} is not allowed. Expected a whole number ≥ 1.")
    if cv not in Whole():
        if not (hasattr(cv, "split") and hasattr(cv, "get_n_splits")):
            raise ParameterError(
                f"cv={spell(cv)} is not allowed. Expected a number of folds, or a splitter such as KFold."
            )
        if repeats != 1:
            raise ParameterError(f"repeats={repeats} needs cv to be a number; a splitter decides by itself how often.")
        y = problem.target if problem.classes is None else problem.classes[problem.target]
        return int(cv.get_n_splits(problem.table, y, problem.groups))
    if cv < 2:
        raise ParameterError(f"cv={cv} is not allowed. Expected at least 2 folds.")
    units, what = problem.n_rows, "rows"
    if problem.groups is not None:
        units, what = int(problem.groups.max()) + 1, "groups"
    if cv > units:
        raise InputError(f"cv={cv} folds were asked for, but there are only {units} {what}. Choose at most {units}.")
    return int(cv) * repeats


def _own_folds(problem: Problem, cv: int, repeats: int, seed: int) -> Iterator[Fold]:
    strata = problem.target if problem.classes is not None else quantile_bins(problem.target, cv)
    for repeat, shuffle in enumerate(seeds(seed, repeats)):
        if problem.groups is None:
            pairs = by_fold(dealt(strata, cv, np.random.default_rng(shuffle)), cv)
        else:
            splitter = StratifiedGroupKFold(cv, shuffle=True, random_state=shuffle)
            pairs = splitter._of_strata(strata, problem.groups)
        for number, (train, test) in enumerate(pairs):
            yield Fold(repeat, number, train, test, _fold_seed(seed, repeat, number))


def _foreign_folds(problem: Problem, cv: Any, seed: int) -> Iterator[Fold]:
    y = problem.target if problem.classes is None else problem.classes[problem.target]
    tested = np.zeros(problem.n_rows, bool)
    repeat = number = 0
    for some, others in cv.split(problem.table, y, problem.groups):
        train, test = _row_numbers(some, problem), _row_numbers(others, problem)
        if tested[test].any():
            tested[:] = False
            repeat, number = repeat + 1, 0
        tested[test] = True
        yield Fold(repeat, number, train, test, _fold_seed(seed, repeat, number))
        number += 1


def _row_numbers(rows: Any, problem: Problem) -> Array:
    numbers: Array = np.asarray(rows)
    if numbers.dtype == bool and len(numbers) == problem.n_rows:
        numbers = np.flatnonzero(numbers)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or len(numbers) == 0:
        raise InputError(f"The splitter gave {numbers.dtype} of shape {numbers.shape}. Expected row numbers, some.")
    if numbers.min() < 0 or numbers.max() >= problem.n_rows:
        raise InputError(f"The splitter gave row {numbers.max()}, but there are {problem.n_rows} rows, from 0.")
    return numbers.astype(np.int64, copy=False)


def _fold_seed(seed: int, repeat: int, number: int) -> int:
    return int(np.random.SeedSequence([seed, repeat, number]).generate_state(1, np.uint32)[0])


def run_fold(learner: Any, problem: Problem, fold: Fold) -> FoldResult:
    """A clone of the learner, fitted on the training rows and asked about the test rows once.

    A `random_state` that is None is set from the fold, so that the same fold always gives the same result.
    """
    with quiet_blas(learner):
        start = time.perf_counter()
        model = fit_on(seeded(learner, fold.seed), problem, fold.train)
        fitted = time.perf_counter()
        about = (fitted - start, model_bytes(model), len(fold.train))
        training = _answered_fold(model, problem, fold, fold.train, about) if fold.ask_training else None
        result = _answered_fold(model, problem, fold, fold.test, about)
        return replace(result, training=training, chosen=getattr(model, "chosen_words", None))


def _answered_fold(
    model: Any, problem: Problem, fold: Fold, rows: Array, about: tuple[float, int | None, int]
) -> FoldResult:
    answer, probabilities, seconds = ask(model, problem, rows)
    return FoldResult(fold.repeat, fold.number, rows, answer, probabilities, about[0], seconds, about[1], about[2])


def ask(model: Any, problem: Problem, rows: Array) -> tuple[Array, Array | None, float]:
    """Answers and probabilities of a fitted model in the problem's classes, and the seconds one prediction took."""
    features = features_for(model, problem.table.take(rows))
    start = time.perf_counter()
    if problem.classes is None:
        answer = np.asarray(model.predict(features), dtype=np.float64).reshape(len(rows))
        return answer, None, time.perf_counter() - start
    gives = hasattr(model, "predict_proba")
    if isinstance(model, Classifier) and type(model).predict is Classifier.predict:
        own = np.asarray(model.predict_proba(features))
        seconds = time.perf_counter() - start
        places = _places(model.classes_, problem)
        return places[own.argmax(axis=1)], _in_order(own, places, problem), seconds
    answer = class_codes(np.asarray(model.predict(features)), problem.classes)
    seconds = time.perf_counter() - start
    if not gives:
        return answer, None, seconds
    shares = np.asarray(model.predict_proba(features))
    return answer, _in_order(shares, _places(model.classes_, problem), problem), seconds


def _places(classes: Any, problem: Problem) -> Array:
    """The code in the problem of each class of a model."""
    assert problem.classes is not None
    code = {label: i for i, label in enumerate(problem.classes.tolist())}
    return np.array([code[label] for label in np.asarray(classes).tolist()], dtype=np.int32)


def _in_order(probabilities: Any, places: Array, problem: Problem) -> Array:
    whole = np.zeros((len(probabilities), problem.n_classes))
    whole[:, places] = probabilities
    return whole

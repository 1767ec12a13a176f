"""Evaluating many folds of one learner: here, or in workers when that is worth it. The numbers are the same."""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from typing import Any

import numpy as np

from learnt.errors import InputError, ParameterError
from learnt.evaluate.folds import Fold, FoldResult
from learnt.evaluate.journal import Journal, settings_key
from learnt.evaluate.problem import Problem
from learnt.evaluate.workers.jobs import can_work, job_of
from learnt.evaluate.workers.pool import Pool
from learnt.evaluate.workers.processes import WorkerError
from learnt.evaluate.workers.workers import Failure, LearnerWarning, WorkerEnd
from learnt.learner.parameters import OneOf, Whole
from learnt.threads import threads
from learnt.watch import report

#: Seconds of remaining work from which on starting processes pays off.
WORTH_IT = 2.0


def run_folds(
    learner: Any,
    problem: Problem,
    folds: Iterable[Fold],
    total: int,
    *,
    n_jobs: int | None = None,
    journal: Journal | None = None,
    what: str = "fold",
) -> list[FoldResult]:
    """The results of all folds, in the order of the folds. Each is reported to whoever watches when it arrives.

    With `n_jobs=None` the first fold runs here; if the others would take more than two seconds, workers do them.
    `n_jobs=1` does all of them here, other numbers in as many workers, −1 in one per core.
    """
    n_jobs = checked_jobs(n_jobs)
    key = "" if journal is None else settings_key(learner)
    known = {} if journal is None else {(r.repeat, r.number): r for r in journal.results(key)}
    name = type(learner).__name__
    results: dict[tuple[int, int], FoldResult] = {}
    order: list[tuple[int, int]] = []

    def add_result(result: FoldResult) -> None:
        results[result.repeat, result.number] = result
        report(what, learner=name, iteration=len(results), total=total)

    def missing() -> Iterator[Fold]:
        for fold in folds:
            place = (fold.repeat, fold.number)
            order.append(place)
            if place in known:
                add_result(_same_rows(known[place], fold))
            else:
                yield fold

    # Closed at once, whatever is raised here, and its workers with it.
    with closing(evaluated_folds(learner, problem, missing(), total - len(known), n_jobs)) as arriving:
        for result in arriving:
            if journal is not None:
                journal.append(key, result)
            add_result(result)
    return [results[place] for place in order]


def evaluated_folds(
    learner: Any, problem: Problem, folds: Iterator[Fold], total: int, n_jobs: int | None
) -> Generator[FoldResult, None, None]:
    """The results as they arrive, in any order where workers do them. Close it to end them."""
    if n_jobs is None:
        first = next(folds, None)
        if first is None:
            return
        result = first.run(learner, problem)
        yield result
        seconds = (result.fit_seconds + result.predict_seconds) * (total - 1)
        n_jobs = threads() if seconds > WORTH_IT and can_work(learner) else 1
    n_jobs = min(n_jobs, total)
    if n_jobs > 1 and can_work(learner):
        yield from _in_workers(learner, problem, folds, n_jobs)
        return
    for fold in folds:
        yield fold.run(learner, problem)


def _in_workers(learner: Any, problem: Problem, folds: Iterator[Fold], n_jobs: int) -> Iterator[FoldResult]:
    job = job_of(learner)
    with Pool() as pool:
        while True:
            while pool.n_busy < n_jobs and (fold := next(folds, None)) is not None:
                pool.give(problem, job, fold)
            if pool.n_busy == 0:
                return
            _, event = pool.hear()
            if isinstance(event, FoldResult):
                yield event
            elif isinstance(event, LearnerWarning):
                warnings.warn(event.text, event.category, stacklevel=5)
            elif isinstance(event, Failure):
                raise event.exception()
            elif isinstance(event, WorkerEnd):
                _raise_end(event, learner)


def _raise_end(event: WorkerEnd, learner: Any) -> None:
    words = f" It printed last: {event.last_words[-500:]}" if event.last_words else ""
    raise WorkerError(
        f"The process that evaluated {type(learner).__name__} died: {event.why}.{words} "
        "Use n_jobs=1 to see it fail here."
    )


def _same_rows(result: FoldResult, fold: Fold) -> FoldResult:
    if not np.array_equal(result.test, fold.test):
        raise InputError(
            f"Fold {fold.number} of repeat {fold.repeat} tests other rows than its record in the journal. "
            "The splitter gives other folds each time: give it a random_state."
        )
    return result


def checked_jobs(n_jobs: Any) -> int | None:
    if n_jobs not in (OneOf(None) | Whole(-1)) or n_jobs == 0:
        raise ParameterError(f"n_jobs={n_jobs!r} is not allowed. Expected None, −1 or a whole number ≥ 1.")
    return threads() if n_jobs == -1 else n_jobs

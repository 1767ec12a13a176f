"""Fits that do not need each other, on several threads: members of ensembles, and their folds.

Kernels, and NumPy where it takes time, run without Python's lock, and share the threads of `learnt.threads`: where few
rows leave a kernel nothing to share, fits of several members keep all cores busy. The bits are those of one fit after
another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any

from learnt.data.table import Table
from learnt.engine.blas import one_blas_thread
from learnt.learner.base import Learner
from learnt.learner.foreign import is_adopted
from learnt.learner.parameters import OneOf, Whole
from learnt.threads import threads
from learnt.watch import Step, diverted, hand_on, watching

N_JOBS = OneOf(None, -1) | Whole(1)

#: Kernels of more cells than this share their work among all cores by themselves, and copies of them take memory.
FEW_CELLS = 1_000_000

_inside: ContextVar[bool] = ContextVar("learnt_side_by_side", default=False)


@dataclass(frozen=True)
class Fit:
    """One piece of work, and what it is for, in words that go with its errors."""

    what: str
    work: Callable[[], Any]

    def __call__(self) -> Any:
        try:
            return self.work()
        except Exception as error:
            error.add_note(f"This happened in {self.what}.")
            raise


def fits_at_once(n_jobs: int | None, learners: Sequence[Any], table: Table | None) -> int:
    """How many fits to run at a time; `table` is None for rows that are not in memory.

    Estimators of another make may change what all threads share, such as filters of warnings. And fits inside
    others leave it to those to keep the cores busy.
    """
    if table is None or _inside.get() or not all(_is_own(learner) for learner in learners):
        return 1
    if n_jobs is None:
        cells = table.n_rows * table.n_columns if table.sparse is None else table.sparse.nnz
        return threads() if cells <= FEW_CELLS else 1
    return threads() if n_jobs == -1 else int(n_jobs)


def _is_own(value: Any) -> bool:
    """Whether nothing in a learner, or setting of one, is an estimator of another make."""
    if isinstance(value, Learner):
        return not is_adopted(value) and all(_is_own(inside) for inside in value.get_params(deep=False).values())
    if isinstance(value, list | tuple):
        return all(_is_own(inside) for inside in value)
    return not hasattr(value, "fit")


def results_of(fits: Sequence[Fit], at_once: int, ended: Callable[[int], None]) -> list[Any]:
    """What the fits give, in their order; `ended` hears of the place of each when it is done.

    It is called in the calling thread, as are those who watch: steps of several fits are mixed as they come. If fits
    fail, the error is that of the first of them. Those that run when the work is given up are not waited for, and
    tell nobody.
    """
    found: list[Any] = [None] * len(fits)
    if min(at_once, len(fits)) == 1:
        for place, fit in enumerate(fits):
            found[place] = fit()
            ended(place)
        return found
    course = _Course(len(fits))
    pool = ThreadPoolExecutor(min(at_once, len(fits)))
    try:
        for place, fit in enumerate(fits):
            pool.submit(copy_context().run, course.run, place, fit)
        for place, result in course.ends():
            found[place] = result
            ended(place)
    except BaseException:
        course.last = -1
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()
    return found


@dataclass(frozen=True)
class _End:
    place: int
    result: Any = None
    error: BaseException | None = None


class _GivenUp(BaseException):
    """Ends a fit that nobody waits for."""


@dataclass
class _Course:
    """Where the fits stand. `last` is the last of them still wanted: fits before one that failed may fail too."""

    total: int
    last: int = field(init=False)
    events: SimpleQueue[Step | _End] = field(default_factory=SimpleQueue)

    def __post_init__(self) -> None:
        self.last = self.total - 1

    def run(self, place: int, fit: Fit) -> None:
        if place > self.last:
            return
        _inside.set(True)

        def tell(step: Step) -> None:
            if place > self.last:
                raise _GivenUp
            self.events.put(step)

        try:
            with one_blas_thread(), diverted(tell if watching() else None):
                self.events.put(_End(place, fit()))
        except BaseException as error:
            self.events.put(_End(place, error=error))

    def ends(self) -> Iterator[tuple[int, Any]]:
        """The results as they come, until all are there or no fit before one that failed is left."""
        missing, failed = set(range(self.total)), None
        while any(place <= self.last for place in missing):
            event = self.events.get()
            if isinstance(event, Step):
                hand_on(event)
                continue
            missing.remove(event.place)
            if event.error is None:
                yield event.place, event.result
            elif event.place <= self.last:
                self.last, failed = event.place, event.error
        if failed is not None:
            raise failed

"""Who has the next free worker.

Learners have their turns in the order of `order.turn`, one worker each, all folds of one before the next: a learner
that is begun is finished, so that the table fills with whole rows. Under a time budget

* a strong learner that its finished folds show to need more workers than one to be in time has them;
* one that could not be in time with what it may have is put off until nobody else is waiting, and so is one whose fold
  took longer than its share of the budget while others waited; then it goes on with what time is left.

When fewer learners than workers remain, the folds of one are shared by several. None of this changes a number: a fold's
result depends on the learner, the table and the fold alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from learnt.evaluate.comparison.running.runner import Runner

#: Seconds of work left in a learner from which on a second worker for it pays off; more where it must be started first.
HELP_PAYS = 0.2
HELP_PAYS_WITH_START = 2.0

_GOES_ON, _BEGINS, _IS_HELPED, _WAS_PUT_OFF = range(4)


def next_in_turn(runners: Sequence[Runner], jobs: int, remaining: float, now: float) -> Runner | None:
    """The learner whose next fold a free worker should do; None where nothing is to be done.

    `remaining` are the seconds of the budget, infinite without one.
    """
    places = [(_place(runner, jobs, remaining, now), i) for i, runner in enumerate(runners) if runner.left]
    known = [(place, i) for place, i in places if place is not None]
    return runners[min(known)[1]] if known else None


def somebody_waits(runners: Sequence[Runner], jobs: int, remaining: float, now: float) -> bool:
    """Whether a learner that may well be in time has no worker."""
    return any(
        not runner.at_work and _place(runner, jobs, remaining, now) in (_GOES_ON, _BEGINS)
        for runner in runners
        if runner.left
    )


def patience(runners: Sequence[Runner], runner: Runner, jobs: int, budget: float, remaining: float) -> float:
    """Seconds a fold may take while others wait: its learner's share of what is left of the budget, or longer, if even
    then all folds that are missing could be in time with all workers; in the end, a twentieth of the budget."""
    to_come = max(sum(not (other.over or other.candidate.members) for other in runners), 1)
    missing = max(runner.left + len(runner.at_work), 1)
    return max(remaining * max(min(1.0, jobs / to_come), min(1.0, jobs / missing)), budget / 20)


def _place(runner: Runner, jobs: int, remaining: float, now: float) -> int | None:
    needed = workers_needed(runner, remaining, now)
    if runner.put_off or needed > (jobs if runner.strong else 1):
        if not runner.at_work:
            return _WAS_PUT_OFF
        needed = 1
    if len(runner.at_work) < needed:
        return _GOES_ON if runner.begun else _BEGINS
    ready = runner.job is not None and (runner.job.ours or runner.job.packed is None)
    pays = HELP_PAYS if ready else HELP_PAYS_WITH_START
    return _IS_HELPED if runner.fold_seconds(now) * runner.left > pays else None


def workers_needed(runner: Runner, remaining: float, now: float) -> int:
    """How many workers would bring it to its end in time, as far as is known; at least one."""
    seconds = runner.fold_seconds(now) * (runner.left + len(runner.at_work))
    if math.isinf(remaining) or not runner.seconds:
        return 1
    return max(1, math.ceil(seconds / max(remaining, 1e-9))) if seconds < 1e9 * remaining else 10**9

"""`learnt.tune`: the best settings of a learner for a table, and what they are honestly worth."""

from __future__ import annotations

import time
from typing import Any

from learnt.errors import InputError, ParameterError
from learnt.evaluate.cross_validation import CrossValidation
from learnt.evaluate.folds import folds, n_folds
from learnt.evaluate.foreign import check_learner, learner_task
from learnt.evaluate.problem import Problem, problem
from learnt.evaluate.scores import scores_of
from learnt.evaluate.splits.naming import Splitting
from learnt.evaluate.tuning.board import Board
from learnt.evaluate.tuning.searching import DOMAINS, Search, whole_seed
from learnt.evaluate.tuning.tuned import Tuned
from learnt.evaluate.tuning.tuning import Tuning
from learnt.evaluate.workers.running import checked_jobs, run_folds
from learnt.learner.parameters import Whole, check_parameters

NOT_NESTED = (
    "no honest score was asked for (nested=None). That of the search is the best of many, and too good: expect less "
    "on new rows."
)
OUT_OF_TIME = "time was up before all candidates were tried: on a faster machine the choice may be another."


def tune(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    space: Any = None,
    search: str = "grid",
    n: int | None = None,
    metric: Any = None,
    cv: Any = 5,
    nested: Any = 10,
    sample_weight: Any = None,
    groups: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    time_budget: float | None = None,
) -> Tuning:
    """Search the settings of a learner by cross-validation, and judge the search by one around it.

    >>> from learnt import datasets
    >>> from learnt.tree import DecisionTreeClassifier
    >>> result = tune(DecisionTreeClassifier(), datasets.iris(), space={"max_depth": [1, 2, 3]})
    >>> result.settings, round(result.inner_score, 3), round(result.score, 3)
    ({'max_depth': 3}, 0.947, 0.933)

    | setting | default | meaning |
    |---|---|---|
    | `learner` | | one of learnt, or anything with scikit-learn's `fit`, `predict`, `get_params` and `set_params` |
    | `X`, `y` | | the table, and the target: an array, a column's name, or None for the table's own |
    | `space` | the learner's own | by setting a list of values or a distribution of scipy.stats; or a list of such |
    | `search` | "grid" | every combination; "random" draws `n`; "halving" and "racing" give up the hopeless early |
    | `n` | None | candidates to draw where there are more; None: all combinations, 30 of distributions or at random |
    | `metric` | accuracy or rmse | what is best: a name, a `Metric`, or a function of truth and answer |
    | `cv` | 5 | inner folds, on which candidates are compared; a number or a splitter |
    | `nested` | 10 | outer folds, on which the search as a whole is judged; None for no honest score |
    | `sample_weight`, `groups` | None | as for `cross_validate` |
    | `random_state` | 0 | seed of folds and draws, and of learners that leave theirs open |
    | `n_jobs` | None | processes; None decides by the time of the first fit, 1 stays in this one |
    | `time_budget` | None | seconds for all, shared by the searches of the outer folds |

    "halving" begins with few rows and gives the best third of the candidates three times as many, round by round.
    "racing" goes fold by fold and drops candidates that rank significantly behind (F-race). Of equal candidates the
    first is chosen: list the simplest first.
    """
    begun = time.monotonic()
    given = {"search": search, "n": n, "random_state": random_state, "time_budget": time_budget}
    check_parameters("tune", DOMAINS, given)
    check_learner(learner)
    checked_jobs(n_jobs)
    rows = problem(X, y, sample_weight=sample_weight, groups=groups, task=learner_task(learner))
    outer = 0 if nested is None else _outer_folds(rows, nested)
    share = None if time_budget is None else time_budget / (outer + 1)
    seed = whole_seed(random_state)
    how = Search(learner, space, search, n, metric, cv, seed, share)
    board = how.run(rows, n_jobs)
    judged = None
    if outer:
        # Its random state is open, so that every outer fold sets its own.
        inside = Tuned(**{**vars(how), "random_state": None})
        results = run_folds(inside, rows, folds(rows, nested, 1, seed), outer, n_jobs=n_jobs, what="outer fold")
        measured = (board.metric,)
        cut = None if nested in Whole() else Splitting.of(nested, len(results))
        judged = CrossValidation(inside, rows, measured, results, scores_of(measured, rows, results), splitting=cut)
    return Tuning(
        learner=learner,
        model=how.fitted(board, rows),
        settings=dict(board.best.settings),
        candidates=board.in_order(),
        metric=board.metric,
        search=search,
        n_folds=n_folds(rows, cv),
        n_rows=rows.n_rows,
        nested=judged,
        saved=board.saved,
        notices=tuple(_notices(board, outer)),
        seconds=time.monotonic() - begun,
    )


def _outer_folds(rows: Problem, nested: Any) -> int:
    try:
        return n_folds(rows, nested)
    except (InputError, ParameterError) as error:
        raise type(error)(str(error).replace("cv=", "nested=")) from None


def _notices(board: Board, outer: int) -> list[str]:
    found = list(board.notices)
    if not outer:
        found.append(NOT_NESTED)
    if board.out_of_time:
        found.append(OUT_OF_TIME)
    failed = [c for c in board.candidates if c.error]
    if failed:
        found.append(f"{len(failed)} of {len(board.candidates)} candidates failed; the table says with which error.")
    return found

"""Columns that give the target away: named, and the most accurate learner judged once more without them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from learnt.data.table import Column
from learnt.describe.suspects import Suspect, leaks
from learnt.evaluate.comparison.roles import quoted_names
from learnt.evaluate.comparison.scoring import Scorer
from learnt.evaluate.comparison.words import name_on_one_line
from learnt.evaluate.folds import Fold, run_fold
from learnt.show.numbers import number

if TYPE_CHECKING:
    from learnt.evaluate.comparison.comparison import Comparison
    from learnt.evaluate.problem import Problem

QUICK = 20.0  # seconds that judging once more may take, by the time it took before
CLEARLY = 3.0  # standard errors that the score must fall by, if the column is to be called a leak


def leak_notices(
    comparison: Comparison, scorer: Scorer, every_fold: Callable[[], Iterator[Fold]], keep: Sequence[str] = ()
) -> list[str]:
    """Sentences on suspects; a column that the score does not hang on is none, unless it is a copy of the target."""
    suspects = [s for s in problem_leaks(comparison.problem) if s.column not in keep]
    if not suspects or not comparison.done:
        return []
    accurate = comparison.best
    names = [s.column for s in suspects]
    before, after = accurate.mean(comparison.metric.name), None
    if _is_cheap(comparison) and comparison.problem.table.n_columns > len(names):
        after = _mean_without(comparison, scorer, every_fold, names)
    if after is not None:
        error = next(r.standard_error for r in comparison.leaderboard() if r.name == accurate.name)
        lost = (before - after) * (1 if comparison.metric.higher_is_better else -1)
        if not lost > CLEARLY * (error if np.isfinite(error) else 0.0):
            suspects = [s for s in suspects if s.sort == "copy"]
    if not suspects:
        return []
    words = [s.words for s in suspects[:4]]
    if after is not None:
        words.append(
            f"Without {quoted_names(names)} the {comparison.metric.title} of {name_on_one_line(accurate.name)} is "
            f"{number(after)} instead of {number(before)}."
        )
    one = len(suspects) == 1
    known = "Is it known before the target is?" if one else "Are they known before the target is?"
    drop = f"If not, leave {'it' if one else 'them'} out: drop={_drop_value([s.column for s in suspects])}."
    return [f"{' '.join(words)} {known} {drop}"]


def _drop_value(names: Sequence[str]) -> str:
    return repr(names[0] if len(names) == 1 else list(names[:4]))


def problem_leaks(problem: Problem) -> list[Suspect]:
    """Suspects among the columns; a sparse matrix, whose columns would be large, is not searched."""
    if problem.table.sparse is not None:
        return []
    if problem.classes is None:
        target = Column(problem.target_name, "numeric", problem.target.astype(np.float64))
    else:
        target = Column(problem.target_name, "nominal", problem.target, tuple(problem.classes.tolist()))
    return leaks(problem.table.columns, target)


def _is_cheap(comparison: Comparison) -> bool:
    took = comparison.best.fit_seconds + comparison.best.predict_seconds
    return bool(took * comparison.n_folds <= QUICK) and not comparison.interrupted


def _mean_without(
    comparison: Comparison, scorer: Scorer, every_fold: Callable[[], Iterator[Fold]], names: Sequence[str]
) -> float | None:
    """The mean score of the most accurate learner on the same folds, without these columns; None if it fails then.

    The comparison is done by now, and nothing that happens here, Ctrl-C included, may lose it.
    """
    problem = replace(comparison.problem, table=comparison.problem.table.drop(*names))
    scores = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for fold in every_fold():
                result = scorer.decided_result(run_fold(comparison.best.learner, problem, fold))
                scores.append(scorer.score(comparison.metric, result))
    except (Exception, KeyboardInterrupt):
        return None
    seen = [score for score in scores if not np.isnan(score)]
    return float(np.mean(seen)) if seen else None

"""Learners told apart by what they answered to each row."""

from __future__ import annotations

from collections.abc import Sequence

from learnt.data.table import Array
from learnt.evaluate.significance.sampling import SamplingErrors
from learnt.evaluate.significance.ties import Pair, Ties, ties_of


def row_ties(
    names: Sequence[str],
    errors: SamplingErrors,
    by_fold: dict[str, Array],
    *,
    higher_is_better: bool,
    n_folds: int,
    alpha: float = 0.05,
) -> Ties:
    """All pairs by the largest |t| of them all, and the set that may hold the best; `names` stand best first.

    `errors` holds scores, and `by_fold` a score per fold, of which more is better.
    """
    pairs = tuple(
        _pair(names, i, j, errors, n_folds, alpha) for i in range(len(names)) for j in range(i + 1, len(names))
    )
    may_be = errors.may_be_best(alpha)
    sign = 1.0 if higher_is_better else -1.0
    return ties_of(
        names,
        {name: sign * float(score) for name, score in zip(names, errors.scores, strict=True)},
        pairs,
        by_fold,
        higher_is_better=higher_is_better,
        alpha=alpha,
        with_best=tuple(name for name, may in zip(names, may_be, strict=True) if may),
        errors=errors,
    )


def _pair(names: Sequence[str], i: int, j: int, errors: SamplingErrors, n_folds: int, alpha: float) -> Pair:
    from scipy.special import stdtrit

    if errors.differences[i, j] < 0:
        i, j = j, i
    gap, error, t = (float(m[i, j]) for m in (errors.differences, errors.of_differences, errors.statistics))
    half = float(stdtrit(errors.degrees_of_freedom, 1 - alpha / 2)) * error
    adjusted = errors.adjusted_p_value(t)
    return Pair(
        better=names[i],
        worse=names[j],
        difference=gap,
        low=gap - half,
        high=gap + half,
        statistic=t,
        p_value=errors.p_value(t) if t else 1.0,
        adjusted_p_value=adjusted,
        folds=n_folds,
        significant=adjusted <= alpha and gap > 0,
    )

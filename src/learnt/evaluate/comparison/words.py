"""What may be concluded from a comparison, and what may not, in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from learnt.show.numbers import number
from learnt.show.words import listed as in_words
from learnt.show.words import short_name

if TYPE_CHECKING:
    from learnt.evaluate.comparison.comparison import Comparison
    from learnt.evaluate.comparison.outcome import Outcome
    from learnt.evaluate.comparison.standings import Standing

MOST_NAMED = 6


def conclusion(comparison: Comparison) -> str:
    """Who is best, who cannot be told apart from it, which of those is simplest, and how the baseline stands."""
    if not comparison.done:
        return "No learner finished, so nothing can be concluded."
    sentences = [
        _differences(comparison),
        _of_the_best(comparison),
        _simplest(comparison),
        _baseline(comparison),
        _unfinished_learners(comparison),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _differences(comparison: Comparison) -> str:
    if comparison.ties is None:
        alone = len(comparison.done) == 1
        why = "only one learner finished" if alone else "there are too few folds to tell chance from merit"
        return f"{name_on_one_line(comparison.best.name)} has the best score, but {why}, so nothing is compared."
    return comparison.ties.words


def _of_the_best(comparison: Comparison) -> str:
    best = comparison.leaderboard()[0]
    return f"The {comparison.metric.title} of {name_on_one_line(best.name)} is {score_words(best)}."


def score_words(row: Standing) -> str:
    """A mean with its interval, where it has one."""
    if math.isnan(row.low):
        return number(row.mean)
    return f"{number(row.mean)} (95 % interval {number(row.low)} to {number(row.high)})"


def _simplest(comparison: Comparison) -> str:
    simplest = comparison.simplest_tied
    if simplest is comparison.best or simplest.baseline:
        return ""
    mean = number(simplest.mean(comparison.metric.name))
    passed_over = any(o.simplicity < simplest.simplicity for o in comparison.tied)
    which = "of those tied with it that are better than the baseline" if passed_over else "learner tied with it"
    return f"The simplest {which} is {name_on_one_line(simplest.name)}, with {mean}."


def _baseline(comparison: Comparison) -> str:
    baseline = comparison.baseline
    if baseline is None or comparison.ties is None or len(comparison.done) < 2:
        return ""
    ahead = comparison.better_than(baseline.name)
    others = [o.name for o in comparison.done if o is not baseline]
    who = f"{name_on_one_line(baseline.name)}, which does not look at the columns"
    if not ahead:
        return f"None is shown to be better than {who}: it is not shown that anything was learnt."
    behind = [name for name in others if name not in ahead]
    alone = "the comparisons with it taken together"
    if not behind:
        every = "The other one is" if len(others) == 1 else f"All {len(others)} others are"
        return f"{every} significantly better than {who} ({alone})."
    return f"Not shown to be better than {who} ({alone}): {list_names(behind)}."


def _unfinished_learners(comparison: Comparison) -> str:
    stopped = [o.name for o in comparison.outcomes if o.status in ("stopped", "failed")]
    return f"Nothing is said of {list_names(stopped)}, which did not finish." if stopped else ""


def list_names(names: Sequence[str]) -> str:
    """A, B and C; of many the first and how many more."""
    return in_words([name_on_one_line(name) for name in names], most=MOST_NAMED)


def name_on_one_line(text: str, width: int = 60) -> str:
    """A name on one line, however hostile."""
    return short_name(text, width)


def seconds(time: float) -> str:
    """A measured time as people say it; two digits are all that repeat.

    >>> seconds(0.00123), seconds(0.0999), seconds(75), seconds(7300)
    ('1.2 ms', '0.1 s', '1 min 15 s', '2 h 1 min')
    """
    if math.isnan(time):
        return ""
    if time < 0.0995:
        return f"{1000 * time:.2g} ms"
    if time < 60:
        return f"{time:.2g} s"
    minutes, rest = divmod(round(time), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def progress_of(outcome: Outcome, metric: str, n_folds: int) -> str:
    """How far an unfinished learner came."""
    if not outcome.results:
        return ""
    return f"{len(outcome.results)} of {n_folds} folds, mean {number(outcome.mean(metric))} so far"

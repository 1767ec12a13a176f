"""What may be concluded from a comparison, and what may not, in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from learnt.show.numbers import number, percent
from learnt.show.words import list_of as in_words
from learnt.show.words import short_name

if TYPE_CHECKING:
    from learnt.evaluate.comparison.comparison import Comparison
    from learnt.evaluate.comparison.outcome import Outcome
    from learnt.evaluate.comparison.standings import Standing

MOST_NAMED = 6


def conclusion(comparison: Comparison) -> str:
    """Who may be the best, who is to be used, who can be read and at what price, and how the baseline stands."""
    if not comparison.done:
        return "No learner finished, so nothing can be concluded."
    sentences = [
        _differences(comparison),
        accurate_words(comparison),
        readable_words(comparison),
        baseline_words(comparison),
        _unfinished_learners(comparison),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _differences(comparison: Comparison) -> str:
    if comparison.ties is None:
        alone = len(comparison.done) == 1
        why = "only one learner finished" if alone else "there are too few folds to tell chance from merit"
        return f"{name_on_one_line(comparison.top.name)} has the best score, but {why}, so nothing is compared."
    return comparison.ties.words


def accurate_words(comparison: Comparison) -> str:
    """The one to use, and how good it is by the metric that ranks."""
    verdict = comparison.verdict
    row = next(row for row in comparison.leaderboard() if row.name == verdict.accurate.name)
    who = name_on_one_line(row.name)
    if verdict.accurate.baseline:
        return f"{who} is as good as any, with {article(comparison.metric.title)} of {score_words(row)}."
    what = "Most accurate" if verdict.learnt else "Best score, which may be chance"
    return f"{what}: {who}, with {article(comparison.metric.title)} of {score_words(row)}."


def article(title: str) -> str:
    """A noun with "a" or "an"; letters that are spelt out go by their sound."""
    spelt = title.split()[0].isupper()
    return f"{'an' if title[0].lower() in ('aefhilmnorsx' if spelt else 'aeiou') else 'a'} {title}"


def score_words(row: Standing) -> str:
    """A mean with its interval, where it has one."""
    if math.isnan(row.low):
        return number(row.mean)
    return f"{number(row.mean)} (95 % interval {number(row.low)} to {number(row.high)})"


def readable_words(comparison: Comparison) -> str:
    """Who can be read, and what it costs to read instead of to trust."""
    verdict = comparison.verdict
    if not verdict.learnt or verdict.accurate.baseline:
        return ""
    if verdict.accurate.readable:
        return "Its model can be read."
    if verdict.readable is not None:
        who = name_on_one_line(verdict.readable.name)
        return f"Most readable within reach: {who}; {price(comparison, verdict.readable)}."
    if verdict.nearest is None:
        return ""
    who = name_on_one_line(verdict.nearest.name)
    cost = price(comparison, verdict.nearest)
    if verdict.unproven:
        return (
            f"No learner that can be read is both within reach and shown to be better than the baseline; {who} is "
            f"within reach: {cost}."
        )
    return f"No learner that can be read is within reach; {who} comes nearest: {cost}."


def price(comparison: Comparison, other: Outcome) -> str:
    """What another learner costs against the most accurate one, in words of the metric that ranks."""
    metric, accurate = comparison.metric, comparison.verdict.accurate
    mine, best = other.mean(metric.name), accurate.mean(metric.name)
    who = name_on_one_line(accurate.name)
    if number(mine) == number(best):
        return f"it scores as {who} does, {number(mine)}"
    if metric.better(mine, best):
        return f"its {metric.title} of {number(mine)} is no worse than the {number(best)} of {who}"
    if metric.name == "accuracy":  # the errors themselves: three times one wrong row says little
        return f"it errs on {percent(1 - mine, 1)} of rows, {who} on {percent(1 - best, 1)}"
    if not metric.higher_is_better and best > 0:
        larger = percent(mine / best - 1, 0)
        return f"its {metric.title} is {larger} larger than that of {who} ({number(mine)} instead of {number(best)})"
    return f"its {metric.title} is {number(mine)} instead of the {number(best)} of {who}"


def baseline_words(comparison: Comparison) -> str:
    """Whether anything is shown to have been learnt, and by what it shows."""
    baseline, verdict = comparison.baseline, comparison.verdict
    if baseline is None or comparison.ties is None or len(comparison.done) < 2:
        return ""
    who = f"{name_on_one_line(baseline.name)}, which does not look at the columns"
    if verdict.revealed is not None:
        metric = verdict.revealed
        best = next(o for o in comparison.ranked_by(metric) if not o.baseline)
        return (
            f"By {comparison.metric.title} none is shown to be better than {who}, but something was learnt: by "
            f"{metric.title} {name_on_one_line(best.name)} has {number(best.mean(metric.name))}, the baseline "
            f"{number(baseline.mean(metric.name))}. Rank by it with metric={metric.name!r}."
        )
    if not verdict.learnt:
        return f"None is shown to be better than {who}: it is not shown that anything was learnt."
    ahead = comparison.better_than(baseline.name)
    if not ahead:
        return f"{who}, is shown to be worse than the best, though of no single learner that it is better."
    others = [o.name for o in comparison.done if o is not baseline]
    behind = [name for name in others if name not in ahead]
    if not behind:
        every = {1: "The other one is", 2: "Both others are"}.get(len(others), f"All {len(others)} others are")
        return f"{every} significantly better than {who}."
    return f"Not shown to be better than {who}: {list_names(behind)}."


def _unfinished_learners(comparison: Comparison) -> str:
    stopped = [o.name for o in comparison.outcomes if o.status in ("stopped", "failed")]
    return f"Nothing is said of {list_names(stopped)}, which did not finish." if stopped else ""


def set_otherwise(comparison: Comparison) -> list[str]:
    """Learners that finished and are not set by their defaults, as one writes them, behind names of another kind."""
    found = []
    for outcome in comparison.done:
        source = " ".join(repr(outcome.learner).split())
        if outcome.tuned is None and not source.endswith("()"):
            short = short_name(source, 80)
            found.append(short if source.startswith(outcome.name) else f"{name_on_one_line(outcome.name)} = {short}")
    return found


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

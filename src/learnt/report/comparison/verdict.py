"""Section 1: what to use, how well it does, what can be read at what price, and what cannot be concluded."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from learnt.evaluate.comparison.words import price, readable_words
from learnt.report.comparison.template import fill_template
from learnt.report.comparison.words import interval, learner, list_names, name, score
from learnt.report.section import Section
from learnt.show.numbers import number, percent
from learnt.show.words import count_of

if TYPE_CHECKING:
    from markupsafe import Markup

    from learnt.evaluate.comparison.comparison import Comparison
    from learnt.evaluate.comparison.standings import Standing
    from learnt.evaluate.metrics.scoring import Metric

MOST_NAMED = 4


@dataclass(frozen=True)
class Tile:
    """An answer to be seen at a glance, and what stands behind it."""

    what: str
    value: Markup | str
    more: Markup | str


def verdict(comparison: Comparison) -> Section:
    standings = {s.name: s for s in comparison.leaderboard()}
    if not standings:
        body = fill_template("verdict.html.j2", sentences=_nothing(comparison), tiles=[])
        return Section("verdict", "No learner finished", "Verdict", body)
    chosen = standings[comparison.best.name]
    every = (choice(comparison), expectation(comparison, chosen), reading(comparison), limits(comparison))
    sentences = tuple(sentence.replace(" %", "\u00a0%") for sentence in every if sentence)
    body = fill_template("verdict.html.j2", sentences=sentences, tiles=tiles(comparison))
    return Section("verdict", "Verdict", "Verdict", body)


def choice(comparison: Comparison) -> Markup:
    """The first sentence: the most accurate learner, and whether others may be as good."""
    found, tied, n = comparison.verdict, comparison.tied, len(comparison.done)
    use = _form("Use <b>{}</b>: ", name(found.accurate.name))
    if n == 1:
        return use + "it is the only learner that finished, so there is nothing to compare it with."
    if found.accurate.baseline:
        return use + "no learner is shown to do better than this baseline, which looks at no column at all."
    if found.revealed is not None:
        return use + _form(
            "by {} it is the best, and there something was learnt; by {} no learner is shown to be better than the "
            "baseline, which looks at no column at all.",
            found.revealed.title,
            comparison.metric.title,
        )
    if not found.learnt:
        return _form(
            "It is not shown that anything was learnt: <b>{}</b> has the best score, but no learner is shown to be "
            "better than the baseline, which looks at no column at all.",
            name(found.accurate.name),
        )
    if len(tied) == 1:
        return use + f"it is the best of the {n} learners compared."
    if found.accurate is not comparison.top:
        return use + _form(
            "{} scores no better than by chance, and is a weaker learner elsewhere.", name(comparison.top.name)
        )
    return use + "it has the best score."


def reading(comparison: Comparison) -> Markup | None:
    """The third sentence: which model people can read, and what that costs."""
    if comparison.readable is comparison.best:
        return _form('Its model <a href="#model">can be read</a>.')
    words = readable_words(comparison)
    return _form("{}", words) if words else None


def expectation(comparison: Comparison, chosen: Standing) -> Markup:
    """The second sentence: its score on rows it has not seen, against the baseline."""
    metric, baseline = comparison.metric, comparison.baseline
    spread = "" if math.isnan(chosen.low) else f" (95 % interval {interval(chosen.low, chosen.high, metric)})"
    first = _form(
        "On rows it has not seen, its {} is about <b>{}</b>{}", metric.title, score(chosen.mean, metric), spread
    )
    if baseline is None or baseline.name == chosen.name:
        return first + "."
    ahead = comparison.ties is None or chosen.name in comparison.better_than(baseline.name)
    return first + _form(
        "; {}, which looks at no column, reaches {}{}.",
        name(baseline.name),
        score(baseline.mean(metric.name), metric),
        "" if ahead else ", and that it does better than that is not shown",
    )


def limits(comparison: Comparison) -> Markup:
    """The last sentence: what these scores do not show."""
    if comparison.ties is None or len(comparison.done) < 2:
        few = "With fewer than two learners or two folds nothing can be said about which learner is better."
        return _form("{}", few)
    sure, accurate = percent(1 - comparison.ties.alpha), comparison.best
    others = [name(o.name) for o in comparison.tied if o is not accurate]
    if not others:
        return _form("The best of them all is found with a confidence of {}.", sure)
    who = list_names(others, "or") if len(others) <= MOST_NAMED else f"one of {len(others)} others"
    return _form(
        "The best of them all may as well be {}: at a confidence of {} the rows do not say; that they are equally good "
        "is not shown either.",
        who,
        sure,
    )


def _nothing(comparison: Comparison) -> tuple[str, ...]:
    n = len(comparison.outcomes)
    return (f"None of {count_of(n, 'learner')} finished, so nothing can be concluded.", "Below it says why.")


def tiles(comparison: Comparison) -> list[Tile]:
    """Two names and a price, and what answers reach that look at nothing."""
    found, metric, baseline = comparison.verdict, comparison.metric, comparison.baseline
    standing = {s.name: s for s in comparison.leaderboard()}
    accurate = found.accurate
    both = accurate is found.readable
    best = "Most accurate" if found.learnt or accurate.baseline else "Best score, which may be chance"
    shown = [
        Tile(f"{best}, and readable" if both else best, learner(accurate.name), _score(standing[accurate.name], metric))
    ]
    other = found.readable or found.nearest
    if other is not None and not both and found.learnt:
        what = "Most readable within reach" if found.readable is not None else "Nearest that can be read"
        what = "Readable, not shown to be better than the baseline" if found.unproven else what
        mean, cost = other.mean(metric.name), price(comparison, other)
        more = cost if number(mean) in cost else f"{metric.title} {score(mean, metric)}; {cost}"
        shown.append(Tile(what, _form('<a href="#model">{}</a>', learner(other.name)), more))
    if baseline is not None and baseline is not accurate:
        words = _form("{}; looks at no column", score(baseline.mean(metric.name), metric))
        shown.append(Tile("Baseline", learner(baseline.name), words))
    left = len(comparison.outcomes) - len(comparison.done)
    unplaced = f"{left} skipped, stopped or failed" if left else "none skipped"
    return [*shown, Tile("Learners compared", str(len(comparison.done)), unplaced)]


def _score(row: Standing, metric: Metric) -> str:
    """The score of a tile, with its interval and the direction."""
    direction = "higher is better" if metric.higher_is_better else "lower is better"
    spread = "" if math.isnan(row.low) else f" ({interval(row.low, row.high, metric)})"
    return f"{metric.title} {score(row.mean, metric)}{spread}; {direction}"


def _form(text: str, *values: Any) -> Markup:
    from markupsafe import Markup

    return Markup(text).format(*values)

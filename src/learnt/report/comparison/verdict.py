"""Section 1: what to use, how well it does, and what cannot be concluded. Three sentences."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from learnt.report.comparison.template import fill_template
from learnt.report.comparison.words import interval, list_names, name, p_value, score
from learnt.report.section import Section
from learnt.show.numbers import percent
from learnt.show.words import counted

if TYPE_CHECKING:
    from markupsafe import Markup

    from learnt.evaluate.comparison.comparison import Comparison
    from learnt.evaluate.comparison.standings import Standing

MOST_NAMED = 4


@dataclass(frozen=True)
class Tile:
    """A figure to be seen at a glance; `word` marks one that is not a number."""

    what: str
    value: str
    more: str
    word: bool = False


def verdict(comparison: Comparison) -> Section:
    standings = {s.name: s for s in comparison.leaderboard()}
    if not standings:
        body = fill_template("verdict.html.j2", sentences=_nothing(comparison), tiles=[])
        return Section("verdict", "No learner finished", "Verdict", body)
    chosen = standings[comparison.simplest_tied.name]
    sentences = (choice(comparison), expectation(comparison, chosen), limits(comparison))
    body = fill_template("verdict.html.j2", sentences=sentences, tiles=_tiles(comparison, chosen))
    return Section("verdict", "Verdict", "Verdict", body)


def choice(comparison: Comparison) -> Markup:
    """The first sentence: the simplest of those that cannot be told apart from the best."""
    chosen, best, tied = comparison.simplest_tied, comparison.best, comparison.tied
    use = _form("Use <b>{}</b>: ", name(chosen.name))
    if len(comparison.done) == 1:
        return use + "it is the only learner that finished, so there is nothing to compare it with."
    if chosen.baseline:
        return use + "no learner is shown to do better than this baseline, which looks at no column at all."
    if len(tied) == 1:
        return use + f"it is significantly better than {_others(len(comparison.done) - 1)}."
    simpler = any(o.simplicity < chosen.simplicity for o in tied)  # and no better than the baseline, or it would be it
    if chosen is best:
        close = "those that come close and are simpler to read are not shown to be better than the baseline."
        none = f"none of the {len(tied) - 1} that come close is simpler to read."
        return use + f"it has the best mean, and {close if simpler else none}"
    if simpler:
        return use + (
            "it is the simplest of the learners that cannot be told apart from the best and are shown to be better "
            "than the baseline."
        )
    return use + f"it is the simplest of the {len(tied)} learners that cannot be told apart from the best."


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
    """The third sentence: what these scores do not show."""
    best, chosen, tied = comparison.best, comparison.simplest_tied, comparison.tied
    if comparison.ties is None or len(comparison.done) < 2:
        few = "With fewer than two learners or two folds nothing can be said about which learner is better."
        return _form("{}", few)
    alpha = percent(comparison.ties.alpha)
    if len(tied) == 1:
        return _form("Differences were tested in all pairs together, with a chance of {} of a single false one.", alpha)
    if chosen is best:
        others = [name(o.name) for o in tied if o is not best]
        who = list_names(others) if len(others) <= MOST_NAMED else f"{len(others)} others"
        return _form("That it is better than {} is not shown, and neither is that they are equally good.", who)
    pair = comparison.ties.pair(best.name, chosen.name)
    return _form(
        "{} has the best mean ({}), but a difference of {} is not significant ({} after Holm's correction for {}, "
        "{} by itself); that the two are equally good is not shown either.",
        name(best.name),
        score(best.mean(comparison.metric.name), comparison.metric),
        score(abs(pair.difference), comparison.metric),
        p_value(pair.adjusted_p_value),
        counted(len(comparison.ties.pairs), "pair"),
        p_value(pair.p_value),
    )


def _others(n: int) -> str:
    return "the other one" if n == 1 else f"all {n} others"


def _nothing(comparison: Comparison) -> tuple[str, ...]:
    n = len(comparison.outcomes)
    return (f"None of {counted(n, 'learner')} finished, so nothing can be concluded.", "Below it says why.")


def _tiles(comparison: Comparison, chosen: Standing) -> list[Tile]:
    metric, best, baseline = comparison.metric, comparison.best, comparison.baseline
    direction = "higher is better" if metric.higher_is_better else "lower is better"
    tiles = [
        Tile("Recommended", name(chosen.name), _traits(chosen), word=True),
        Tile(
            f"Its {metric.title}",
            score(chosen.mean, metric),
            f"{interval(chosen.low, chosen.high, metric)}; {direction}",
        ),
        Tile("Best mean", score(best.mean(metric.name), metric), name(best.name)),
    ]
    if baseline is not None:
        tiles.append(Tile("Baseline", score(baseline.mean(metric.name), metric), name(baseline.name)))
    left = len(comparison.outcomes) - len(comparison.done)
    more = f"{left} skipped, stopped or failed" if left else "none skipped"
    return [*tiles, Tile("Learners compared", str(len(comparison.done)), more)]


def _traits(chosen: Standing) -> str:
    place = f"place {chosen.place}"
    return f"{place}, its model can be read" if chosen.readable else place


def _form(text: str, *values: Any) -> Markup:
    from markupsafe import Markup

    return Markup(text).format(*values)

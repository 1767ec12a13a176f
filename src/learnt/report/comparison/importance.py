"""Section 11: the most important columns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from learnt.report.attempt import Failed, attempt
from learnt.report.comparison.figures.bars import span_bar
from learnt.report.comparison.insights.importance import SHUFFLES, Importance, importances
from learnt.report.comparison.looked_at import about, beside_words
from learnt.report.comparison.template import fill_template
from learnt.report.comparison.words import interval, list_names, name, score, unit_scale
from learnt.report.section import Section

if TYPE_CHECKING:
    from learnt.evaluate.metrics.scoring import Metric
    from learnt.report.comparison.insights.subject import Subject

MOST_SHOWN = 15
Drops = dict[tuple[str, ...], float]
MOST_NAMED = 6


def importance(subject: Subject) -> Section:
    found, metric = importances(subject), subject.comparison.metric
    every = [*found.columns[:MOST_SHOWN], *found.groups, *([found.rest] if found.rest else [])]
    sizes = [x for i in every for x in (i.drop, i.low, i.high) if math.isfinite(x)]
    ends = (min([0.0, *sizes]), max([0.0, *sizes]) or 1.0)
    beside = subject.readable
    again = None if beside is None else attempt(lambda: importances(beside))
    drops = {} if again is None or isinstance(again, Failed) else {i.columns: i.drop for i in again.columns}
    body = fill_template(
        "importance.html.j2",
        about=about(subject),
        metric=metric,
        score=score(found.score, metric),
        beside=beside_words(subject),
        other=name(beside.name, 28) if beside is not None and drops else "",
        rows=[_row(i, ends, metric, drops) for i in found.columns[:MOST_SHOWN]],
        more=len(found.columns) - MOST_SHOWN,
        groups=[_row(i, ends, metric) for i in found.groups],
        rest=None if found.rest is None else _row(found.rest, ends, metric),
        n_rest=0 if found.rest is None else len(found.rest.columns),
        matter=sum(i.matters for i in found.columns),
        tested=len(found.columns),
        folds=found.folds,
        shuffles=SHUFFLES,
    )
    return Section("importance", "The most important columns", "Important columns", body)


def _row(i: Importance, ends: tuple[float, float], metric: Metric, drops: Drops | None = None) -> dict[str, Any]:
    free = None if unit_scale(metric) else metric
    named: list[Any] = [name(column, 28) for column in i.columns[:MOST_NAMED]]
    if len(i.columns) > MOST_NAMED:
        named.append(f"{len(i.columns) - MOST_NAMED:,} more")
    return {
        "name": list_names(named),
        "drop": score(i.drop, free),
        "value": "" if math.isnan(i.drop) else i.drop,
        "interval": interval(i.low, i.high, free),
        "bar": span_bar(i.drop, i.low, i.high, ends),
        "matters": i.matters,
        "other": score((drops or {}).get(i.columns, math.nan), free),
    }

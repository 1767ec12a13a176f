"""Section 4: the leaderboard, who is tied with whom, and whether what the learners promise holds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from learnt.report.comparison.calibration import calibrations
from learnt.report.comparison.figures import intervals
from learnt.report.comparison.template import fill_template
from learnt.report.comparison.words import drawn_markup, interval, p_value, score, unit_scale
from learnt.report.section import Section
from learnt.show.numbers import percent
from learnt.show.words import short_name

if TYPE_CHECKING:
    from markupsafe import Markup

    from learnt.evaluate.comparison.comparison import Comparison
    from learnt.evaluate.comparison.standings import Standing
    from learnt.evaluate.significance import Ties

MOST_IN_MATRIX = 40


def leaderboard(comparison: Comparison) -> Section:
    standings = comparison.leaderboard()
    metric, baseline = comparison.metric, comparison.baseline
    level = None if baseline is None else baseline.mean(metric.name)
    scale = intervals.scale_of(standings, metric, None if baseline is None else baseline.name)
    calibrated = calibrations(comparison)
    others = [m for m in comparison.metrics if m.name != metric.name]
    chosen = comparison.best.name if standings else ""
    tags = _tags(comparison) if standings else {}
    rows = [
        {
            "s": s,
            "chosen": s.name == chosen,
            "tag": tags.get(s.name, ""),
            "baseline": comparison.outcome(s.name).baseline,
            "mean": score(s.mean, metric),
            "interval": interval(s.low, s.high, metric),
            "drawn": intervals.row(s, scale, metric, level),
            "others": [(_sortable(s.means.get(m.name)), _score_words(s, m)) for m in others],
            "calibration": calibrated.errors.get(s.name),
        }
        for s in standings
    ]
    body = fill_template(
        "leaderboard.html.j2",
        rows=rows,
        metric=metric,
        others=others,
        axis=intervals.axis(scale),
        baseline=baseline,
        beyond=level is not None and not scale.holds(level),
        has_sizes=any(s.model_bytes is not None for s in standings),
        calibrated=calibrated,
        ranks=_ranks(comparison),
        by_rows=comparison.ties is not None and comparison.ties.by == "rows",
        matrix=None
        if comparison.ties is None
        else _matrix(comparison.ties, None if baseline is None else baseline.name),
        tuned=[(o.name, _tuning(o.tuned)) for o in comparison.done if o.tuned],
    )
    return Section("leaderboard", "Leaderboard", "Leaderboard", body)


def _tags(comparison: Comparison) -> dict[str, str]:
    """What the verdict says of a learner, beside its name."""
    found = comparison.verdict
    best = "most accurate" if found.learnt or found.accurate.baseline else "best score"
    tags = {found.accurate.name: best}
    if found.readable is not None and found.readable is not found.accurate:
        tags[found.readable.name] = "most readable within reach"
    if found.nearest is not None and found.learnt:
        tags[found.nearest.name] = "nearest that can be read"
    return tags


def _score_words(s: Standing, metric: Any) -> str:
    return score(s.means.get(metric.name, math.nan), metric if not unit_scale(metric) else None)


def _sortable(x: float | None) -> float | str:
    return "" if x is None or math.isnan(x) else x


def _ranks(comparison: Comparison) -> Markup | None:
    """The diagram of mean ranks over the folds, learners joined where the corrected tests do not tell them apart.

    The tests of Friedman and Nemenyi, which usually draw it, take independent data sets; folds of one table are not.
    """
    ties = comparison.ties
    if ties is None or len(ties.names) < 3:
        return None
    return drawn_markup(str(ties.plot().svg))


def _matrix(ties: Ties, baseline: str | None) -> dict[str, Any]:
    """Learner against learner: better, tied or worse by the corrected test, and folds won and lost."""
    names = ties.names[:MOST_IN_MATRIX]
    by_pair = {(p.better, p.worse): p for p in ties.pairs}
    rows = []
    for i, name in enumerate(names):
        cells: list[dict[str, Any] | None] = []
        for j, other in enumerate(names):
            if i == j:
                cells.append(None)
                continue
            pair = by_pair.get((name, other)) or by_pair[other, name]
            won = bool(ties.better[i, j]) - bool(ties.better[j, i])
            folds = f"{int(ties.wins[i, j])}–{int(ties.ties[i, j])}–{int(ties.losses[i, j])}"
            said = {1: "better than", 0: "tied with", -1: "worse than"}[won]
            tip = f"{_brief(name)} is {said} {_brief(other)}, {p_value(pair.adjusted_p_value)}; won–tied–lost {folds}"
            cells.append({"won": won, "folds": folds, "tip": tip})
        rows.append({"name": name, "number": i + 1, "record": ties.record(name), "cells": cells})
    told = [p for p in ties.pairs if p.significant and baseline not in (p.better, p.worse)]
    beaten = "but for the baseline " if any(p.significant for p in ties.pairs) else ""
    apart = f"All pairs: {beaten}no learner is shown to be better than another"
    left = len(ties.names) - len(names)
    return {"rows": rows, "left": left, "alpha": percent(ties.alpha), "told": bool(told), "summary": apart}


def _brief(name: str) -> str:
    return short_name(name, 40)


def _tuning(tuned: dict[str, Any]) -> str:
    return short_name("; ".join(f"{key}: {value}" for key, value in tuned.items()), 300)

"""Section 2: the columns as they were understood, and what about them deserves a warning."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from learnt.data.value_text import spread_text, value_text
from learnt.describe.summaries import CategorySummary, NumericSummary, Summary
from learnt.report.comparison.figures.svg import Drawing
from learnt.report.comparison.template import fill_template
from learnt.report.comparison.understood import Understood
from learnt.report.comparison.warnings import Warning, warnings
from learnt.report.comparison.words import label, sentence
from learnt.report.section import Section
from learnt.show.numbers import NOTHING, number, percent

if TYPE_CHECKING:
    from markupsafe import Markup

    from learnt.evaluate.comparison.comparison import Comparison

MOST_COLUMNS = 50
MOST_FOLDED = 5000
MOST_ALIKE = 4  # warnings of one sort
MOST_LABELS = 4
MOST_CLASSES = 12


def columns(comparison: Comparison, understood: Understood) -> Section:
    d = understood.description
    strength = {r.column: (r.measure, r.value) for r in d.relations}
    order = [r.column for r in d.relations]
    order += [c.name for c in understood.columns if c.name not in strength]
    body = fill_template(
        "columns.html.j2",
        decided=[sentence(words, comparison.target_name) for words in comparison.notices],
        warnings=_shown_warnings(warnings(understood, comparison.splitting.in_order)),
        target=_target(d[understood.target.name]),
        rows=[_row(d[column], strength.get(column)) for column in order[:MOST_COLUMNS]],
        folded=order[MOST_COLUMNS:MOST_FOLDED],
        n_folded=len(order) - MOST_COLUMNS,
        kinds=_kinds([c.kind for c in understood.columns]),
        missing=_missing(d.summaries.values()),
    )
    return Section("columns", "What it understood of the columns", "Columns", body)


def _kinds(kinds: Sequence[str]) -> str:
    return ", ".join(f"{kinds.count(kind):,} {kind}" for kind in sorted(set(kinds), key=lambda k: -kinds.count(k)))


def _missing(summaries: Any) -> str:
    cells = sum(s.rows for s in summaries)
    missing = sum(s.missing for s in summaries)
    return f"{number(missing)} cells ({percent(missing / cells, 1)}) are missing." if missing else "No cell is missing."


def _shown_warnings(found: list[Warning]) -> list[dict[str, Any]]:
    """A few of each sort, then how many more there are."""
    shown = []
    for (sort, grave), group in groupby(sorted(found, key=_by_sort(found)), lambda w: (w.sort, w.grave)):
        alike = list(group)
        for w in alike[:MOST_ALIKE]:
            shown.append({"sort": sort, "grave": grave, "words": sentence(w.words, *w.names)})
        if len(alike) > MOST_ALIKE:
            shown.append({"sort": sort, "grave": grave, "words": f"and {len(alike) - MOST_ALIKE:,} more of this sort."})
    return shown


def _by_sort(found: list[Warning]) -> Any:
    """Keeps the order in which sorts first come."""
    places: dict[tuple[bool, str], int] = {}
    for w in found:
        places.setdefault((w.grave, w.sort), len(places))
    return lambda w: places[w.grave, w.sort]


def _target(s: Summary) -> dict[str, Any]:
    if isinstance(s, NumericSummary):
        return {"words": _numbers(s), "shape": _shape(s), "classes": [], "more": 0}
    top = s.top(MOST_CLASSES)
    most = max((times for _, times in top), default=1)
    classes = [
        {"label": label(c), "rows": number(times), "share": percent(times / s.count, 1), "bar": _bar(times / most)}
        for c, times in top
    ]
    return {"words": "", "shape": "", "classes": classes, "more": s.distinct - len(top)}


def _row(s: Summary, relation: tuple[str, float] | None) -> dict[str, Any]:
    return {
        "name": s.name,
        "kind": s.kind_name,
        "missing": percent(s.missing_share, 1) if s.missing else "",
        "missing_value": s.missing_share,
        "distinct": s.distinct,
        "summary": _numbers(s) if isinstance(s, NumericSummary) else _labels(s),
        "shape": _shape(s),
        "relation": f"{relation[0]} = {relation[1]:.2f}".replace("-", "−") if relation else NOTHING,
        "relation_value": abs(relation[1]) if relation else "",
        "bar": _bar(abs(relation[1]), 60.0, track=True) if relation else "",
    }


def _numbers(s: NumericSummary) -> str:
    if not s.count:
        return "no values"
    spread = "" if math.isnan(s.sd) else f" ± {spread_text(s.form, s.sd)}"
    mean, low, high = (value_text(s.form, x) for x in (s.mean, s.minimum, s.maximum))
    return f"{mean}{spread}, from {low} to {high}"


def _labels(s: CategorySummary) -> Markup:
    from markupsafe import Markup

    top = s.top(MOST_LABELS)
    parts = [Markup("{} <span class='soft'>{}</span>").format(label(c, 24), percent(n / s.count, 1)) for c, n in top]
    if s.distinct > len(top):
        parts.append(Markup("<span class='soft'>{:,} more</span>").format(s.distinct - len(top)))
    return Markup(" · ").join(parts) if parts else Markup("no values")


def _shape(s: Summary) -> Markup | str:
    """A histogram, as decoration: the figures beside it say the same."""
    counts = s.histogram.counts.tolist() if isinstance(s, NumericSummary) else s.tally.tolist()
    most = max(counts, default=0)
    if not most or len(counts) > 24:
        return ""
    drawing = Drawing(7.0 * len(counts), 22)
    for i, n in enumerate(counts):
        if n:
            height = max(21 * n / most, 1.0)
            drawing.box(7 * i, 22 - height, 6, height, "bar")
    return drawing.markup()


def _bar(part: float, width: float = 160.0, *, track: bool = False) -> Markup:
    drawing = Drawing(width, 10)
    if track:
        drawing.box(0, 0, width, 10, "track")
    drawing.box(0, 0, max(width * part, 0.5), 10, "bar")
    return drawing.markup()

"""Section 10: would more data help?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from learnt.report.attempt import Failed, attempt
from learnt.report.comparison.figures import learning_curve
from learnt.report.comparison.insights.growth import Growth, growth
from learnt.report.comparison.looked_at import about, beside_words
from learnt.report.comparison.template import fill_template
from learnt.report.comparison.words import interval, name, p_value, score
from learnt.report.section import Section

if TYPE_CHECKING:
    from learnt.report.comparison.insights.subject import Subject


def more_data(subject: Subject) -> Section:
    found = growth(subject)
    beside = subject.readable
    other = None if beside is None else attempt(lambda: growth(beside))
    drawn = None if other is None or isinstance(other, Failed) else other.curve
    body = fill_template(
        "more_data.html.j2",
        about=about(subject),
        verdict=verdict(found),
        outlook=found.curve.outlook if found.p_value <= 0.05 else "",  # an outlook on noise says nothing
        picture=learning_curve.picture(found.curve, drawn),
        beside=beside_words(subject),
        other="" if drawn is None or beside is None else name(beside.name),
        metric=found.curve.metric.title,
        folds=found.curve.test_scores.shape[1],
    )
    return Section("more-data", "Would more data help?", "More data", body)


def verdict(found: Growth) -> str:
    """What the last doubling of the rows brought, and whether that can be told from chance."""
    metric, rows = found.curve.metric, int(found.curve.sizes[-1])
    way = f"From {found.half:,} to {rows:,} rows its {metric.title}"
    if math.isnan(found.gain):
        return f"{way} cannot be compared, because some scores are infinite."
    free = None if metric.low >= -1 and metric.high <= 1 else metric
    spread = "" if math.isinf(found.low) else f", 95 % interval {interval(found.low, found.high, free)}"
    gained = f"{score(abs(found.gain), free)} ({p_value(found.p_value)}{spread})"
    if found.p_value <= 0.05 and found.gain > 0:
        return f"Probably: {way[0].lower()}{way[1:]} got better by {gained}, and the curve has not ended yet."
    if found.gain > 0:
        return f"That is not shown: {way[0].lower()}{way[1:]} got better by {gained}, which may be chance."
    return f"There is no sign of it: {way[0].lower()}{way[1:]} did not get better ({p_value(found.p_value)})."

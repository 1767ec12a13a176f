"""Section 8: parts of the table with more errors than others, and what errors cost (classes) or how far predictions
reach (numbers)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.report.attempt import Failed, attempt
from learnt.report.comparison.answers import confusion_table, ranking
from learnt.report.comparison.figures import predictions, residuals
from learnt.report.comparison.insights.coverage import PARTS, IntervalCoverage, coverage
from learnt.report.comparison.insights.slices import Slice, Slices, slices
from learnt.report.comparison.looked_at import about, beside_words
from learnt.report.comparison.loss_slider import loss_slider
from learnt.report.comparison.template import fill_template
from learnt.report.comparison.words import name, p_value
from learnt.report.section import Section
from learnt.show.numbers import number, percent

if TYPE_CHECKING:
    from markupsafe import Markup

    from learnt.report.comparison.insights.subject import Subject


def errors_by_slice(subject: Subject) -> Section:
    numbers = subject.problem.classes is None
    found = attempt(lambda: slices(subject))
    covered = attempt(lambda: coverage(subject)) if numbers else []
    sorted_rows = None if numbers else attempt(lambda: ranking(subject))
    body = fill_template(
        "errors_by_slice.html.j2",
        about=about(subject),
        numbers=numbers,
        slices=found if isinstance(found, Failed) else _slices(found, numbers),
        slider="" if numbers else attempt(lambda: loss_slider(subject.comparison, subject.name)),
        beside=attempt(lambda: beside_words(subject, rows=True)),
        confusion=None if numbers else attempt(lambda: confusion_table(subject)),
        ranking=sorted_rows,
        two=sorted_rows is not None and not isinstance(sorted_rows, Failed) and not sorted_rows["small"],
        residuals=attempt(lambda: _picture(subject, residuals.picture)) if numbers else None,
        predictions=attempt(lambda: _picture(subject, predictions.picture)) if numbers else None,
        coverage=covered if isinstance(covered, Failed) else [_coverage_words(c) for c in covered],
        parts=PARTS,
    )
    heading = "Where it errs, and how far predictions reach" if numbers else "Where it errs, and what errors cost"
    return Section("slices", heading, "Errors", body)


def _slices(found: Slices, numbers: bool) -> dict[str, Any]:
    most = max((s.high for s in found.found), default=1.0)
    return {
        "rows": [_slice(s, numbers, most, found.error) for s in found.found],
        "worst": None if found.worst is None else _slice(found.worst, numbers, 1.0, found.error),
        "more": found.count - len(found.found),
        "error": number(found.error) if numbers else percent(found.error, 0),
        "tested": f"{found.tested:,}",
        "least": found.least,
        "n_columns": found.n_columns,
        "n_rows": found.n_rows,
    }


def _slice(s: Slice, numbers: bool, most: float, error: float) -> dict[str, Any]:
    from markupsafe import Markup

    from learnt.report.comparison.figures.bars import interval_bar

    show = number if numbers else percent
    parts = [Markup("{} {}").format(name(column, 28), words) for column, words in s.conditions]
    return {
        "words": Markup(" and ").join(parts),
        "rows": f"{s.n_rows:,}",
        "error": show(s.error),
        "interval": f"{show(s.low)} to {show(s.high)}",
        "bar": interval_bar(s.error, s.low, s.high, most, error),
        "p": p_value(s.p_value),
    }


def _picture(subject: Subject, draw: Callable[..., Markup]) -> Markup | None:
    answer = subject.held_out[0]
    rows = np.flatnonzero(np.isfinite(answer))
    return draw(rows, subject.problem.target[rows], answer[rows]) if len(rows) else None


def _coverage_words(c: IntervalCoverage) -> dict[str, Any]:
    return {
        "level": percent(c.level, 0),
        "half": "± " + number(c.half) if np.isfinite(c.half) else "too few rows",
        "share": percent(c.share, 1),
        "interval": f"{percent(c.low, 1)} to {percent(c.high, 1)}",
        "short": c.high < c.level,
        "parts": [percent(p, 0) for p in c.parts],
    }

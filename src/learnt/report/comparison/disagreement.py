"""Section 6: where learners disagree, and rows that look mislabelled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.report.attempt import Failed, attempt
from learnt.report.comparison.insights.disputes import Disputes, disputes
from learnt.report.comparison.insights.doubts import FAR, LEAST_ROWS, LOW, Doubts, doubts
from learnt.report.comparison.looked_at import cells_of, target_words, telling
from learnt.report.comparison.template import fill_template
from learnt.report.comparison.words import list_names, name
from learnt.report.section import Section
from learnt.show.numbers import number, percent

if TYPE_CHECKING:
    from markupsafe import Markup

    from learnt.report.comparison.insights.subject import Subject

MOST_NAMED = 6


def disagreement(subject: Subject) -> Section:
    comparison = subject.comparison
    numbers = comparison.problem.classes is None
    found, doubted = attempt(lambda: disputes(comparison)), attempt(lambda: doubts(comparison))
    columns = attempt(lambda: telling(subject))
    columns = [] if isinstance(columns, Failed) else columns
    body = fill_template(
        "disagreement.html.j2",
        numbers=numbers,
        columns=columns,
        found=found if isinstance(found, Failed) or found is None else _disputed_rows(subject, found, columns),
        doubts=doubted if isinstance(doubted, Failed) or doubted is None else _doubted_rows(subject, doubted, columns),
        least=LEAST_ROWS,
        low=percent(LOW, 0),
        far=number(FAR),
    )
    heading = "Where learners disagree, and targets that look wrong" if numbers else (
        "Where learners disagree, and rows that look mislabelled"
    )  # fmt: skip
    return Section("disagreement", heading, "Disagreement", body)


def _disputed_rows(subject: Subject, found: Disputes, columns: list[str]) -> dict[str, Any]:
    numbers = subject.problem.classes is None
    group: list[Any] = [name(n) for n in found.group[:MOST_NAMED]]
    if len(found.group) > MOST_NAMED:
        group.append(f"{len(found.group) - MOST_NAMED} more")
    cells = cells_of(subject, found.rows.tolist(), columns)
    rows = [
        {
            "row": int(row),
            "truth": target_words(subject, truth),
            "said": _span(found, answers) if numbers else _votes(subject, answers),
            "cells": line,
        }
        for row, truth, answers, line in zip(found.rows, found.truth, found.answers, cells, strict=True)
    ]
    show = _correlation if numbers else percent
    matrix = [
        {"name": n, "number": i + 1, "cells": [show(x) if i != j else "" for j, x in enumerate(line)]}
        for i, (n, line) in enumerate(zip(found.names, found.agreement.tolist(), strict=True))
    ]
    return {
        "group": list_names(group),
        "count": len(found.group),
        "tied": found.tied,
        "disputed": percent(found.disputed, 0),
        "gaps": [number(x) for x in found.gaps],
        "rows": rows,
        "matrix": matrix,
    }


def _votes(subject: Subject, answers: Any) -> Markup:
    """How many gave which answer, most votes first."""
    from markupsafe import Markup

    codes, times = np.unique(answers, return_counts=True)
    order = np.argsort(-times, kind="stable")
    parts = [
        Markup("{} <span class='soft'>{}×</span>").format(target_words(subject, codes[i]), int(times[i])) for i in order
    ]
    return Markup(", ").join(parts)


def _span(found: Disputes, answers: Any) -> Markup:
    """The smallest and the largest prediction, and whose they are."""
    from markupsafe import Markup

    low, high = int(np.argmin(answers)), int(np.argmax(answers))
    return Markup("{} <span class='soft'>{}</span> to {} <span class='soft'>{}</span>").format(
        number(answers[low]), name(found.group[low], 28), number(answers[high]), name(found.group[high], 28)
    )


def _doubted_rows(subject: Subject, found: Doubts, columns: list[str]) -> dict[str, Any]:
    numbers = subject.problem.classes is None
    cells = cells_of(subject, found.rows.tolist(), columns)
    rows = [
        {
            "row": int(row),
            "given": target_words(subject, given),
            "expected": target_words(subject, expected),
            "support": f"{number(round(float(s), 1))}×" if numbers else f"{s:.3f}",
            "cells": line,
        }
        for row, given, expected, s, line in zip(
            found.rows, found.given, found.expected, found.support, cells, strict=True
        )
    ]
    right = "" if numbers else number(round(found.right, 1))
    return {"rows": rows, "count": found.count, "right": right, "learners": found.learners}


def _correlation(r: float) -> str:
    return "–" if np.isnan(r) else f"{r:.2f}".replace("-", "−")

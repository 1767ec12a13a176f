"""What the sections about single rows share: who is spoken of, and the cells of a row worth showing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.report.comparison.insights.cells import cell
from learnt.report.comparison.words import label, name
from learnt.show.numbers import number

if TYPE_CHECKING:
    from markupsafe import Markup

    from learnt.report.comparison.insights.subject import Subject

MOST_CELLS = 5


def about(subject: Subject) -> Markup:
    """The learner a section speaks of, as the beginning of a sentence."""
    from markupsafe import Markup

    if subject.recommended:
        return Markup("<b>{}</b>, the learner recommended above,").format(name(subject.name))
    return Markup("<b>{}</b>, the best of the learners that look at the columns,").format(name(subject.name))


def telling(subject: Subject) -> list[str]:
    """The columns shown beside a row: those that go most closely with the target."""
    related = [r.column for r in subject.understood.description.relations]
    others = [column for column in subject.problem.table.names if column not in set(related)]
    return [*related, *others][:MOST_CELLS]


def cells_of(subject: Subject, rows: Sequence[int], columns: Sequence[str]) -> list[list[Markup]]:
    """A line of cells for each row."""
    table = subject.problem.table
    by_name = [table[column] for column in columns]
    return [[label(cell(column, int(row)), 24) for column in by_name] for row in rows]


def target_words(subject: Subject, value: Any) -> Markup | str:
    """A class by its code, or a number; nothing where there is none."""
    classes = subject.problem.classes
    if classes is None:
        return number(float(value)) if np.isfinite(value) else "–"
    return label(classes[int(value)], 24) if value >= 0 else "–"

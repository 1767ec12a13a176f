"""What the sections about single rows share: who is spoken of, and the cells of a row worth showing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.report.comparison.insights.beside import beside
from learnt.report.comparison.insights.cells import cell
from learnt.report.comparison.words import label, name, score
from learnt.show.numbers import number, percent

if TYPE_CHECKING:
    from markupsafe import Markup

    from learnt.report.comparison.insights.subject import Subject

MOST_CELLS = 5


def about(subject: Subject) -> Markup:
    """The learner a section speaks of, as the beginning of a sentence."""
    from markupsafe import Markup

    if subject.recommended:
        what = "the most accurate learner" if subject.comparison.verdict.learnt else "the learner with the best score"
        return Markup("<b>{}</b>, {},").format(name(subject.name), what)
    return Markup("<b>{}</b>, the best of the learners that look at the columns,").format(name(subject.name))


def beside_words(subject: Subject, *, rows: bool = False) -> Markup | str:
    """The readable learner beside it, its score and, asked for `rows`, where the two differ; empty without one."""
    from markupsafe import Markup

    found = beside(subject)
    if found is None:
        return ""
    metric = subject.comparison.metric
    first = Markup('Beside it <a href="#model">{}</a>, which can be read: its {} is {}').format(
        name(found.name), metric.title, score(found.score, metric)
    )
    if not rows or not found.rows:
        return first + "."
    if subject.problem.classes is None:
        return first + Markup(
            ". For half of the rows the two predictions lie within {} of each other, for one in ten they are more than "
            "{} apart."
        ).format(*map(number, found.gaps))
    if not found.differ:
        return first + ". The two give the same answer to every row."
    return first + Markup(
        ". The two answer {} of {:,} rows ({}) differently; there {} is right {} and {} {}."
    ).format(
        f"{found.differ:,}", found.rows, percent(found.differ / found.rows, 1),
        name(subject.name), _times(found.own), name(found.name), _times(found.other),
    )  # fmt: skip


def _times(n: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(n, f"{n:,} times")


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

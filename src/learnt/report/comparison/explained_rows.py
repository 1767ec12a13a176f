"""Section 9: three rows, and why they were answered as they were."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from learnt.explain.text import headline, remainder, split
from learnt.report.attempt import Failed
from learnt.report.comparison.figures.bars import signed_bar
from learnt.report.comparison.insights.cases import Case, cases
from learnt.report.comparison.insights.cells import stored_cell
from learnt.report.comparison.insights.flips import Flip, Search
from learnt.report.comparison.looked_at import MOST_CELLS, about, beside_words, cells_of, target_words, telling
from learnt.report.comparison.template import fill_template
from learnt.report.comparison.words import label, name, short
from learnt.report.section import Section
from learnt.show.numbers import number, percent, signed
from learnt.show.words import count_of

if TYPE_CHECKING:
    from markupsafe import Markup

    from learnt.explain import Explanation
    from learnt.report.comparison.insights.subject import Subject

MOST_TERMS = 6
HEADLINE_WIDTH, WORDS_WIDTH, NAME_WIDTH = 400, 120, 28


def explained_rows(subject: Subject) -> Section:
    found = [_case(subject, case) for case in cases(subject)]
    body = fill_template(
        "explained_rows.html.j2",
        about=about(subject),
        beside=beside_words(subject),
        cases=found,
        numbers=subject.problem.classes is None,
    )
    return Section("rows", "Three rows, explained", "Explained rows", body)


def _case(subject: Subject, case: Case) -> dict[str, Any]:
    explained, near = case.explanation, case.neighbours
    columns = _columns(subject, explained)
    return {
        "row": case.row,
        "why": case.why,
        "truth": target_words(subject, subject.problem.target[case.row]),
        "answer": target_words(subject, case.answer),
        "right": case.answer == subject.problem.target[case.row],
        "sure": "" if math.isnan(case.sure) else percent(case.sure, 0),
        "support": "" if math.isnan(case.support) else percent(case.support, 0),
        "beside": _beside(subject, case.row),
        "explanation": explained if isinstance(explained, Failed) else _explanation(explained),
        "columns": columns,
        "neighbours": near if isinstance(near, Failed) else _neighbours(subject, case, near, columns),
        "change": _change(subject, case),
    }


def _beside(subject: Subject, row: int) -> Markup | str:
    """What the readable learner beside it said of the row."""
    from markupsafe import Markup

    if subject.readable is None:
        return ""
    said = target_words(subject, subject.readable.held_out[0][row])
    return Markup("{} says {}.").format(name(subject.readable.name), said)


def _columns(subject: Subject, explained: Explanation | Failed) -> list[str]:
    """The columns shown of the row and of its neighbours: those that said most about it."""
    told = [] if isinstance(explained, Failed) else [e.column for e in explained.by_size() if e.contribution]
    known = [column for column in dict.fromkeys(told) if column in subject.problem.table]
    return (known or telling(subject))[:MOST_CELLS]


def _tidy(explained: Explanation) -> Explanation:
    """The same with names and labels short enough for a sentence."""

    def brief(value: Any) -> Any:
        return short(value, NAME_WIDTH) if isinstance(value, str) else value

    return replace(
        explained,
        prediction=brief(explained.prediction),
        base_words=short(explained.base_words, WORDS_WIDTH),
        total_words=short(explained.total_words, WORDS_WIDTH),
        evidence=tuple(replace(e, column=brief(e.column)) for e in explained.evidence),
        alternatives=tuple((brief(answer), total) for answer, total in explained.alternatives),
    )


def _explanation(explained: Explanation) -> dict[str, Any]:
    terms, rest = split(explained.by_size(), MOST_TERMS)
    largest = max((abs(e.contribution) for e in terms if math.isfinite(e.contribution)), default=0.0)
    return {
        "headline": short(headline(_tidy(explained)), HEADLINE_WIDTH),
        "terms": [
            {
                "column": e.column,
                "value": label(e.value, 24),
                "size": signed(e.contribution),
                "bar": signed_bar(e.contribution, largest),
                "words": short(e.words, WORDS_WIDTH),
            }
            for e in terms
        ],
        "rest": remainder(rest) if rest else "",
    }


def _neighbours(subject: Subject, case: Case, near: Any, columns: list[str]) -> list[dict[str, Any]]:
    rows, far = near
    every = [case.row, *rows.tolist()]
    cells = cells_of(subject, every, columns)
    return [
        {
            "row": row,
            "own": row == case.row,
            "truth": target_words(subject, subject.problem.target[row]),
            "far": "this row" if row == case.row else f"{distance:.3f}",
            "cells": line,
        }
        for row, distance, line in zip(every, [0.0, *far.tolist()], cells, strict=True)
    ]


def _change(subject: Subject, case: Case) -> Markup | Failed:
    """The smallest change that flips the decision, or what moves a number most, in a sentence."""
    from markupsafe import Markup

    if subject.problem.classes is None:
        if isinstance(case.moves, Failed):
            return case.moves
        parts = [
            Markup("{} would {} it to {}").format(
                _cells(subject, case.row, move), "lower" if move.answer < case.answer else "raise", number(move.answer)
            )
            for move in case.moves
        ]
        if not parts:
            return Markup("No single column, changed to a value of another row, moves the prediction.")
        sentence = Markup(", and ").join(parts)
        return Markup("Of single columns, changed to a value of another row, {}.").format(sentence)
    search = case.flip
    if isinstance(search, Failed):
        return search
    return Markup("It was not looked for.") if search is None else _flip(subject, case.row, search)


def _flip(subject: Subject, row: int, search: Search) -> Markup:
    from markupsafe import Markup

    if search.flip is None:
        pairs = ", nor any change of two of those that come closest," if search.pairs else ""
        return Markup("No change of one of {} to a value of another row{} gives another answer.").format(
            count_of(search.columns, "column"), pairs
        )
    return Markup("With {} the answer would be {}.").format(
        _cells(subject, row, search.flip), target_words(subject, search.flip.answer)
    )


def _cells(subject: Subject, row: int, flip: Flip) -> Markup:
    from markupsafe import Markup

    table = subject.problem.table
    parts = []
    for place, value in flip.cells:
        column = table[table.names[place]]
        parts.append(
            Markup("{} = <b>{}</b> instead of {}").format(
                name(column.name),
                label(stored_cell(column, value), 24),
                label(stored_cell(column, column.values[row]), 24),
            )
        )
    return Markup(" and ").join(parts)

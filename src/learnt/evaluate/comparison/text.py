"""A comparison in plain text, aligned for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.evaluate.comparison.words import name_on_one_line, progress_of, seconds, set_otherwise
from learnt.show.numbers import number
from learnt.show.text_table import Field, fitted_table
from learnt.show.words import count_of, list_of, printable, short_name, wrap_words

if TYPE_CHECKING:
    from learnt.evaluate.comparison.comparison import Comparison
    from learnt.evaluate.comparison.standings import Standing

LONGEST_REASON, LONGEST_NOTICE = 300, 1000
MOST_SET = 4
HEADINGS = {"stopped": "stopped on the way", "failed": "failed", "skipped": "skipped"}


def comparison_text(comparison: Comparison, width: int = 100) -> str:
    width = max(width, 40)
    sections = [
        headline(comparison, width),
        leaderboard_text(comparison, width),
        wrap_words(comparison.conclusion, width),
        *(unfinished_text(comparison, status, width) for status in HEADINGS),
    ]
    return "\n\n".join(section for section in sections if section)


def headline(comparison: Comparison, width: int) -> str:
    """What was compared on what, and how; then what was decided on the way."""
    problem = comparison.problem
    source = f"{name_on_one_line(comparison.source)}: " if comparison.source else ""
    columns = count_of(problem.table.n_columns, "column")
    first = (
        f"{source}{name_on_one_line(problem.target_name)!r} from {columns}, {count_of(problem.n_rows, 'row')}, "
        f"by {comparison.splitting.words}, seed {comparison.random_state}"
    )
    notices = [wrap_words(short_name(notice, LONGEST_NOTICE), width, "! ", "  ") for notice in comparison.notices]
    return "\n".join([wrap_words(first, width), *notices])


def leaderboard_text(comparison: Comparison, width: int) -> str:
    rows = comparison.leaderboard()
    if not rows:
        return ""
    fields = [
        Field("learner", [_marked_name(r, comparison) for r in rows], right=False),
        Field(printable(comparison.metric.name), [number(r.mean) for r in rows]),
        Field("95 % interval", [interval(r.low, r.high) for r in rows], right=False),
        Field("tied", [r.letters for r in rows], right=False),
        Field("fit", [seconds(r.fit_seconds) for r in rows], 1),
        Field("predict", [seconds(r.predict_seconds) for r in rows], 2),
    ]
    arrow = "more" if comparison.metric.higher_is_better else "less"
    note = f"{comparison.metric.title}: {arrow} is better."
    if comparison.ties is not None:
        marks = any(not r.may_be_best for r in rows)
        note += " Those marked ● may be the best." if marks else ""
        note += " Learners that share a letter are not significantly different."
        if comparison.ties.by == "folds":
            note += " This metric cannot be compared row by row, so scores of folds were, which tell less apart."
    if several := set_otherwise(comparison):
        note += f" Set otherwise than by default: {list_of(several, most=MOST_SET)}."
    return f"{fitted_table(fields, width)}\n{wrap_words(note, width)}"


def _marked_name(row: Standing, comparison: Comparison) -> str:
    """A name, behind a mark if the learner may be the best and others are shown not to be."""
    name = name_on_one_line(row.name, 200)
    if comparison.ties is None or len(comparison.tied) == len(comparison.done):
        return name
    return f"{'●' if row.may_be_best else ' '} {name}"


def interval(low: float, high: float) -> str:
    return "" if low != low or high != high else f"{number(low)} … {number(high)}"


def unfinished_text(comparison: Comparison, status: str, width: int) -> str:
    """Those of a status with their reasons; equal reasons stand together."""
    reasons: dict[str, list[str]] = {}
    for outcome in comparison.outcomes:
        if outcome.status == status:
            far = progress_of(outcome, comparison.metric.name, comparison.n_folds)
            reasons.setdefault(_cut("; ".join(filter(None, (outcome.why, far)))), []).append(
                name_on_one_line(outcome.name)
            )
    lines = [wrap_words(f"{', '.join(names)}: {why}", width, "  ", "    ") for why, names in reasons.items()]
    return "\n".join([HEADINGS[status], *lines]) if lines else ""


def _cut(reason: str) -> str:
    return short_name(reason, LONGEST_REASON)

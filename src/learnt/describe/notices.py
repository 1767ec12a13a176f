"""What in a table should make its owner look twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from learnt.data.value_text import value_text
from learnt.describe.pairs import Correlations
from learnt.describe.summaries import CategorySummary, NumericSummary, Summary
from learnt.show.numbers import number, percent
from learnt.show.words import count_of, first_of, label, printable

MUCH_MISSING = 0.2  # of the cells of a column
NEARLY_ALL = 0.99  # of the cells hold the same value
RARE_CLASS = 0.1  # of the rows it would have if all classes had as many
STRONG = 0.95  # |r|
MANY_LEVELS = 100


@dataclass(frozen=True, slots=True)
class Notice:
    """`what` is a fixed word to filter by, `words` is the sentence for people."""

    what: str
    column: str
    words: str


def notices(
    summaries: Mapping[str, Summary], correlations: Correlations | None, target: str | None
) -> tuple[Notice, ...]:
    """Everything worth a second look, gravest first."""
    found = [notice for s in summaries.values() for notice in _about(s, s.name == target)]
    if correlations is not None:
        for a, b, r in correlations.strongest(20, min_rows=10):
            if abs(r) >= STRONG:
                words = f"{name(a)} and {name(b)} say nearly the same (r = {number(round(r, 4))})."
                found.append(Notice("correlated", a, words))
    order = ("target", "infinite", "empty", "identifier", "constant", "missing", "levels", "unused", "outliers")
    rank = {what: place for place, what in enumerate(order)}
    return tuple(sorted(found, key=lambda n: rank.get(n.what, len(rank))))


def _about(s: Summary, is_target: bool) -> list[Notice]:
    found = []

    def note(what: str, words: str) -> None:
        found.append(Notice(what, s.name, f"{name(s.name)} {words}"))

    if not s.rows:
        return []
    if is_target and s.missing:
        note("target", f"is the target and misses {number(s.missing)} of its values; learners refuse such rows.")
    if isinstance(s, NumericSummary) and s.infinite:
        note("infinite", f"has infinite values ({number(s.infinite)}); replace them or mark them missing.")
    if not s.count:
        note("empty", "holds no values.")
        return found
    if s.kind_name == "text":
        note("text", "holds long texts: learners count its words or, where that makes no sense, leave it out.")
    if s.identifier_like:
        labels = f"has {s.distinct} different labels in {number(s.count)} rows"
        looks = "numbers its rows" if isinstance(s, NumericSummary) else labels
        note("identifier", f"{looks} like an identifier; it cannot help on new rows.")
    value, times = s.commonest
    shown = value_text(s.form, value) if isinstance(s, NumericSummary) else label(value)
    if s.constant and s.count > 1:
        note("constant", f"is always {shown}.")
    elif NEARLY_ALL * (s.rows - s.missing) <= times < s.count:
        note("constant", f"is {shown} in {percent(times / s.count, 1)} of its rows.")
    if s.missing_share >= MUCH_MISSING:
        note("missing", f"misses {percent(s.missing_share, 1)} of its values.")
    if isinstance(s, CategorySummary):
        found += _about_categories(s, is_target)
    elif s.outliers.far:
        row, x = s.outliers.examples[0]
        far = "a value" if s.outliers.far == 1 else f"{number(s.outliers.far)} values"
        such_as = ": " if s.outliers.far == 1 else ", such as "
        note("outliers", f"has {far} far outside the rest{such_as}{value_text(s.form, x)} in row {row}.")
    return found


def _about_categories(s: CategorySummary, is_target: bool) -> list[Notice]:
    found = []
    unused = [category for category, times in zip(s.categories, s.tally.tolist(), strict=True) if not times]
    if s.distinct > MANY_LEVELS and not s.identifier_like and s.kind_name != "text":
        found.append(Notice("levels", s.name, f"{name(s.name)} has {s.distinct} different labels."))
    if unused and s.kind != "boolean":
        some = first_of([label(category) for category in unused], 3)
        words = f"{name(s.name)} declares {count_of(len(unused), 'label')} without rows: {some}."
        found.append(Notice("unused", s.name, words))
    if is_target and s.distinct > 1:
        rarest, times = min(((c, t) for c, t in s.counts.items() if t), key=lambda pair: pair[1])
        if times * s.distinct < RARE_CLASS * s.count:
            words = f"{name(s.name)} is {label(rarest)} in only {percent(times / s.count, 1)} of the rows."
            found.append(Notice("target", s.name, words))
    return found


def name(column: str) -> str:
    return f"'{printable(column)}'"

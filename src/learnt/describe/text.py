"""A description in plain text, aligned for a terminal."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import groupby

from learnt.data.value_text import spread_text, value_text
from learnt.describe.description import Description
from learnt.describe.summaries import BARS, CategorySummary, NumericSummary
from learnt.show.numbers import fixed, number, percent
from learnt.show.text_table import NAME_WIDTH, Field, bar, cell_width, crop, fitted_table, spark
from learnt.show.words import count_of, plain, printable, wrap_words

MOST_COLUMNS = 60  # rows of the tables below; the rest is counted
MOST_CLASSES = 12
MOST_PAIRS = 6
MOST_ALIKE = 5  # notices of one sort


def description_text(d: Description, width: int = 100) -> str:
    width = max(width, 40)
    numeric = [s for s in d.summaries.values() if isinstance(s, NumericSummary)]
    coded = [s for s in d.summaries.values() if isinstance(s, CategorySummary)]
    sections = [
        wrap_words(headline(d), width),
        *(numeric_section(of_kind, d.level, width) for of_kind in numbers_and_dates(numeric)),
        category_section(coded, width),
        target_section(d, width),
        correlation_section(d, width),
        notice_section(d, width),
        wrap_words(approximation(d), width),
    ]
    return "\n\n".join(section for section in sections if section)


def headline(d: Description) -> str:
    missing = sum(s.missing for s in d.summaries.values())
    cells = sum(s.rows for s in d.summaries.values())
    parts = [
        f"{count_of(d.n_rows, 'row')} × {count_of(len(d), 'column')}",
        *([f"weight {number(d.weight)}"] if d.weight != d.n_rows else []),
        f"{count_of(missing, 'missing cell')} ({percent(missing / cells, 1)})" if missing else "no missing cells",
        *([f"target {printable(d.target)!r}"] if d.target is not None else []),
    ]
    return ", ".join(parts)


def approximation(d: Description) -> str:
    if d.sampled is None:
        return ""
    return (
        f"Approximate, from a sample of {count_of(d.sampled, 'row')}: quartiles, outliers, shapes and relations. "
        "Exact: counts, missing cells, means, variances, minima and maxima."
    )


def numbers_and_dates(summaries: Sequence[NumericSummary]) -> list[list[NumericSummary]]:
    """Numbers, and dates and times, which are tables of their own."""
    parts = [[s for s in summaries if (s.kind_name == "date") == dates] for dates in (False, True)]
    return [part for part in parts if part]


def numeric_section(summaries: Sequence[NumericSummary], level: float, width: int) -> str:
    shown = summaries[:MOST_COLUMNS]

    def each(write: Callable[[NumericSummary], str]) -> list[str]:
        return [write(s) for s in shown]

    fields = [
        Field(shown[0].kind_name, each(lambda s: printable(s.name)), right=False),
        *missing_field(shown),
        Field("mean", each(lambda s: value(s.mean, s))),
        Field(f"± {percent(level)}", each(lambda s: spread(half_width(s), s)), 6),
        Field("sd", each(lambda s: spread(s.sd, s))),
        Field("min", each(lambda s: end(s.minimum, s)), 1),
        Field("25 %", each(lambda s: value(s.q1, s)), 5),
        Field("median", each(lambda s: value(s.median, s)), 3),
        Field("75 %", each(lambda s: value(s.q3, s)), 5),
        Field("max", each(lambda s: end(s.maximum, s)), 1),
    ]
    if any(s.outliers.count for s in shown):
        fields.append(Field("outliers", each(lambda s: number(s.outliers.count) if s.outliers.count else ""), 4))
    fields.append(Field("shape", each(lambda s: spark(s.histogram.counts.tolist())), 2, right=False))
    return fitted_table(fields, width, len(summaries) - len(shown))


def category_section(summaries: Sequence[CategorySummary], width: int) -> str:
    shown = summaries[:MOST_COLUMNS]
    shapes = [spark(s.tally.tolist()) if len(s.tally) <= BARS else "" for s in shown]
    fields = [
        Field("categories", [printable(s.name) for s in shown], right=False),
        Field("kind", [s.kind_name for s in shown], 2, right=False),
        *missing_field(shown),
        Field("labels", [number(s.distinct) for s in shown]),
        *([Field("shape", shapes, 1, right=False)] if any(shapes) else []),
    ]
    # What the other fields leave of the line is for the commonest labels.
    widths = [f.width for f in fields]
    room = max(width - min(widths[0], NAME_WIDTH) - sum(widths[1:]) - 2 * len(fields), 30)
    fields.append(Field("commonest", [commonest(s, room) for s in shown], right=False))
    return fitted_table(fields, width, len(summaries) - len(shown))


def commonest(s: CategorySummary, room: int) -> str:
    """The labels with most rows and their shares, as many as fit; then how many others there are."""
    if not s.count:
        return ""
    written = ""
    top = s.top(8)
    for k, (category, times) in enumerate(top):
        others = s.distinct - k - 1
        part = (" · " if written else "") + f"{crop(text(category), 24)} {percent(times / s.count, 1)}"
        rest = f" · {number(others)} more" if others else ""
        if cell_width(written + part + rest) > room and written:
            return f"{written} · {number(s.distinct - k)} more"
        written += part
    return written + (f" · {number(s.distinct - len(top))} more" if s.distinct > len(top) else "")


def target_section(d: Description, width: int) -> str:
    if d.target is None:
        return ""
    s = d[d.target]
    blocks = []
    if isinstance(s, CategorySummary) and s.count:
        top = s.top(MOST_CLASSES)
        most = max(times for _, times in top)
        fields = [
            Field(f"target {printable(d.target)!r}", [text(category) for category, _ in top], right=False),
            Field("rows", [number(times) for _, times in top]),
            Field("share", [percent(times / s.count, 1) for _, times in top]),
            Field("", [bar(times / most) for _, times in top], 1, right=False),
        ]
        blocks.append(fitted_table(fields, width, s.distinct - len(top)))
    if d.relations:
        shown = [r for r in d.relations if abs(r.value) >= 0.05][:MOST_PAIRS] or d.relations[:2]
        fields = [
            Field(f"goes with {printable(d.target)!r}", [printable(r.column) for r in shown], right=False),
            Field("", [r.measure for r in shown], right=False),
            Field("", [fixed(r.value, 3) for r in shown]),
            Field("", [bar(abs(r.value)) for r in shown], 1, right=False),
        ]
        blocks.append(fitted_table(fields, width, len(d.relations) - len(shown)))
    return "\n\n".join(blocks)


def correlation_section(d: Description, width: int) -> str:
    if d.correlations is None:
        return ""
    pairs = d.correlations.strongest(MOST_PAIRS)
    pairs = [pair for pair in pairs if abs(pair[2]) >= 0.05] or pairs[:2]
    fields = [
        Field("correlations", [printable(a) for a, _, _ in pairs], right=False),
        Field("", [printable(b) for _, b, _ in pairs], right=False),
        Field("r", [fixed(r, 3) for _, _, r in pairs]),
        Field("", [bar(abs(r)) for _, _, r in pairs], 1, right=False),
    ]
    every = d.correlations.every
    note = f"\n  from every {every}th row" if every > 1 else ""
    return fitted_table(fields, width, 0) + note


def notice_section(d: Description, width: int) -> str:
    if not d.second_looks:
        return ""
    lines = []
    for _, group in groupby(d.second_looks, key=lambda n: n.what):
        alike = list(group)
        lines += [wrap_words(n.words, width, "! ", "  ") for n in alike[:MOST_ALIKE]]
        if len(alike) > MOST_ALIKE:
            lines.append(f"  … and {len(alike) - MOST_ALIKE} more like these")
    return "\n".join(["worth a look", *lines])


def missing_field(summaries: Sequence[NumericSummary | CategorySummary]) -> list[Field]:
    if not any(s.missing for s in summaries):
        return []
    return [Field("missing", [percent(s.missing_share, 1) if s.missing else "" for s in summaries])]


def value(x: float, s: NumericSummary) -> str:
    """A value of a column, beside the largest of it."""
    return "" if math.isnan(x) else value_text(s.form, x, _scale(s))


def spread(x: float, s: NumericSummary) -> str:
    """A difference of values of a column."""
    return "" if math.isnan(x) else spread_text(s.form, x, _scale(s))


def end(x: float, s: NumericSummary) -> str:
    """The smallest or the largest value, which no rounding made."""
    return "" if math.isnan(x) else value_text(s.form, x)


def _scale(s: NumericSummary) -> float:
    return max(abs(s.minimum), abs(s.maximum))


def half_width(s: NumericSummary) -> float:
    """Of the confidence interval of the mean."""
    return (s.confidence[1] - s.confidence[0]) / 2


def text(category: object) -> str:
    category = plain(category)
    return number(category) if isinstance(category, float) else printable(str(category))

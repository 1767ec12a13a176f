"""A description in plain text, aligned for a terminal."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from learnt.describe.description import Description
from learnt.describe.notices import share
from learnt.describe.summaries import BARS, CategorySummary, NumericSummary
from learnt.show.words import number, plain, printable

LEVELS = "▁▂▃▄▅▆▇█"
MOST_COLUMNS = 60  # rows of the tables below; the rest is counted
MOST_CLASSES = 12
MOST_PAIRS = 6
MOST_ALIKE = 5  # notices of one sort
NAME_WIDTH = 28


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a text table. Fields of higher `rank` go first when the line is too long."""

    title: str
    cells: Sequence[str]
    rank: int = 0
    right: bool = True


def description_text(d: Description, width: int = 100) -> str:
    width = max(width, 40)
    numeric = [s for s in d.summaries.values() if isinstance(s, NumericSummary)]
    coded = [s for s in d.summaries.values() if isinstance(s, CategorySummary)]
    sections = [
        wrapped(headline(d), width),
        numeric_section(numeric, d.level, width),
        category_section(coded, width),
        target_section(d, width),
        correlation_section(d, width),
        notice_section(d, width),
        wrapped(approximation(d), width),
    ]
    return "\n\n".join(section for section in sections if section)


def headline(d: Description) -> str:
    missing = sum(s.missing for s in d.summaries.values())
    cells = sum(s.rows for s in d.summaries.values())
    parts = [
        f"{counted(d.n_rows, 'row')} × {counted(len(d), 'column')}",
        *([f"weight {number(d.weight)}"] if d.weight != d.n_rows else []),
        f"{counted(missing, 'missing cell')} ({share(missing / cells)})" if missing else "no missing cells",
        *([f"target {printable(d.target)!r}"] if d.target is not None else []),
    ]
    return ", ".join(parts)


def approximation(d: Description) -> str:
    if d.sampled is None:
        return ""
    return (
        f"Approximate, from a sample of {counted(d.sampled, 'row')}: quartiles, outliers, shapes and relations. "
        "Exact: counts, missing cells, means, variances, minima and maxima."
    )


def numeric_section(summaries: Sequence[NumericSummary], level: float, width: int) -> str:
    shown = summaries[:MOST_COLUMNS]

    def each(write: Callable[[NumericSummary], str]) -> list[str]:
        return [write(s) for s in shown]

    fields = [
        Field("numeric", each(lambda s: printable(s.name)), right=False),
        *missing_field(shown),
        Field("mean", each(lambda s: value(s.mean, s))),
        Field(f"± {100 * level:g}%", each(lambda s: value(half_width(s), s)), 6),
        Field("sd", each(lambda s: value(s.sd, s))),
        Field("min", each(lambda s: value(s.minimum)), 1),
        Field("25%", each(lambda s: value(s.q1, s)), 5),
        Field("median", each(lambda s: value(s.median, s)), 3),
        Field("75%", each(lambda s: value(s.q3, s)), 5),
        Field("max", each(lambda s: value(s.maximum)), 1),
    ]
    if any(s.outliers.count for s in shown):
        fields.append(Field("outliers", each(lambda s: number(s.outliers.count) if s.outliers.count else ""), 4))
    fields.append(Field("shape", each(lambda s: spark(s.histogram.counts.tolist())), 2, right=False))
    return table(fields, width, len(summaries) - len(shown))


def category_section(summaries: Sequence[CategorySummary], width: int) -> str:
    shown = summaries[:MOST_COLUMNS]
    shapes = [spark(s.tally.tolist()) if len(s.tally) <= BARS else "" for s in shown]
    fields = [
        Field("categories", [printable(s.name) for s in shown], right=False),
        Field("kind", [s.kind for s in shown], 2, right=False),
        *missing_field(shown),
        Field("labels", [number(s.distinct) for s in shown]),
        *([Field("shape", shapes, 1, right=False)] if any(shapes) else []),
    ]
    # What the other fields leave of the line is for the commonest labels.
    widths = [max(map(cell_width, [f.title, *f.cells])) for f in fields]
    room = max(width - min(widths[0], NAME_WIDTH) - sum(widths[1:]) - 2 * len(fields), 30)
    fields.append(Field("commonest", [commonest(s, room) for s in shown], right=False))
    return table(fields, width, len(summaries) - len(shown))


def commonest(s: CategorySummary, room: int) -> str:
    """The labels with most rows and their shares, as many as fit; then how many others there are."""
    if not s.count:
        return ""
    written = ""
    top = s.top(8)
    for k, (category, times) in enumerate(top):
        others = s.distinct - k - 1
        part = (" · " if written else "") + f"{crop(text(category), 24)} {share(times / s.count)}"
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
            Field("share", [share(times / s.count) for _, times in top]),
            Field("", [bar(times / most) for _, times in top], 1, right=False),
        ]
        blocks.append(table(fields, width, s.distinct - len(top)))
    if d.relations:
        shown = [r for r in d.relations if abs(r.value) >= 0.05][:MOST_PAIRS] or d.relations[:2]
        fields = [
            Field(f"goes with {printable(d.target)!r}", [printable(r.column) for r in shown], right=False),
            Field("", [r.measure for r in shown], right=False),
            Field("", [f"{r.value:.3f}".replace("-", "−") for r in shown]),
            Field("", [bar(abs(r.value)) for r in shown], 1, right=False),
        ]
        blocks.append(table(fields, width, len(d.relations) - len(shown)))
    return "\n\n".join(blocks)


def correlation_section(d: Description, width: int) -> str:
    if d.correlations is None:
        return ""
    pairs = d.correlations.strongest(MOST_PAIRS)
    pairs = [pair for pair in pairs if abs(pair[2]) >= 0.05] or pairs[:2]
    fields = [
        Field("correlations", [printable(a) for a, _, _ in pairs], right=False),
        Field("", [printable(b) for _, b, _ in pairs], right=False),
        Field("r", [f"{r:.3f}".replace("-", "−") for _, _, r in pairs]),
        Field("", [bar(abs(r)) for _, _, r in pairs], 1, right=False),
    ]
    every = d.correlations.every
    note = f"\n  from every {every}th row" if every > 1 else ""
    return table(fields, width, 0) + note


def notice_section(d: Description, width: int) -> str:
    if not d.notices:
        return ""
    lines = []
    for _, group in groupby(d.notices, key=lambda n: n.what):
        alike = list(group)
        lines += [wrapped(n.words, width, "! ", "  ") for n in alike[:MOST_ALIKE]]
        if len(alike) > MOST_ALIKE:
            lines.append(f"  … and {len(alike) - MOST_ALIKE} more like these")
    return "\n".join(["worth a look", *lines])


def missing_field(summaries: Sequence[NumericSummary | CategorySummary]) -> list[Field]:
    if not any(s.missing for s in summaries):
        return []
    return [Field("missing", [share(s.missing_share) if s.missing else "" for s in summaries])]


# Layout.


def table(fields: Iterable[Field], width: int, hidden: int) -> str:
    """Fields side by side under their titles; the first shrinks and the dispensable go until it fits."""
    kept = list(fields)
    if not kept[0].cells:
        return ""
    while True:
        widths = [max(cell_width(cell) for cell in (f.title, *f.cells)) for f in kept]
        widths[0] = min(widths[0], max(NAME_WIDTH, cell_width(kept[0].title)))
        excess = sum(widths) + 2 * (len(kept) - 1) - width
        if excess > 0:  # names may shrink to twelve characters before a field goes
            spare = min(excess, max(0, widths[0] - max(12, cell_width(kept[0].title))))
            widths[0] -= spare
            excess -= spare
        worst = max(kept, key=lambda f: f.rank)
        if excess <= 0 or worst.rank == 0:
            break
        kept = [f for f in kept if f.rank < worst.rank]
    lines = [
        crop("  ".join(pad(cell, w, f.right) for cell, w, f in zip(row, widths, kept, strict=True)).rstrip(), width)
        for row in [[f.title for f in kept], *zip(*(f.cells for f in kept), strict=True)]
    ]
    if hidden > 0:
        lines.append(f"… and {number(hidden)} more")
    return "\n".join(lines)


def spark(counts: Sequence[float]) -> str:
    """Little bars, the highest for the largest count, none for 0."""
    most = max(counts, default=0)
    return "".join(LEVELS[max(0, math.ceil(8 * c / most) - 1)] if c else " " for c in counts)


def bar(part: float, length: int = 24) -> str:
    eighths = round(8 * length * part)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def value(x: float, s: NumericSummary | None = None) -> str:
    """A number, beside the largest of the column it tells of."""
    scale = 0.0 if s is None else max(abs(s.minimum), abs(s.maximum))
    return "" if math.isnan(x) else number(x, scale)


def half_width(s: NumericSummary) -> float:
    """Of the confidence interval of the mean."""
    return (s.confidence[1] - s.confidence[0]) / 2


def counted(n: float, noun: str) -> str:
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def text(category: object) -> str:
    category = plain(category)
    return number(category) if isinstance(category, float) else printable(str(category))


def wrapped(words: str, width: int, first: str = "", rest: str = "") -> str:
    return textwrap.fill(words, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)


def cell_width(text: str) -> int:
    """How many places a terminal gives the text: East Asian characters take two."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def crop(text: str, width: int) -> str:
    if cell_width(text) <= width:
        return text
    from rich.cells import set_cell_size

    return set_cell_size(text, width - 1).rstrip() + "…"


def pad(text: str, width: int, right: bool) -> str:
    text = crop(text, width)
    space = " " * (width - cell_width(text))
    return space + text if right else text + space

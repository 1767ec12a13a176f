"""A description in HTML: a fragment for notebooks, or a page that stands alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from learnt.data.value_text import value_text
from learnt.describe.description import Description
from learnt.describe.summaries import CategorySummary, NumericSummary
from learnt.describe.text import (
    MOST_CLASSES,
    approximation,
    half_width,
    headline,
    numbers_and_dates,
    spread,
    text,
    value,
)
from learnt.show.html import Ready, escaped
from learnt.show.numbers import fixed, number, percent
from learnt.show.words import printable, short_name

MOST_COLUMNS = 500
MOST_PAIRS = 12
MOST_LABELS = 5
_HEADINGS = ("Columns of numbers", "Columns of dates")

# Colours come from the page around it, so that it also reads on a dark background.
STYLE = """
.learnt-description { font: 14px/1.45 system-ui, sans-serif; max-width: 75em; }
.learnt-description table { border-collapse: collapse; margin: .8em 0; font-variant-numeric: tabular-nums; }
.learnt-description th { font-weight: 600; opacity: .7; }
.learnt-description th, .learnt-description td { padding: .15em .7em; text-align: right; border: 0;
  border-bottom: 1px solid color-mix(in srgb, currentColor 15%, transparent); white-space: nowrap; }
.learnt-description th.t, .learnt-description td.t { text-align: left; }
.learnt-description td.w { text-align: left; white-space: normal; }
.learnt-description svg { display: block; color: #3b76af; }
.learnt-description .share { opacity: .65; }
.learnt-description .notices { padding-left: 1.2em; }
"""


def description_page(d: Description, title: str) -> str:
    from learnt.report import Page

    page = Page(title, headline(d) + ".", notes=d.notes)
    numeric, coded = summaries_by_kind(d)
    parts = (
        ("Worth a look", notice_items(d)),
        (f"The target ‘{short_name(d.target or '', 60)}’", class_table(d)),
        ("What goes with the target", relation_table(d)),
        *((_HEADINGS[s[0].kind_name == "date"], numeric_table(s, d.level)) for s in numbers_and_dates(numeric)),
        ("Columns of categories", category_table(coded)),
        ("Strongest correlations", correlation_table(d)),
    )
    for heading, part in parts:
        if part:
            page.add(heading, "", Ready(part))
    if d.sampled is not None:
        page.add("How it was computed", approximation(d))
    return page.render()


def summaries_by_kind(d: Description) -> tuple[list[NumericSummary], list[CategorySummary]]:
    every = d.summaries.values()
    return [s for s in every if isinstance(s, NumericSummary)], [s for s in every if isinstance(s, CategorySummary)]


def description_html(d: Description) -> str:
    from learnt.report.notes import notes_fold

    numeric, coded = summaries_by_kind(d)
    parts = [
        f"<style>{STYLE}</style><p><b>{escaped(headline(d))}</b></p>",
        notes_fold(d.notes, settings=True),
        *(scrolling(numeric_table(of_kind, d.level)) for of_kind in numbers_and_dates(numeric)),
        *map(scrolling, (category_table(coded), class_table(d), relation_table(d))),
        scrolling(correlation_table(d)),
        f"<p><b>worth a look</b></p>{notices}" if (notices := notice_items(d)) else "",
        f"<p>{escaped(approximation(d))}</p>" if d.sampled is not None else "",
    ]
    return "<div class='learnt-description'>" + "\n".join(part for part in parts if part) + "</div>"


def numeric_table(summaries: Sequence[NumericSummary], level: float) -> str:
    titles = [
        summaries[0].kind_name,
        "missing",
        "mean",
        f"± {percent(level)}",
        "sd",
        "min",
        "25 %",
        "median",
        "75 %",
        "max",
    ]
    rows = [
        [
            text_cell(s.name),
            cell(percent(s.missing_share, 1) if s.missing else ""),
            cell(value(s.mean, s)),
            *(cell(spread(x, s)) for x in (half_width(s), s.sd)),
            *(cell(value(x, s)) for x in (s.minimum, s.q1, s.median, s.q3, s.maximum)),
            cell(number(s.outliers.count) if s.outliers.count else ""),
            f"<td class='t'>{bars(s)}</td>",
        ]
        for s in summaries[:MOST_COLUMNS]
    ]
    return table([*titles, "outliers", "shape"], rows, len(summaries))


def category_table(summaries: Sequence[CategorySummary]) -> str:
    rows = [
        [
            text_cell(s.name),
            text_cell(s.kind_name),
            cell(percent(s.missing_share, 1) if s.missing else ""),
            cell(number(s.distinct)),
            f"<td class='w'>{commonest(s)}</td>",
        ]
        for s in summaries[:MOST_COLUMNS]
    ]
    return table(["categories", "kind", "missing", "labels", "commonest"], rows, len(summaries))


def commonest(s: CategorySummary) -> str:
    top = s.top(MOST_LABELS)
    parts = [f"{escaped(text(c))} <span class='share'>{escaped(percent(n / s.count, 1))}</span>" for c, n in top]
    if s.distinct > len(top):
        parts.append(f"<span class='share'>{number(s.distinct - len(top))} more</span>")
    return " · ".join(parts)


def scrolling(part: str) -> str:
    """A wide table scrolls by itself, not with the page around it."""
    return f"<div style='overflow-x:auto'>{part}</div>" if part else ""


def class_table(d: Description) -> str:
    if d.target is None:
        return ""
    s = d[d.target]
    if not isinstance(s, CategorySummary) or not s.count:
        return ""
    top = s.top(MOST_CLASSES)
    most = max(n for _, n in top)
    rows = [
        [text_cell(text(c)), cell(number(n)), cell(percent(n / s.count, 1)), f"<td class='t'>{line(n / most)}</td>"]
        for c, n in top
    ]
    return table([f"target {d.target!r}", "rows", "share", ""], rows, s.distinct)


def relation_table(d: Description) -> str:
    if d.target is None:
        return ""
    rows = [
        [text_cell(r.column), text_cell(r.measure), cell(fixed(r.value, 3)), f"<td class='t'>{line(abs(r.value))}</td>"]
        for r in d.relations[:MOST_PAIRS]
    ]
    return table([f"goes with {d.target!r}", "", "", ""], rows, len(d.relations))


def correlation_table(d: Description) -> str:
    if d.correlations is None:
        return ""
    rows = [
        [text_cell(a), text_cell(b), cell(fixed(r, 3)), f"<td class='t'>{line(abs(r))}</td>"]
        for a, b, r in d.correlations.strongest(MOST_PAIRS)
    ]
    return table(["correlations", "", "r", ""], rows, len(rows))


def notice_items(d: Description) -> str:
    items = "".join(f"<li>{escaped(notice.words)}</li>" for notice in d.second_looks)
    return f"<ul class='notices'>{items}</ul>" if items else ""


def table(titles: Sequence[str], rows: Sequence[Iterable[str]], total: int) -> str:
    if not rows:
        return ""
    head = "".join(
        f"<th{'' if '<td>' in first else ' class=t'}>{escaped(printable(title))}</th>"
        for title, first in zip(titles, rows[0], strict=True)
    )
    body = "".join(f"<tr>{''.join(row)}</tr>\n" for row in rows)
    more = f"<p class='share'>… and {number(total - len(rows))} more</p>" if total > len(rows) else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table>{more}"


def cell(words: str) -> str:
    return f"<td>{escaped(words)}</td>"


def text_cell(words: str) -> str:
    return f"<td class='t'>{escaped(printable(words))}</td>"


def bars(s: NumericSummary) -> str:
    """A histogram as inline SVG; hovering over a bar tells its range and count."""
    counts, edges = s.histogram.counts.tolist(), s.histogram.edges.tolist()
    ends = [value_text(s.form, edge) for edge in edges]
    most = max(counts, default=0)
    drawn = "".join(
        f"<rect x='{8 * i}' y='{24 - 23 * n / most:.1f}' width='7' height='{23 * n / most:.1f}'>"
        f"<title>{escaped(f'{ends[i]} to {ends[i + 1]}: {number(n)}')}</title></rect>"
        for i, n in enumerate(counts)
        if n
    )
    return f"<svg width='{8 * len(counts)}' height='24' fill='currentColor' role='img'>{drawn}</svg>" if drawn else ""


def line(part: float) -> str:
    return (
        "<svg width='160' height='10' fill='currentColor' role='img'>"
        f"<rect width='{160 * part:.1f}' height='10' rx='1'></rect></svg>"
    )

"""HTML for notebooks and reports: everything is escaped except what was made here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from html import escape
from typing import Any


class Ready(str):
    """HTML of our own making, which is not escaped again."""

    def __html__(self) -> str:
        return str(self)

    _repr_html_ = __html__


def escaped(words: Any) -> str:
    """Safe between tags and in attributes; HTML of our own making stays as it is."""
    return str(words.__html__()) if hasattr(words, "__html__") else escape(str(words))


def isolated(words: Any) -> Ready:
    """A name from the data, which never changes the direction of the text around it."""
    return Ready(f"<bdi>{escaped(words)}</bdi>")


def paragraph(words: Any) -> Ready:
    return Ready(f"<p>{escaped(words)}</p>")


def preformatted(words: Any) -> Ready:
    return Ready(f"<pre>{escaped(words)}</pre>")


def html_row(cells: Iterable[Any], left: Collection[int] = (), tag: str = "td") -> Ready:
    """A row of cells, to the right except for those in `left`."""
    return Ready(
        "<tr>"
        + "".join(
            f"<{tag} style='text-align:{'left' if j in left else 'right'}'>{escaped(cell)}</{tag}>"
            for j, cell in enumerate(cells)
        )
        + "</tr>"
    )


def html_table(
    head: Sequence[Any],
    rows: Iterable[Iterable[Any]],
    left: Collection[int] = (),
    more: str = "",
    *,
    kind: str = "",
    caption: str = "",
) -> Ready:
    """Rows under a head, columns in `left` to the left; below it what is said of rows left out.

    >>> html_table(["name", "n"], [["<b>", 3]], left=(0,))
    "<table><thead><tr><th style='text-align:left'>name</th><th style='text-align:right'>n</th></tr></thead><tbody><tr><td style='text-align:left'>&lt;b&gt;</td><td style='text-align:right'>3</td></tr></tbody></table>"
    """  # noqa: E501
    top = f"<thead>{html_row(head, left, 'th')}</thead>" if head else ""
    body = "".join(html_row(row, left) for row in rows)
    named = f" class='{kind}'" if kind else ""
    above = f"<caption>{escaped(caption)}</caption>" if caption else ""
    return Ready(f"<table{named}>{above}{top}<tbody>{body}</tbody></table>" + (paragraph(more) if more else ""))


def html_list(items: Iterable[Any]) -> Ready:
    """Nothing where there are no items."""
    inside = "".join(f"<li>{escaped(item)}</li>" for item in items)
    return Ready(f"<ul>{inside}</ul>" if inside else "")


def html_lines(lines: Iterable[Any]) -> Ready:
    """Lines below each other, the first in bold."""
    head, *rest = map(escaped, lines)
    return Ready(f"<p><strong>{head}</strong><br>{'<br>'.join(rest)}</p>")


def html_page(title: str, body: str, style: str = "", head: str = "") -> str:
    """A page that stands alone. `head` comes before anything it may have to forbid."""
    from learnt import __version__

    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"{head}"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="generator" content="learnt {__version__}">\n'
        f"<title>{escaped(title)}</title>\n<style>\n{style}\n</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )

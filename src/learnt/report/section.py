"""A section of a page, and the things in it that know how to show themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from learnt.show.figure_svg import figure_svg
from learnt.show.html import Ready, escaped, paragraph, preformatted
from learnt.show.words import printable


@dataclass(frozen=True)
class Section:
    """`key` is its address on the page and never changes; `short` is its name in a list of contents."""

    key: str
    heading: str
    short: str
    body: str  # HTML of our own making


def section_of(heading: str, text: str, *parts: Any) -> Section:
    """A sentence, and parts below it; tables scroll by themselves where they are too wide."""
    boxes = "".join(f"{_boxed(part_html(part), heading)}\n" for part in parts)
    shown = f'<div class="flow">\n{boxes}</div>\n' if boxes else ""
    return Section("", heading, heading, Ready((paragraph(text) + "\n" if text else "") + shown))


def _boxed(html: str, heading: str) -> str:
    """Sentences, pictures and code keep to the width of the page by themselves; anything else gets a box."""
    if html.startswith(("<p", "<figure", "<ul")):
        return html
    return f'<div class="scroll fit" tabindex="0" role="region" aria-label="{escaped(heading)}">{html}</div>'


def part_html(part: Any) -> str:
    """Anything with `_repr_html_` (a table, a description, an explanation) or `_repr_svg_` (the drawing of a tree), a
    matplotlib figure, which becomes an SVG picture, or something else, which is shown as its text."""
    if hasattr(part, "savefig"):
        return f'<figure class="paper">{figure_svg(part, bbox_inches="tight")}</figure>'
    if hasattr(part, "_repr_html_"):
        return str(part._repr_html_())
    if hasattr(part, "_repr_svg_"):
        return f'<figure class="paper">{part._repr_svg_()}</figure>'
    return preformatted(part)


class Words(str):
    """A sentence that shows itself as a paragraph."""

    def _repr_html_(self) -> str:
        return paragraph(printable(str(self)))


@dataclass(frozen=True)
class NamedSentence:
    """A sentence under a name."""

    name: str
    words: str

    def _repr_html_(self) -> str:
        return f"<p><b>{escaped(self.name)}</b> {escaped(printable(self.words))}</p>"

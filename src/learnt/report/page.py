"""One self-contained HTML page of headed sections: no scripts, no files beside it."""

from __future__ import annotations

import html
import io
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Section:
    heading: str
    text: str
    parts: list[Any]


@dataclass
class Page:
    """A title, a sentence, and sections of things that know how to show themselves.

    A part of a section is anything with `_repr_html_` (a table, a description, an explanation) or
    `_repr_svg_` (the drawing of a tree), a matplotlib figure, which becomes an SVG picture, or something
    else, which is shown as its text.
    """

    title: str
    lead: str = ""
    sections: list[Section] = field(default_factory=list)

    def add(self, heading: str, text: str = "", *parts: Any) -> None:
        self.sections.append(Section(heading, text, list(parts)))

    def render(self) -> str:
        from jinja2 import Environment, PackageLoader
        from markupsafe import Markup

        from learnt import __version__

        # Everything is escaped, except what our own renderers made and escaped themselves.
        environment = Environment(loader=PackageLoader("learnt", "report"), autoescape=True)
        sections = [
            {"heading": s.heading, "text": s.text, "parts": [Markup(part) for part in _shown(s.parts)]}
            for s in self.sections
        ]
        template = environment.get_template("page.html.j2")
        return template.render(title=self.title, lead=self.lead, sections=sections, version=__version__)

    def write(self, path: str | os.PathLike[str]) -> Path:
        target = Path(path)
        target.write_text(self.render(), encoding="utf-8")
        return target


def _shown(parts: Sequence[Any]) -> list[str]:
    return [_as_html(part) for part in parts]


def _as_html(part: Any) -> str:
    if hasattr(part, "savefig"):
        return f"<figure>{_svg(part)}</figure>"
    if hasattr(part, "_repr_html_"):
        return str(part._repr_html_())
    if hasattr(part, "_repr_svg_"):
        return f"<figure>{part._repr_svg_()}</figure>"
    return f"<pre>{html.escape(str(part))}</pre>"


def _svg(figure: Any) -> str:
    """The figure as inline SVG, without the XML prolog and the drawing date, so that pages repeat exactly."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", bbox_inches="tight", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]

"""One self-contained HTML page of headed sections: no scripts, no files beside it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from learnt.data.notes import Note
from learnt.report.notes import notes_fold
from learnt.report.section import Section, section_of
from learnt.show.html import escaped, html_page
from learnt.whole_file import write_whole


@dataclass
class Page:
    """A title, a sentence, and sections of things that know how to show themselves; see `section.part_html`."""

    title: str
    lead: str = ""
    sections: list[Section] = field(default_factory=list)
    notes: Sequence[Note] = ()  # what was done to the columns of a file, shown above all

    def add(self, heading: str, text: str = "", *parts: Any) -> None:
        self.sections.append(section_of(heading, text, *parts))

    def render(self) -> str:
        from learnt import __version__

        keyed = [(f"part-{place}", section) for place, section in enumerate(self.sections, start=1)]
        shown = "".join(
            f'<section id="{key}">\n<h2><span class="n" aria-hidden="true">{place}</span>'
            f"<span>{escaped(section.heading)}</span></h2>\n{section.body}</section>\n"
            for place, (key, section) in enumerate(keyed, start=1)
        )
        listed = "".join(f'<li><a href="#{key}">{escaped(section.short)}</a></li>' for key, section in keyed)
        body = (
            f'<div class="frame">\n<header class="top">\n<h1>{escaped(self.title)}</h1>\n'
            f'<p class="lead">{escaped(self.lead)}</p>\n{notes_fold(self.notes)}</header>\n<div class="columns">\n'
            f'<nav class="contents" aria-label="Contents"><ol>{listed}</ol></nav>\n'
            f"<main>\n{shown}<footer>Made by learnt {__version__}.</footer>\n</main>\n</div>\n</div>"
        )
        return html_page(self.title, body, page_style())

    def write(self, path: str | os.PathLike[str]) -> Path:
        return write_page(self.render(), path)


def write_page(text: str, path: str | os.PathLike[str]) -> Path:
    """Write a page to a file and return its path."""
    write_whole(path, text, "The report")
    return Path(path)


def page_style() -> str:
    """The one style sheet of all pages."""
    return template_text("learnt.report", "page.css")


def template_text(package: str, *path: str) -> str:
    """A stylesheet or script that stands in a page."""
    return files(package).joinpath(*path).read_text(encoding="utf-8").strip()


@contextmanager
def drawing() -> Iterator[None]:
    """Pictures that warn of nothing, and are closed afterwards."""
    import matplotlib.pyplot as plt

    before = set(plt.get_fignums())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a letter that the font lacks is not news
        try:
            yield
        finally:
            for figure in set(plt.get_fignums()) - before:
                plt.close(figure)

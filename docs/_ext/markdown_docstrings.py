"""Docstrings are Markdown, as the rest of the docs: hand them to MyST inside autodoc's output."""

from __future__ import annotations

import re

from docutils import nodes
from docutils.utils import new_document
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

# In Markdown ">>>" would be three nested quotations: fence every run of lines that starts with it.
SESSION = re.compile(r"^( *)>>> .*(?:\n\1\S.*)*", re.MULTILINE)

# In reStructuredText |a| would stand for a text defined elsewhere: bars are escaped, but for those in code.
BAR = re.compile(r"(`[^`]*`)|\|")


class Markdown(SphinxDirective):
    """`.. markdown::` whose body MyST reads."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        part = new_document(self.get_source_info()[0], self.state.document.settings)
        MystParser().parse("\n".join(self.content), part)
        return part.children


def fenced(text: str) -> str:
    return SESSION.sub(lambda found: f"{found[1]}```pycon\n{found[0]}\n{found[1]}```", text)


def wrap(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """The first paragraph stays as it is: summaries are cut from it, before any directive is run."""
    end = lines.index("") if "" in lines else len(lines)
    lines[:end] = [BAR.sub(lambda found: found[1] or r"\|", line) for line in lines[:end]]
    body = fenced("\n".join(lines[end:])).strip("\n")
    if body:
        lines[end:] = ["", ".. markdown::", "", *("   " + line for line in body.split("\n")), ""]


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("markdown", Markdown)
    app.connect("autodoc-process-docstring", wrap)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

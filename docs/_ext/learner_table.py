"""`{learner-table}`: every learner of the package, from its registry, with a link to its page."""

from __future__ import annotations

import inspect
import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import learnt


def page_of(learner: str) -> str:
    """linear_regression for LinearRegression, kmeans for KMeans."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", learner).lower()


class LearnerTable(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        lines = ["| learner | task | what it does | abilities |", "|---|---|---|---|"]
        for entry in learnt.learners():
            sentence = (inspect.getdoc(entry.cls) or "").split("\n")[0]
            link = f"[{entry.name}](/learners/{page_of(entry.name)}.md)"
            lines.append(f"| {link} | {entry.task} | {sentence} | {', '.join(sorted(entry.abilities))} |")
        self.env.note_reread()  # the registry is no file Sphinx could watch
        return self.parse_text_to_nodes("\n".join(lines))


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("learner-table", LearnerTable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

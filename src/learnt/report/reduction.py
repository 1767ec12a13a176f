"""A table in few columns: what the new columns are made of and what they keep, in words and as a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from learnt.data.table import Array, Column, Table
from learnt.report.attempt import picture
from learnt.report.page import Page, drawing
from learnt.report.section import Words
from learnt.show.html import html_table
from learnt.show.numbers import number, percent
from learnt.show.words import count_of, plain, printable, short_name, wrap_words

MOST_TERMS = 6
MOST_COMPONENTS = 50


@dataclass
class Reduction:
    """A fitted reduction, the table it was fitted to and the columns it made of it."""

    source: str
    model: Any
    table: Table
    scores: Table
    classes: Column | None = None
    notices: Sequence[str] = field(default_factory=tuple)
    command: str = ""

    @property
    def shares(self) -> list[float] | None:
        """Of the variance, one per new column, where the learner tells them."""
        found = getattr(self.model, "explained_variance_ratio_", None)
        return None if found is None else [float(share) for share in found]

    @property
    def stress(self) -> float | None:
        found = getattr(self.model, "stress_", None)
        return None if found is None else float(found)

    def component(self, c: int) -> str | None:
        """What a new column is made of, in the columns of the table."""
        return str(self.model.component(c, MOST_TERMS)) if hasattr(self.model, "component") else None

    def headline(self) -> str:
        rows, columns = count_of(self.table.n_rows, "row"), count_of(self.table.n_columns, "column")
        made = f"{count_of(self.scores.n_columns, 'component')} by {self.model!r}"
        return f"{short_name(self.source, 60)}: {rows}, {columns}: {made}"

    def kept(self) -> str:
        """What is kept of the table, in a sentence."""
        if self.shares is not None:
            return f"Together they keep {percent(sum(self.shares), 1)} of the variance."
        if self.stress is not None:
            return f"The stress, what the distances in the new columns are off by, is {number(self.stress)}."
        return ""

    def to_text(self, width: int = 100) -> str:
        head = [wrap_words(self.headline(), width), *(wrap_words(words, width, "! ", "  ") for words in self.notices)]
        shown = str(self.model)
        return "\n\n".join(filter(None, ["\n".join(head), "" if shown == repr(self.model) else shown, self.kept()]))

    def to_dict(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "learner": type(self.model).__name__,
            "settings": {key: repr(value) for key, value in self.model.get_params(deep=False).items()},
            "rows": self.table.n_rows,
            "columns": list(self.table.names),
            "notices": list(self.notices),
            "notes": [asdict(note) for note in self.table.notes],
            "components": [
                {"name": name, "variance": self.shares[c] if self.shares else None, "made_of": self.component(c)}
                for c, name in enumerate(self.scores.names)
            ],
            "stress": self.stress,
        }

    def to_html(self) -> str:
        with drawing():
            page = Page(f"{short_name(self.source, 80)} in few columns", self.headline() + ".", notes=self.table.notes)
            if self.notices:
                page.add("Worth knowing", "", *map(Words, self.notices))
            page.add("What the components are", self.kept(), *self._components())
            page.add("Pictures", "", *self._pictures())
            made = f"{self.model!r}\nmade of: {', '.join(map(printable, self.table.names[:200]))}"
            page.add("How to repeat it", "", *filter(None, [self.command, made]))
            return page.render()

    def _components(self) -> Iterator[Any]:
        """A table where components are sums of columns; what the learner tells of itself otherwise."""
        if self.component(0) is None:
            if str(self.model) != repr(self.model):
                yield str(self.model)
            return
        cells = [
            (name, "" if self.shares is None else percent(self.shares[c], 1), self.component(c))
            for c, name in enumerate(self.scores.names[:MOST_COMPONENTS])
        ]
        left = self.scores.n_columns - MOST_COMPONENTS
        yield html_table(
            ("component", "variance", "made of"), cells, (0, 2), f"… and {left:,} more" if left > 0 else ""
        )

    def _pictures(self) -> Iterator[Any]:
        from learnt.plot.plane import draw_groups, plane_of

        codes, names = _groups(self.classes, self.scores.n_rows)
        if self.scores.n_columns > 1:
            columns = self.scores.names[:2]
            yield picture(lambda: draw_groups(plane_of(self.scores, columns), codes, names))
        if hasattr(self.model, "biplot") and self.scores.n_columns > 1:
            yield picture(lambda: self.model.biplot(self.table))
        for method in ("plot", "shepard"):
            if hasattr(self.model, method):
                yield picture(getattr(self.model, method))


def _groups(classes: Column | None, n_rows: int) -> tuple[Array, dict[int, str]]:
    """A code per row and the names of the classes; all one code without a legend where there are none to tell apart."""
    if classes is None or classes.kind == "numeric":
        return np.zeros(n_rows, dtype=np.int64), {}
    names = {c: short_name(plain(value), 24) for c, value in enumerate(classes.categories)}
    return np.asarray(classes.values, dtype=np.int64), {-1: "no class", **names}

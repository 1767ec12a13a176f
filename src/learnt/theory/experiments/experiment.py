"""What an experiment gives back: a table of figures, a sentence on what they show, and a picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from learnt.data.table import Table
from learnt.show.numbers import number
from learnt.show.text_table import aligned_lines
from learnt.show.words import wrap_words


@dataclass(frozen=True)
class Experiment:
    """Rows of figures with their titles; `question` is what was asked and `answer` what came out."""

    name: str
    question: str
    answer: str
    titles: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    _draw: Callable[[Any], None] = field(repr=False, compare=False)

    @property
    def table(self) -> Table:
        """The figures as a table."""
        return Table({title: [row[j] for row in self.rows] for j, title in enumerate(self.titles)})

    def plot(self, ax: Any = None) -> Any:
        """Draw it; returns the matplotlib axes."""
        from learnt.plot.axes import axes_for

        ax = axes_for(ax, (7, 4.2))
        self._draw(ax)
        return ax

    def __str__(self) -> str:
        shown: list[Sequence[str]] = [self.titles]
        shown += [tuple(_text(cell) for cell in row) for row in self.rows]
        texts = [j for j in range(len(self.titles)) if any(isinstance(row[j], str) for row in self.rows)]
        lines = aligned_lines(shown, left=texts)
        return "\n".join([wrap_words(self.question, 100), "", *lines, "", wrap_words(self.answer, 100)])

    def to_dict(self) -> dict[str, Any]:
        """The same as dicts, lists and Python scalars, ready for JSON."""
        figures = [dict(zip(self.titles, row, strict=True)) for row in self.rows]
        return {"name": self.name, "question": self.question, "answer": self.answer, "figures": figures}


def _text(cell: Any) -> str:
    return cell if isinstance(cell, str) else f"{cell:,}" if isinstance(cell, int) else number(float(cell))


def draw_lines(
    x: Sequence[float],
    lines: Mapping[str, Sequence[float]],
    labels: tuple[str, str],
    *,
    log: str = "",
    level: tuple[float, str] | None = None,
) -> Callable[[Any], None]:
    """A picture of some lines over the same numbers."""

    def draw(ax: Any) -> None:
        from learnt.show.palette import FAINT, class_colour, class_marker

        for c, (name, y) in enumerate(lines.items()):
            marker = class_marker(c) if len(x) <= 25 else None
            ax.plot(x, y, color=class_colour(c), marker=marker, ms=4, label=name)
        if level is not None:
            ax.axhline(level[0], color=FAINT, ls="--", lw=1, label=level[1])
        if "x" in log:
            ax.set_xscale("log")
        if "y" in log:
            ax.set_yscale("log")
        ax.set_xlabel(labels[0])
        ax.set_ylabel(labels[1])
        ax.legend(frameon=False)

    return draw


def draw_bars(
    names: Sequence[str], sizes: Mapping[str, Sequence[float]], label: str, level: tuple[float, str] | None = None
) -> Callable[[Any], None]:
    """Bars side by side, a group for each name."""

    def draw(ax: Any) -> None:
        from learnt.show.palette import FAINT, class_colour

        width = 0.8 / len(sizes)
        for c, (part, values) in enumerate(sizes.items()):
            places = [i - 0.4 + width * (c + 0.5) for i in range(len(names))]
            ax.bar(places, values, width=width * 0.95, color=class_colour(c), label=part)
        ax.set_xticks(range(len(names)), names)
        if level is not None:
            ax.axhline(level[0], color=FAINT, ls="--", lw=1, label=level[1])
        ax.set_ylabel(label)
        if len(sizes) > 1 or level is not None:
            ax.legend(frameon=False)

    return draw

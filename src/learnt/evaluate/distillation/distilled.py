"""What imitating a model gave: the readable model, and how often it says the same."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from learnt.errors import InputError
from learnt.evaluate.metrics.intervals import Interval
from learnt.show.numbers import number, percent
from learnt.show.words import count_of


@dataclass(frozen=True, eq=False)
class Distilled:
    """What `distill` gives. Print it; `draw` it, if the student can be drawn.

    | field | meaning |
    |---|---|
    | `student` | the readable model, fitted to the answers of the other |
    | `fidelity` | on rows of the table that neither grew the student nor were drawn from: the share of them that get \
the same answer, or R² of its numbers against the model's; with its 95 % interval |
    | `constant` | what the best constant answer would reach there |
    | `n_real`, `n_artificial`, `n_held_out` | rows the student was fitted to, and rows it was judged by |
    """

    student: Any
    fidelity: Interval
    constant: float
    n_real: int
    n_artificial: int
    n_held_out: int
    classes: bool = field(repr=False)

    def __str__(self) -> str:
        return f"{self.student}\n\n{self.words}"

    @property
    def words(self) -> str:
        """How well the model is imitated, in a sentence."""
        low, high = self.fidelity
        fitted = f"{count_of(self.n_real, 'row')} and {self.n_artificial:,} artificial ones"
        if self.classes:
            same = (
                f"{percent(self.fidelity.estimate, 1)} of the answers (95 % interval {percent(low, 1)} to "
                f"{percent(high, 1)}; a constant answer: {percent(self.constant, 1)})"
            )
            return f"Imitates {same} on {count_of(self.n_held_out, 'row')} held out; fitted to {fitted}."
        return (
            f"Imitates with R² {number(self.fidelity.estimate)} (95 % interval {number(low)} to {number(high)}) on "
            f"{count_of(self.n_held_out, 'row')} held out; fitted to {fitted}."
        )

    def draw(self, path: Any = None, **options: Any) -> Any:
        """The student's picture, for a notebook or, with `path`, as a file."""
        if not hasattr(self.student, "draw"):
            raise InputError(f"{type(self.student).__name__} has no picture. Print it instead.")
        return self.student.draw(path, **options)

    def _repr_html_(self) -> str:
        from html import escape

        shown = getattr(self.student, "_repr_html_", None)
        body: str = f"<pre>{escape(str(self.student))}</pre>" if shown is None else shown()
        return f"{body}<p>{escape(self.words)}</p>"

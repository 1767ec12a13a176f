"""What a score of a kernel machine is made of: columns of a linear one, support vectors of the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array, Table
from learnt.engine.encoded_rows import dense
from learnt.explain import Evidence, Explanation


def column_evidence(
    design: Design, mean: Array, row: Table, coef: Array, intercept: float
) -> tuple[tuple[Evidence, ...], float]:
    """What each column adds to the score of the average row, and that score."""
    x = dense(design.encode(row)).astype(np.float64)
    parts = design.fold((x - mean) * coef)[0]
    told = tuple(
        Evidence(column.name, column.labels()[0], float(part)) for column, part in zip(row.columns, parts, strict=True)
    )
    return told, intercept + float(coef @ mean)


@dataclass(frozen=True)
class SupportExplanation(Explanation):
    """An `Explanation` whose total is the intercept and what each support vector adds: α·y·k(x, s). Columns have no
    share of their own in the likeness of two rows, so that `evidence` is empty."""

    intercept: float = 0.0
    support: tuple[Evidence, ...] = ()

    def _by_rows(self) -> Explanation:
        return Explanation(
            self.prediction, self.kind, self.intercept, "intercept", self.support, self.total, self.total_words
        )

    def text(self, most: int = 10) -> str:
        """The support vectors in lines, those that speak loudest first."""
        return self._by_rows().text(most)

    def _repr_html_(self) -> str:
        return self._by_rows()._repr_html_()

    def plot(self, ax: Any = None, most: int = 10) -> Any:
        """Draw the way from the intercept to the total, one bar per support vector; returns the matplotlib axes."""
        return self._by_rows().plot(ax, most)

    def to_dict(self) -> dict[str, Any]:
        """The same in dicts, lists and Python scalars, ready for JSON."""
        found, rows = Explanation.to_dict(self), self._by_rows().to_dict()
        return found | {"intercept": self.intercept, "support": rows["evidence"]}


def explain_by_support(
    prediction: Any,
    kind: str,
    intercept: float,
    support: tuple[Evidence, ...],
    total: float,
    words: str,
    others: Any = (),
) -> SupportExplanation:
    rows = "1 support vector" if len(support) == 1 else f"{len(support)} support vectors"
    return SupportExplanation(
        prediction, kind, total, f"likeness to {rows}", (), total, words, others, intercept, support
    )


def support_evidence(support: Array, targets: Sequence[Any], parts: Array) -> tuple[Evidence, ...]:
    """What every support vector adds, those that speak loudest first."""
    order = np.argsort(-np.abs(parts), kind="stable")
    return tuple(Evidence(f"row {int(support[i])}", targets[i], float(parts[i])) for i in order)

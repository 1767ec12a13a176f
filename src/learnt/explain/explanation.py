"""One prediction taken apart: where it starts, what each column adds, where it ends."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from learnt.show.words import plain


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one column contributes. `words` may add how, e.g. `"0.5 × 3 above average"`."""

    column: str
    value: Any
    contribution: float
    words: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a row got its prediction: `base` plus the contributions of the evidence is `total`.

    | field | meaning |
    |---|---|
    | `prediction` | the answer: a number, a class, a cluster |
    | `kind` | the arithmetic: `"sum"`, `"distances"`, `"frequency"`, … |
    | `base`, `base_words` | what is known before looking at the row, and what that is called |
    | `evidence` | one entry per column, in the table's order; `by_size()` puts the largest first |
    | `total`, `total_words` | where the sum ends, and what that is called |
    | `alternatives` | the other answers with their totals, best first |

    >>> house = Explanation(210.0, "sum", 250.0, "average", (Evidence("rooms", 3, -40.0),), 210.0, "price")
    >>> print(house)
    price 210 = 250 (average) − 40 (rooms)
      rooms = 3  −40  ████████│
    """

    prediction: Any
    kind: str
    base: float
    base_words: str
    evidence: tuple[Evidence, ...]
    total: float
    total_words: str
    alternatives: tuple[tuple[Any, float], ...] = ()

    def __post_init__(self) -> None:
        """Answers as Python's own, which are shown as one would write them."""
        object.__setattr__(self, "prediction", plain(self.prediction))

    def add_up(self) -> float:
        """The parts, added: equals `total` up to rounding."""
        return math.fsum([self.base, *(e.contribution for e in self.evidence)])

    def by_size(self) -> tuple[Evidence, ...]:
        """The evidence, largest contribution first; equal ones in the table's order."""
        return tuple(sorted(self.evidence, key=lambda e: -abs(e.contribution)))

    def text(self, most: int = 10) -> str:
        """The explanation in lines; at most `most` columns are listed, the rest is summed up."""
        from learnt.explain.text import explanation_text

        return explanation_text(self, most)

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        from learnt.explain.html import explanation_html

        return explanation_html(self)

    def plot(self, ax: Any = None, most: int = 10) -> Any:
        """Draw the way from base to total, one bar per column; returns the matplotlib axes."""
        from learnt.plot.explanation import plot_explanation

        return plot_explanation(self, ax, most)

    def to_dict(self) -> dict[str, Any]:
        """The same in dicts, lists and Python scalars, ready for JSON; a missing value is None."""
        return {
            "prediction": _json_ready(self.prediction),
            "kind": self.kind,
            "base": float(self.base),
            "base_words": self.base_words,
            "evidence": [
                {
                    "column": e.column,
                    "value": _json_ready(e.value),
                    "contribution": float(e.contribution),
                    "words": e.words,
                }
                for e in self.evidence
            ],
            "total": float(self.total),
            "total_words": self.total_words,
            "alternatives": [
                {"prediction": _json_ready(answer), "total": float(total)} for answer, total in self.alternatives
            ],
        }


def _json_ready(value: Any) -> Any:
    value = plain(value)
    if isinstance(value, float) and math.isnan(value):
        return None
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)

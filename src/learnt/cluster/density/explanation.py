"""Why a row is in a cluster of dense places, or in none."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from learnt.explain import Evidence, Explanation
from learnt.show.html import html_list, paragraph
from learnt.show.numbers import number
from learnt.show.words import label, plain, printable

COLUMNS_SHOWN = 4


@dataclass(frozen=True)
class DensityExplanation(Explanation):
    """How dense the fitted rows lie around one, and how far the nearest core is.

    | field | meaning |
    |---|---|
    | `around` | the weight of the fitted rows within `eps`; `min_samples` make a core |
    | `nearest_core` | the number of the nearest core, None if there is none |
    | `distance` | how far that is |
    | `columns` | what each column adds to that distance, or to its square; empty where the metric takes none apart |
    | `alternatives` | the other clusters, and how far their nearest cores are |
    """

    around: float = 0.0
    eps: float = 0.0
    min_samples: float = 0.0
    nearest_core: int | None = None
    distance: float = math.inf
    columns: tuple[Evidence, ...] = ()

    def text(self, most: int = 10) -> str:
        answer = f"cluster {self.prediction}" if self.prediction >= 0 else "noise"
        enough = "enough" if self.around >= self.min_samples else "too few"
        lines = [
            f"{answer}: rows of a weight of {number(self.around)} lie within {number(self.eps)}, {enough} for a core, "
            f"which has {number(self.min_samples)}"
        ]
        if self.nearest_core is None:
            return lines[0] + "\n  there is no core at all"
        reach = "within" if self.distance <= self.eps else "beyond"
        lines.append(f"  the nearest core is row {self.nearest_core}, {number(self.distance)} away, {reach} eps")
        far = sorted((e for e in self.columns if e.contribution > 0), key=lambda e: -e.contribution)[:COLUMNS_SHOWN]
        if far:
            words = "; ".join(f"{printable(e.column)} = {label(e.value)}, {e.words}" for e in far)
            lines.append(f"  it differs most in {words}")
        for cluster, away in self.alternatives[: max(0, most - 7)]:
            lines.append(f"  the nearest core of cluster {cluster} is {number(away)} away")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        head, *rest = self.text().splitlines()
        return f"<div class='learnt-explanation'>{paragraph(head)}{html_list(line.strip() for line in rest)}</div>"

    def to_dict(self) -> dict[str, Any]:
        """The same in dicts, lists and Python scalars, ready for JSON."""
        found = Explanation.to_dict(self)
        found |= {
            "around": self.around,
            "eps": self.eps,
            "min_samples": self.min_samples,
            "nearest_core": self.nearest_core,
            "distance": self.distance if math.isfinite(self.distance) else None,
            "columns": [{"column": e.column, "value": plain(e.value), "part": e.contribution} for e in self.columns],
        }
        return found

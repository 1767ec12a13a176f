"""What `choose_k` found: every criterion for every k, which k it takes, and how far that is to be doubted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.cluster.judging.k_criteria import Split
from learnt.data.table import Array, Table
from learnt.show.numbers import MINUS, number, percent
from learnt.show.text_table import aligned
from learnt.show.words import list_of

#: Below this mean silhouette clusters are hardly told apart (Kaufman and Rousseeuw's rule of thumb).
WEAK = 0.25
#: Mean silhouettes this close are as good as equal.
CLOSE = 0.03


@dataclass(frozen=True, eq=False, repr=False)
class ChoiceOfK:
    """Criteria by number of clusters. Made by `choose_k`.

    | field | meaning |
    |---|---|
    | `k` | numbers of clusters tried |
    | `inertia` | Σ w·d² to the nearest centre |
    | `silhouette` | mean silhouette; NaN for one cluster |
    | `gap`, `gap_error` | gap statistic and its standard error |
    | `splits` | tests of one cluster against two |
    | `choices` | what each criterion takes: "silhouette", "elbow", "gap", "split" |
    | `method` | the criterion that decides |
    | `rows`, `rows_used` | rows of the table, and those looked at |
    """

    k: tuple[int, ...]
    inertia: Array
    silhouette: Array
    gap: Array
    gap_error: Array
    splits: tuple[Split, ...]
    choices: Mapping[str, int]
    method: str
    rows: int
    rows_used: int

    @property
    def best(self) -> int:
        """The number of clusters that `method` takes."""
        return self.choices[self.method]

    @property
    def table(self) -> Table:
        """The criteria, a row per k."""
        return Table(
            {
                "k": np.array(self.k, dtype=np.float64),
                "inertia": self.inertia,
                "silhouette": self.silhouette,
                "gap": self.gap,
                "gap error": self.gap_error,
            }
        )

    @property
    def doubt(self) -> str:
        """In words: whether the criteria agree, whether one cluster is as good, what else speaks against `best`."""
        return " ".join(part for part in (self._agreement(), self._one(), *self._remarks()) if part)

    def _agreement(self) -> str:
        words = ", ".join(f"{name} {k}" for name, k in self.choices.items())
        if len(set(self.choices.values())) == 1:
            return f"All criteria agree on {self.best}." if len(self.choices) > 1 else ""
        return f"The criteria disagree: {words}."

    def _one(self) -> str:
        against = [name for name in ("gap", "split") if self.choices.get(name) == 1]
        if not against:
            return ""
        if self.best == 1:
            return "No clusters are told apart."
        names = " and ".join({"gap": "the gap statistic", "split": "the test of a split"}[name] for name in against)
        does = "takes" if len(against) == 1 else "take"
        return f"One cluster may be as good: {names} {does} k = 1."

    def _remarks(self) -> list[str]:
        remarks = []
        widths = np.where(np.isnan(self.silhouette), -np.inf, self.silhouette)
        if self.best in self.k and self.best > 1:
            own = float(widths[self.k.index(self.best)])
            if own < WEAK:
                remarks.append(f"The mean silhouette is {own:.2f} only: clusters overlap.")
            near = [k for k, s in zip(self.k, widths.tolist(), strict=True) if k != self.best and abs(s - own) <= CLOSE]
            if near:
                remarks.append(f"By silhouettes k = {list_of([str(k) for k in near], 'or')} is about as good.")
        if len(self.k) > 1 and self.best >= self.k[-1]:
            remarks.append(f"{self.best} is the largest number tried: try more.")
        if np.any(np.diff(self.inertia) > 1e-9 * np.abs(self.inertia[1:])):
            remarks.append("Inertia grows somewhere along k: some runs were caught in poor arrangements. Raise n_init.")
        if self.rows_used < self.rows:
            remarks.append(f"Judged by {self.rows_used} of {self.rows} rows.")
        return remarks

    def __repr__(self) -> str:
        return f"<ChoiceOfK: {self.best} by {self.method}>"

    def __str__(self) -> str:
        rows = [["k", "inertia", "silhouette", "gap", "± error", "chosen by"]]
        for at, k in enumerate(self.k):
            by = ", ".join(name for name, chosen in self.choices.items() if chosen == k)
            cells = (self.silhouette[at], self.gap[at], self.gap_error[at])
            shown = ["" if np.isnan(v) else f"{v:.3f}".replace("-", MINUS) for v in cells]
            rows.append([str(k), number(self.inertia[at]), *shown, by])
        lines = [f"{self.best} clusters by {self.method}", "", aligned(rows, left=(5,))]
        for test in self.splits:
            lines.append(
                f"{test.rows} rows in two: {percent(test.share, 0)} of the inertia is left, of one normal distribution "
                f"{percent(test.expected, 0)}, p = {number(test.p_value)}{': split' if test.kept else ''}"
            )
        return "\n".join([*lines, "", self.doubt]) if self.doubt else "\n".join(lines)

    def plot(self, axes: Any = None) -> Any:
        """Draw inertia, silhouettes and gaps over k, side by side; returns the matplotlib axes."""
        from learnt.plot.clusters import plot_choice_of_k

        return plot_choice_of_k(self, axes)

"""Integrated gradients: what each column adds on the straight way from the average row (Sundararajan et al. 2017).

    part_j = (z_j − z̄_j) ∫₀¹ ∂F/∂z_j (z̄ + s (z − z̄)) ds,      Σ_j part_j = F(z) − F(z̄)

The integral is a mean over points of the way, which are doubled until the parts add up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.explain import Evidence, Explanation
from learnt.neural.inputs import NetInputs
from learnt.neural.losses import sigmoid
from learnt.neural.net import Net, NetRows
from learnt.neural.scaling import QUARTILE_ROWS
from learnt.neural.textbook import Forward, net_inputs
from learnt.show.numbers import number
from learnt.statistics.sample import sample_places

#: Parts may miss the total by this share of their sizes before the rest is shared among them.
TOLERANCE = 1e-3
FIRST_POINTS, MOST_POINTS = 64, 16_384
#: Inputs of rows or of points that are worked on at once.
INPUTS_AT_ONCE = 2**22


def average_inputs(inputs: NetInputs, net: Net, rows: NetRows, weights: Array | None) -> Array:
    """The inputs of the average row: means of scaled numbers and of the vectors that a net has for categories."""
    places = sample_places(len(rows), QUARTILE_ROWS, 0)
    if not net.n_inputs:
        return np.zeros(0)
    w = np.ones(len(places)) if weights is None or not weights[places].any() else weights[places]
    total, some = np.zeros(net.n_inputs), max(1, INPUTS_AT_ONCE // net.n_inputs)
    for first in range(0, len(places), some):
        part = slice(first, first + some)
        total += w[part] @ net_inputs(inputs, net, rows.take(places[part]))
    found: Array = total / w.sum()
    return found


@dataclass(frozen=True)
class Question:
    """The number F that is explained: ± a score, its lead over another (of sigmoid units, in logarithms), or a
    prediction in the units of the target."""

    sign: float
    pair: tuple[int, int] | None
    mean: float = 0.0
    spread: float = 1.0
    exponential: bool = False
    sigmoids: bool = False

    def value(self, f: Array) -> Array:
        if self.pair is None:
            one = self.sign * f[:, 0]
            return np.exp(one) if self.exponential else self.mean + self.spread * one
        a, b = f[:, self.pair[0]], f[:, self.pair[1]]
        found: Array = np.logaddexp(0, -b) - np.logaddexp(0, -a) if self.sigmoids else a - b
        return found

    def gradient(self, f: Array) -> Array:
        """∂F/∂f, rows × scores."""
        found = np.zeros_like(f)
        if self.pair is None:
            found[:, 0] = np.exp(f[:, 0]) if self.exponential else self.sign * self.spread
            return found
        a, b = self.pair
        found[:, a], found[:, b] = 1.0, -1.0
        if self.sigmoids:
            found[:, a], found[:, b] = sigmoid(-f[:, a]), -sigmoid(-f[:, b])
        return found


@dataclass(frozen=True)
class IntegratedExplanation(Explanation):
    """An `Explanation` by integrated gradients: parts found from `points` points missed the total by `gap`, at most
    `tolerance`, which was then shared among them by their sizes."""

    points: int = 0
    gap: float = 0.0
    tolerance: float = 0.0

    def text(self, most: int = 10) -> str:
        """The explanation in lines, and how exact its parts are."""
        told = Explanation.text(self, most)
        if not self.points:
            return told
        return (
            f"{told}\n  parts are integrals from the {self.base_words} over {self.points:,} points, "
            f"exact to {number(self.gap)} (at most {number(self.tolerance)})"
        )


def only_class(label: Any) -> IntegratedExplanation:
    """Of a net that knows one class: there is nothing to add up."""
    return IntegratedExplanation(label, "log-odds", 0.0, "the only class", (), 0.0, "log-odds")


@dataclass(frozen=True, eq=False)
class Attribution:
    base: float
    evidence: tuple[Evidence, ...]
    points: int
    gap: float
    tolerance: float

    def of(
        self, prediction: Any, kind: str, total: float, words: str, alternatives: tuple[tuple[Any, float], ...] = ()
    ) -> IntegratedExplanation:
        return IntegratedExplanation(
            prediction, kind, self.base, "average row", self.evidence, total, words, alternatives,
            self.points, self.gap, self.tolerance,
        )  # fmt: skip


def explain_row(
    net: Net, inputs: NetInputs, average: Array, rows: NetRows, row: Table, question: Question, total: float
) -> Attribution:
    """The parts of the columns of a row; they add up to `total`, which the core has found."""
    z = net_inputs(inputs, net, rows)[0]
    base = float(question.value(Forward.of(net, average[None]).scores)[0])
    points = FIRST_POINTS
    parts: Array = np.zeros(len(row.names))
    gap = tolerance = 0.0
    used = np.concatenate([np.arange(net.dense), np.arange(net.embedded_from, net.n_inputs)])
    while True:
        by_input = _integral(net, average, z, question, points)
        parts = np.bincount(inputs.owner, by_input[used], len(row.names))
        gap = abs(total - base - float(parts.sum()))
        rounding = 1e-6 * max(abs(total), abs(base))  # of a row that is the average one there may be nothing else
        tolerance = TOLERANCE * max(float(np.abs(parts).sum()), abs(total - base), rounding, 1e-9)
        if gap <= tolerance or points >= MOST_POINTS:
            break
        points *= 4
    base, parts = shared_rest(base, parts, total)
    cells = [column.labels()[0] for column in row.columns]
    evidence = tuple(
        Evidence(name, cell, float(part), "missing" if cell is None else "")
        for name, cell, part in zip(row.names, cells, parts, strict=True)
    )
    return Attribution(base, evidence, points, gap, max(tolerance, gap))


def _integral(net: Net, start: Array, end: Array, question: Question, points: int) -> Array:
    """Of each input, by the rule of midpoints."""
    s = (np.arange(points) + 0.5) / points
    total = np.zeros(len(start))
    at_once = min(256, max(1, INPUTS_AT_ONCE // max(len(start), 1)))
    for first in range(0, points, at_once):
        some = s[first : first + at_once]
        run = Forward.of(net, start + some[:, None] * (end - start))
        total += run.deltas(question.gradient(run.scores))[0].sum(axis=0)
    found: Array = (end - start) * total / points
    return found


def shared_rest(base: float, parts: Array, total: float) -> tuple[float, Array]:
    """What is left of the total, shared by the sizes of the parts; where there are none, the base takes it."""
    size = float(np.abs(parts).sum())
    rest = total - base - float(parts.sum())
    if size == 0:
        return base + rest, parts
    return base, parts + rest * np.abs(parts) / size

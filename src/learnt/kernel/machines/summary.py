"""What a machine of support vectors is made of, and what another C would make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from learnt.data.table import Array
from learnt.learner.settings import clone
from learnt.linear import Grid, Printed
from learnt.show.numbers import figure, number, percent
from learnt.show.words import count_of, label

#: By what C is divided and multiplied to see what another one would do.
FACTOR = 10.0


class MachinePart(NamedTuple):
    """One machine: of a pair of classes, or the only one."""

    name: str
    margin: float
    support: tuple[int, ...]  # by class
    at_bound: int
    objective: float
    gap: float
    violation: float


class OtherCost(NamedTuple):
    """The machine of another C, on the same rows."""

    C: float
    margin: float
    support: int
    at_bound: int
    loss: float  # mistakes, or the mean distance from the target


@dataclass(frozen=True, eq=False, repr=False)
class MachineSummary(Printed):
    """What a machine is made of: prints itself.

    | field | meaning |
    |---|---|
    | `parts` | a `MachinePart` for each pair of classes: margin 1/\\|w\\|, support vectors by class, how it ended |
    | `classes` | the classes that `support` counts, in their order |
    | `n_support`, `at_bound` | support vectors, and those with a coefficient at its bound |
    | `others` | the machines of C/10 and 10·C, where the rows were given |
    | `words` | what all of this says |
    """

    title: str
    classes: tuple[str, ...]
    parts: tuple[MachinePart, ...]
    n_support: int
    at_bound: int
    words: tuple[str, ...]
    others: tuple[OtherCost, ...] = ()
    loss_name: str = "mistakes"
    margin_name: str = "margin"

    def _parts(self) -> list[str | Grid]:
        named = any(part.name for part in self.parts)
        head = ["machine"] * named + [
            self.margin_name,
            "support vectors",
            "at bound",
            "objective",
            "gap",
            "violation",
        ]
        rows = [
            [part.name] * named
            + [
                figure(part.margin),
                " + ".join(f"{n:,}" for n in part.support),
                f"{part.at_bound:,}",
                figure(part.objective),
                figure(part.gap),
                figure(part.violation),
            ]
            for part in self.parts
        ]
        shown: list[str | Grid] = [self.title]
        if rows:
            shown.append(Grid(head, rows, left=(0,) if named else ()))
        shown += self.words
        if self.others:
            cells = [
                [number(o.C), figure(o.margin), f"{o.support:,}", f"{o.at_bound:,}", figure(o.loss)]
                for o in self.others
            ]
            shown.append(Grid(["C", self.margin_name, "support vectors", "at bound", self.loss_name], cells, left=()))
        return shown

    def __repr__(self) -> str:
        return f"<MachineSummary: {count_of(self.n_support, 'support vector')}, {self.at_bound:,} at their bound>"


def machine_parts(model: Any, names: Sequence[str], supports: Sequence[tuple[int, ...]], margins: Array) -> Any:
    """One line a machine."""
    ends = [np.atleast_1d(value) for value in (model.objective_, model.gap_, model.violation_)]
    bounded = model._at_bound.sum(axis=0)
    return tuple(
        MachinePart(name, float(margins[m]), supports[m], int(bounded[m]), *(float(end[m]) for end in ends))
        for m, name in enumerate(names)
    )


def cost_words(model: Any, outside: str, pleased: str) -> list[str]:
    """What a smaller or larger C would do, as far as the coefficients tell. `outside`: what rows at their bound are;
    `pleased`: what counting them more leads to."""
    bounded, sizes = model._at_bound, np.abs(model._weights)
    if not len(sizes):
        return ["There are no support vectors: the answer is the same for every row, whatever C is."]
    said = []
    if not bounded.any():
        cost, least = float(model.C), float((sizes.max(axis=1) / _weights_of(model)).max())
        said.append(
            f"No coefficient is at its bound, so that a larger C changes nothing, and a smaller one neither, down to "
            f"{number(least)}."
            if np.isfinite(cost)
            else f"Every C from {number(least)} on gives this machine."
        )
        return said
    n = int(bounded.any(axis=1).sum())
    rows = count_of(n, "row")
    said.append(f"{rows} at the bound: {outside}.")
    if bounded[sizes > 0].all():
        said.append(
            "Every coefficient is at its bound: as long as that holds, a smaller C makes all sums of kernel values "
            "smaller in proportion. A larger C lets some rows count more than others."
        )
    else:
        said.append(f"A larger C counts these rows more: {pleased}. A smaller C does the opposite.")
    return said


def _weights_of(model: Any) -> Array:
    """The weights of the support vectors in the cost, so that bounds are C times these."""
    cost = float(model.C)
    return np.asarray(model._bounds / cost) if np.isfinite(cost) else np.ones(len(model._bounds))


def with_cost(model: Any, C: float, X: Any, y: Any, weights: Any) -> Any:
    """The same machine with another C; probabilities are not needed."""
    other = clone(model).set_params(C=C)
    if "probability" in other.get_params(deep=False):
        other.set_params(probability=False)
    return other.fit(X, y, sample_weight=weights)


def other_cost(model: Any, margins: Array, loss: float) -> OtherCost:
    bounded = int(model._at_bound.any(axis=1).sum())
    margin = float(np.min(margins)) if np.size(margins) else float("nan")
    return OtherCost(float(model.C), margin, len(model.support_), bounded, loss)


def share_words(model: Any) -> list[str]:
    """The shares of rows that ν lies between."""
    total = model._total
    outside = float(model._bounds[model._at_bound[:, 0]].sum()) / total
    on = float(model._bounds.sum()) / total
    return [
        f"{percent(outside)} of the rows lie outside of the border and {percent(on)} are support vectors: ν, "
        f"{percent(float(model.nu))}, lies between the two.",
        "A larger ν draws the border closer around the bulk and leaves more rows outside; a smaller one fewer.",
    ]


def summarize_classes(model: Any, X: Any, y: Any, sample_weight: Any) -> MachineSummary:
    """Of a machine for each pair of classes."""
    names = [label(c) for c in model.classes_]
    pairs = model._pair_list()
    supports = [
        tuple(int(np.sum((model._weights[:, m] != 0) & (model._support_codes == c))) for c in pair)
        for m, pair in enumerate(pairs)
    ]
    by_pair = [f"{names[a]} against {names[b]}" for a, b in pairs]
    words = [
        "Support vectors by class: "
        + ", ".join(f"{n:,} of {name}" for n, name in zip(model.n_support_.tolist(), names, strict=True))
        + "."
    ]
    others: list[OtherCost] = []
    if pairs:
        words += cost_words(
            model,
            "inside of the margin or on its wrong side",
            "a narrower margin, fewer support vectors, and a border that bends more to please them",
        )
    if X is not None and pairs and np.isfinite(model.C):
        for factor in (1 / FACTOR, 1.0, FACTOR):
            other = model if factor == 1 else with_cost(model, model.C * factor, X, y, sample_weight)
            others.append(other_cost(other, other._margins(), 1 - other.score(X, y, sample_weight)))
    return MachineSummary(
        model._title(),
        tuple(names),
        machine_parts(model, by_pair, supports, model._margins()),
        len(model.support_),
        int(model._at_bound.any(axis=1).sum()),
        tuple(words),
        tuple(others),
        "share of mistakes",
    )

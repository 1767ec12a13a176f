"""A tree as rules, one per leaf, and a class of it as a formula."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from learnt.data.schema import Label, Schema
from learnt.data.table import Array, Table
from learnt.errors import InputError, KindError
from learnt.show.html import html_table
from learnt.show.numbers import number, percent
from learnt.show.words import spell
from learnt.storable import storable
from learnt.tree.arrays import TreeArrays
from learnt.tree.covered_rows import TestedCells
from learnt.tree.show.conditions import Among, Between, Condition, conjunction, fulfilling_rows, path_conditions, word
from learnt.tree.show.node_words import NodeWords, amount_text

BLOCK = 65_536  # rows tested at a time, so that the answers of all conditions fit in memory


@storable
@dataclass(frozen=True, slots=True)
class Rule:
    """If all `conditions` hold, predict `prediction`.

    | field | meaning |
    |---|---|
    | `weight` | coverage: the training weight that fulfils the conditions |
    | `confidence` | the share of it that has the predicted class; NaN in regression |
    | `shares` | the share of every class; empty in regression |
    | `steps` | the share of the predicted class without conditions, with the first, with the first two, …, if known |
    """

    conditions: tuple[Between | Among, ...]
    prediction: Any
    weight: float
    confidence: float
    shares: tuple[float, ...] = ()
    steps: tuple[float, ...] = ()

    @property
    def answer(self) -> str:
        """`yes (14, 86 %)`: the prediction with coverage and confidence."""
        predicted = number(self.prediction) if math.isnan(self.confidence) else word(self.prediction)
        sure = "" if math.isnan(self.confidence) else f", {percent(self.confidence)}"
        return f"{predicted} ({amount_text(self.weight)}{sure})"

    def test(self, table: Table) -> Array:
        """Which rows it applies to, as booleans."""
        return fulfilling_rows(self.conditions, table)

    def __str__(self) -> str:
        return f"{conjunction(self.conditions)} → {self.answer}"


@storable
@dataclass(frozen=True)
class Rules(Sequence[Rule]):
    """Rules, tried in order, and what is predicted when none applies."""

    rules: tuple[Rule, ...]
    default: Rule

    def first(self, table: Table) -> Array:
        """The number of the first rule that applies to each row; `len(rules)` where none does."""
        parts = [self._first(table.rows(i, i + BLOCK)) for i in range(0, table.n_rows, BLOCK)]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)

    def _first(self, table: Table) -> Array:
        found = np.full(table.n_rows, len(self.rules), dtype=np.int64)
        cells = TestedCells(table)
        for r in range(len(self.rules) - 1, -1, -1):  # what an earlier rule says is written later
            found[cells.covered(self.rules[r].conditions)] = r
        return found

    def __str__(self) -> str:
        wide = len(str(len(self.rules)))
        lines = [f"{r:>{wide}}. {rule}" for r, rule in enumerate(self.rules, start=1)]
        return "\n".join([*lines, f"{'':>{wide}}  otherwise → {self.default.answer}"])

    def _repr_html_(self) -> str:
        lines = [(conjunction(rule.conditions), rule) for rule in self.rules]
        rows = [
            (r, words, rule.answer) for r, (words, rule) in enumerate([*lines, ("otherwise", self.default)], start=1)
        ]
        return html_table(("", "if", "then"), rows, left=(1, 2), kind="learnt-rules")

    @overload
    def __getitem__(self, r: int) -> Rule: ...
    @overload
    def __getitem__(self, r: slice) -> Sequence[Rule]: ...
    def __getitem__(self, r: int | slice) -> Rule | Sequence[Rule]:
        return self.rules[r]

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __len__(self) -> int:
        return len(self.rules)


def to_rules(tree: TreeArrays, schema: Schema, classes: Any = None, *, answers: Array | None = None) -> Rules:
    """One rule per leaf, in the order of the leaves; conditions on one column are merged into one.

    At most one rule applies to a row. None applies to a row with a missing cell in a tested column, unless
    training rows showed the tree where such rows go; those get the prediction of the root.
    """
    names = NodeWords(tree, schema, classes, answers)
    labels = None if classes is None else np.asarray(classes).tolist()
    parents = tree.parents()
    leaves = np.flatnonzero(tree.is_leaf).tolist()
    routes: dict[int, Array] = {}
    rules = tuple(_rule(names, i, labels, path_conditions(tree, i, schema, parents, routes)) for i in leaves)
    return Rules(rules, _rule(names, 0, labels, ()))


def _rule(names: NodeWords, i: int, labels: list[Label] | None, conditions: tuple[Condition, ...]) -> Rule:
    weight, value = float(names.tree.weight[i]), names.tree.value[i]
    if labels is None:
        return Rule(conditions, float(value[0]), weight, math.nan)
    total, best = float(value.sum()), int(names.answers[i])
    shares = value / total if total > 0 else np.full(len(value), 1 / len(value))
    return Rule(conditions, labels[best], weight, float(shares[best]), tuple(shares.tolist()))


@dataclass(frozen=True)
class Formula:
    """A class as a disjunction of conjunctions: a row is predicted to be of it if one of the `terms` holds.

    No terms: never. A term without conditions: always.
    """

    prediction: Any
    terms: tuple[tuple[Between | Among, ...], ...]

    def test(self, table: Table) -> Array:
        """Which rows fulfil it, as booleans."""
        holds = np.zeros(table.n_rows, dtype=bool)
        for term in self.terms:
            holds |= fulfilling_rows(term, table)
        return holds

    def __str__(self) -> str:
        if not self.terms:
            return "never"
        if len(self.terms) == 1:
            return conjunction(self.terms[0])
        return "\nor ".join(f"({conjunction(term)})" for term in self.terms)


def to_dnf(tree: TreeArrays, schema: Schema, classes: Any, class_: Label, *, answers: Array | None = None) -> Formula:
    """When the tree predicts `class_`, as `(… and …) or (…)`; branches that all predict it are one term."""
    if classes is None:
        raise KindError("The tree predicts numbers. A formula describes a class. Use to_rules for its rules.")
    labels = np.asarray(classes).tolist()
    if class_ not in labels:
        raise InputError(f"There is no class {spell(class_)}. The classes are {labels[:12]}. Choose one of them.")
    names = NodeWords(tree, schema, classes, answers)
    wanted = labels.index(class_)
    parents = tree.parents()
    # A node is wholly of the class if all its leaves are; only the topmost such nodes make terms.
    hits = np.concatenate([[0], np.cumsum(tree.is_leaf & (names.answers == wanted))])
    leaves = np.concatenate([[0], np.cumsum(tree.is_leaf)])
    nodes = np.arange(tree.node_count)
    ends = nodes + tree.sizes()
    whole = hits[ends] - hits[nodes] == leaves[ends] - leaves[nodes]
    top = whole & ~np.where(parents >= 0, whole[parents], False)
    return Formula(class_, tuple(path_conditions(tree, int(i), schema, parents) for i in np.flatnonzero(top)))

"""A model tree as rules: what leads to each leaf, and its linear model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.show.html import html_table
from learnt.tree.arrays import TreeArrays
from learnt.tree.model_tree.leaf_models import LeafModels
from learnt.tree.model_tree.model_text import amount_of
from learnt.tree.model_tree.ranked_cells import RankedCells
from learnt.tree.model_tree.term_words import formula
from learnt.tree.show.conditions import Condition, conjunction, fulfilling_rows, path_conditions


@dataclass(frozen=True)
class ModelRule:
    """If all `conditions` hold, predict by the linear model `formula`; `model` is its number, from 1."""

    conditions: tuple[Condition, ...]
    model: int
    formula: str
    weight: float
    amount: str

    def test(self, table: Table) -> Array:
        """Which rows it applies to, as booleans."""
        return fulfilling_rows(self.conditions, table)

    def __str__(self) -> str:
        return f"{conjunction(self.conditions)} → LM{self.model} ({self.amount}) = {self.formula}"


@dataclass(frozen=True)
class ModelRules(Sequence[ModelRule]):
    """Rules of which exactly one applies to a row without missing cells; those of most rows first."""

    rules: tuple[ModelRule, ...]

    def __str__(self) -> str:
        wide = len(str(len(self.rules)))
        return "\n".join(f"{r:>{wide}}. {rule}" for r, rule in enumerate(self.rules, start=1))

    def _repr_html_(self) -> str:
        rows = [
            (r, conjunction(rule.conditions), f"LM{rule.model} = {rule.formula}", rule.amount)
            for r, rule in enumerate(self.rules, start=1)
        ]
        return html_table(("", "if", "then", "rows"), rows, left=(1, 2), kind="learnt-rules")

    @overload
    def __getitem__(self, r: int) -> ModelRule: ...
    @overload
    def __getitem__(self, r: slice) -> Sequence[ModelRule]: ...
    def __getitem__(self, r: int | slice) -> ModelRule | Sequence[ModelRule]:
        return self.rules[r]

    def __iter__(self) -> Iterator[ModelRule]:
        return iter(self.rules)

    def __len__(self) -> int:
        return len(self.rules)


def rules_of_models(tree: TreeArrays, schema: Schema, cells: RankedCells, models: LeafModels) -> ModelRules:
    """One rule per leaf, by falling weight."""
    parents, routes = tree.parents(), dict[int, Array]()
    leaves = np.flatnonzero(tree.is_leaf)
    rules = [
        ModelRule(
            path_conditions(tree, i, schema, parents, routes),
            m + 1,
            formula(cells, models, m),
            float(tree.weight[i]),
            amount_of(tree, models, m),
        )
        for m, i in enumerate(leaves.tolist())
    ]
    return ModelRules(tuple(sorted(rules, key=lambda rule: -rule.weight)))

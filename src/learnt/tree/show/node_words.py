"""What text, drawings and exports say at a node, and which nodes of a large tree they show."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.schema import Schema
from learnt.errors import InputError
from learnt.show.numbers import number
from learnt.show.words import printable
from learnt.tree.arrays import Array, TreeArrays
from learnt.tree.show.conditions import Condition, branch_condition, word


class NodeWords:
    """The nodes of a tree in the user's words; `classes` is None in regression.

    `answers` gives the class predicted at each node, by number, where it is not the heaviest one; in regression, words
    for nodes that predict more than one number. `amounts` are words for what `amount` says.
    """

    def __init__(
        self,
        tree: TreeArrays,
        schema: Schema,
        classes: Any = None,
        answers: Array | None = None,
        amounts: Array | None = None,
    ):
        if classes is not None and len(classes) != tree.n_outputs:
            raise InputError(
                f"There are {len(classes)} classes, but the tree knows {tree.n_outputs}. "
                "Give the classes it was grown with."
            )
        if classes is None and tree.n_outputs != 1:
            raise InputError(f"The tree knows {tree.n_outputs} classes, but their labels are missing. Give classes=.")
        tree.check_columns(schema)
        self.tree, self.schema = tree, schema
        self.classes = None if classes is None else [word(label) for label in np.asarray(classes).tolist()]
        self.amounts, self.has_words = amounts, classes is None and answers is not None
        self.answers = tree.value.argmax(axis=1) if answers is None else np.asarray(answers)

    def column(self, i: int) -> str:
        return printable(self.schema.columns[self.tree.feature[i]].name)

    def branch(self, i: int, j: int) -> Condition:
        return branch_condition(self.tree, i, j, self.schema)

    def answer(self, i: int) -> str:
        """The class or the number predicted at a node."""
        if self.has_words and self.answers[i]:
            return str(self.answers[i])
        if self.classes is None:
            return number(self.tree.value[i, 0])
        return self.classes[int(self.answers[i])]

    def wrong(self, i: int) -> float:
        """The training weight at a node that is of another class; in regression the impurity."""
        if self.classes is None:
            return float(self.tree.impurity[i])
        weight = float(self.tree.weight[i])
        return max(weight - float(self.tree.value[i, self.answers[i]]), 0.0) if weight > 0 else 0.0

    def amount(self, i: int) -> str:
        """`14`, or `14/5` when 5 of the 14 are wrong; in regression weight/impurity."""
        if self.amounts is not None:
            return str(self.amounts[i])
        weight, wrong = amount_text(self.tree.weight[i]), self.wrong(i)
        if self.classes is None:
            return f"{weight}/{number(wrong)}" if wrong > 0 else weight
        return f"{weight}/{amount_text(wrong)}" if wrong >= 0.005 else weight


def amount_text(weight: float) -> str:
    """At most two decimals, none where there is nothing behind the point."""
    text = f"{weight:.2f}".rstrip("0").rstrip(".")
    return text if text != "-0" else "0"


@dataclass(frozen=True)
class TreePart:
    """A tree cut to what is shown. `origin` gives the number each node has in the whole tree."""

    tree: TreeArrays
    origin: Array
    hidden_leaves: Array  # below each node; 0 but at stubs


def shown_part(tree: TreeArrays, most: int | None) -> TreePart:
    """The tree with at most about `most` leaves, opened where most training weight goes; all for None.

    A cut node stands for at least two leaves; opening never stops halfway through a node.
    """
    origin = np.arange(tree.node_count)
    if most is None or tree.n_leaves <= most:
        return TreePart(tree, origin, np.zeros(tree.node_count, dtype=np.int64))
    closed = [(-float(tree.weight[0]), 0)]
    open_leaves = 1
    stubs = []
    while closed:
        _, i = heapq.heappop(closed)
        children = tree.children_of(i)
        if open_leaves + len(children) - 1 > most:
            stubs.append(i)
            continue
        open_leaves += len(children) - 1
        for child in children.tolist():
            if not tree.is_leaf[child]:
                heapq.heappush(closed, (-float(tree.weight[child]), child))
    sizes = tree.sizes()
    kept = np.ones(tree.node_count, dtype=bool)
    for i in stubs:
        kept[i + 1 : i + sizes[i]] = False
    leaves = np.concatenate([[0], np.cumsum(tree.is_leaf)])
    hidden = np.zeros(tree.node_count, dtype=np.int64)
    hidden[stubs] = leaves[np.array(stubs) + sizes[stubs]] - leaves[stubs]
    return TreePart(tree.collapsed(stubs), origin[kept], hidden[kept])

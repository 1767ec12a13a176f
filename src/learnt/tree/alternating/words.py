"""An alternating tree as indented text, and in the language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from learnt.data.schema import Schema
from learnt.show.numbers import fixed
from learnt.show.palette import WHITE, class_colour, mixed
from learnt.tree.alternating.arrays import AlternatingTree
from learnt.tree.show.conditions import word
from learnt.tree.show.dot import quote_lines

INDENT = "|   "
DECIMALS = 3


def value_text(value: float) -> str:
    """`+0.512`, `−1.2`: what a prediction node adds."""
    text = fixed(value, DECIMALS)
    return text if text.startswith("−") else f"+{text}"


def tree_names(classes: Sequence[Any]) -> list[str]:
    """What each tree's positive scores are for: of two classes there is one tree, for the second."""
    return [word(label) for label in (classes[1:] if len(classes) <= 2 else classes)]


def alternating_text(trees: Sequence[AlternatingTree], schema: Schema, classes: Sequence[Any]) -> str:
    """A line for each prediction node, below that of the node its test hangs at; tests have the number of their round.

    always: −0.147
    |   (1) outlook is overcast: +0.99
    |   (1) outlook is not overcast: −0.253
    positive: yes, negative: no
    """
    parts = []
    for tree, name in zip(trees, tree_names(classes), strict=True):
        lines = [f"always: {value_text(tree.value[0])}", *_lines(tree, schema)]
        against = word(classes[0]) if len(classes) == 2 else "any other class"
        parts.append("\n".join([*lines, f"positive: {name}, negative: {against}"]))
    return "\n\n".join(parts) or f"always {word(classes[0])}"


def _lines(tree: AlternatingTree, schema: Schema) -> Iterator[str]:
    below = tree.tests_below()
    waiting = [(t, 1) for t in reversed(below[0])]
    while waiting:
        entry, depth = waiting.pop()
        if entry >= 0:  # a test: its two nodes, the first of them on top
            waiting += [(-(2 * entry + 2), depth), (-(2 * entry + 1), depth)]
            continue
        node = -entry
        t, side = divmod(node - 1, 2)
        condition = tree.condition(t, schema, second=bool(side))
        yield f"{INDENT * depth}({t + 1}) {condition}: {value_text(tree.value[node])}"
        waiting += [(t, depth + 1) for t in reversed(below[node])]


def alternating_dot(trees: Sequence[AlternatingTree], schema: Schema, classes: Sequence[Any]) -> str:
    """The trees as a digraph: boxes for tests, ellipses for prediction nodes."""
    lines = [
        "digraph tree {",
        '  node [fontname="Helvetica", fontsize=11, style=filled, fillcolor="#f5f7f9"];',
        '  edge [fontname="Helvetica", fontsize=10, color="#8a94a0"];',
    ]
    for k, (tree, name) in enumerate(zip(trees, tree_names(classes), strict=True)):
        for node, value in enumerate(tree.value.tolist()):
            words = [value_text(value)] if node else [name, value_text(value)]
            fill = mixed(class_colour(sign_class(value, k, len(trees))), WHITE, 0.3)
            lines.append(f'  p{k}_{node} [shape=ellipse, label={quote_lines(*words)}, fillcolor="{fill}"];')
        for t in range(tree.n_tests):
            column = schema.columns[tree.column[t]].name
            lines.append(f"  t{k}_{t} [shape=box, label={quote_lines(f'({t + 1}) {column}')}];")
            lines.append(f"  p{k}_{tree.above[t]} -> t{k}_{t} [style=dotted];")
            for side in (0, 1):
                label = tree.condition(t, schema, second=bool(side)).short(60)
                lines.append(f"  t{k}_{t} -> p{k}_{2 * t + 1 + side} [label={quote_lines(label)}];")
    return "\n".join([*lines, "}"]) + "\n"


def sign_class(value: float, k: int, n_trees: int) -> int:
    """The number of the class a value speaks for; of more than two, the tree's own, or behind all of them."""
    if n_trees == 1:
        return int(value > 0)
    return k if value > 0 else n_trees

"""A tree as indented text, one line per branch, in the manner of C4.5's printout."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.schema import Schema
from learnt.tree.arrays import Array, TreeArrays
from learnt.tree.show.node_words import NodeWords, shown_part

INDENT = "|   "


def tree_text(
    tree: TreeArrays,
    schema: Schema,
    classes: Any = None,
    *,
    answers: Array | None = None,
    amounts: Array | None = None,
    most: int | None = 500,
) -> str:
    """One line per branch, deeper ones indented.

        outlook is sunny
        |   humidity ≤ 75: yes (2)
        |   humidity > 75: no (3/1)
        outlook is overcast: yes (4)

    A leaf says its answer, the training weight that reached it and, behind a slash, the part of that
    weight whose class is another one; in regression the mean error (squared or absolute, as the tree
    was grown). Trees of more than `most` leaves end in stubs (`… 17 leaves`), heavy branches being
    opened first; None prints everything.
    """
    part = shown_part(tree, most)
    names = NodeWords(tree, schema, classes, answers, amounts)
    small, depths, parents = part.tree, part.tree.depths(), part.tree.parents()

    def ending(i: int) -> str:
        if not small.is_leaf[i]:
            return ""
        whole = int(part.origin[i])
        hidden = f" … {part.hidden_leaves[i]} leaves" if part.hidden_leaves[i] else ""
        return f"{names.answer(whole)} ({names.amount(whole)}){hidden}"

    lines = [ending(0)] if small.is_leaf[0] else []
    for i in range(1, small.node_count):
        above = int(parents[i])
        j = int(np.flatnonzero(small.children_of(above) == i)[0])
        test = str(names.branch(int(part.origin[above]), j))
        lines.append(INDENT * (depths[i] - 1) + test + (f": {ending(i)}" if small.is_leaf[i] else ""))
    return "\n".join(lines)

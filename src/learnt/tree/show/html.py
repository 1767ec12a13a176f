"""A tree in a notebook: the drawing and, where that leaves branches out, an outline to unfold."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from learnt.data.schema import Schema
from learnt.tree.arrays import Array, TreeArrays
from learnt.tree.show.draw import MOST_LEAVES, tree_svg
from learnt.tree.show.node_words import NodeWords, shown_part

MOST_IN_OUTLINE = 2000


def tree_html(tree: TreeArrays, schema: Schema, classes: Any = None, *, answers: Array | None = None) -> str:
    """The drawing in a frame that scrolls; a tree of more than 50 leaves also as lines that unfold."""
    svg = tree_svg(tree, schema, classes, answers=answers)
    parts = [f"<div style='overflow:auto;max-height:80vh'>{svg}</div>"]
    if tree.n_leaves > MOST_LEAVES:
        outline = _outline(NodeWords(tree, schema, classes, answers))
        parts.append(f"<details><summary>all {tree.n_leaves} leaves</summary>{outline}</details>")
    return f"<div class='learnt-tree'>{''.join(parts)}</div>"


def _outline(names: NodeWords) -> str:
    """Nested lists of branches, all folded; the largest trees with stubs, as in the text."""
    part = shown_part(names.tree, MOST_IN_OUTLINE)
    tree, parents, depths = part.tree, part.tree.parents(), part.tree.depths()
    out: list[str] = []
    for i in range(1, tree.node_count):
        out.append("</details>" * max(0, int(depths[i - 1] - depths[i])) if i > 1 else "")
        whole, above = int(part.origin[i]), int(parents[i])
        j = int(np.flatnonzero(tree.children_of(above) == i)[0])
        test = escape(str(names.branch(int(part.origin[above]), j)))
        amount = f"{escape(names.answer(whole))} ({names.amount(whole)})"
        if tree.is_leaf[i]:
            hidden = f" … {part.hidden_leaves[i]} leaves" if part.hidden_leaves[i] else ""
            out.append(f"<div style='margin-left:2.2em'>{test}: <b>{amount}</b>{hidden}</div>")
        else:
            out.append(f"<details style='margin-left:1.2em'><summary>{test}: {amount}</summary>")
    return "".join(out) + "</details>" * max(0, int(depths[-1]) - 1)

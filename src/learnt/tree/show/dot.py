"""A tree in the language of Graphviz: `dot -Tpdf tree.dot -o tree.pdf` draws it."""

from __future__ import annotations

from typing import Any

from learnt.data.schema import Schema
from learnt.show.numbers import number
from learnt.show.palette import WHITE, class_colour, mixed
from learnt.tree.arrays import Array, TreeArrays
from learnt.tree.show.node_words import NodeWords, amount_text, shown_part


def tree_dot(
    tree: TreeArrays, schema: Schema, classes: Any = None, *, answers: Array | None = None, most: int | None = None
) -> str:
    """The tree as a digraph; with `most`, one of at most so many leaves, other branches ending in dashed boxes."""
    names, part = NodeWords(tree, schema, classes, answers), shown_part(tree, most)
    lines = [
        "digraph tree {",
        '  node [shape=box, style="rounded,filled", fillcolor="#f5f7f9", fontname="Helvetica", fontsize=11];',
        '  edge [fontname="Helvetica", fontsize=10, color="#8a94a0"];',
    ]
    for i in range(part.tree.node_count):
        whole = int(part.origin[i])
        children = part.tree.children_of(i).tolist()
        lines.append(f"  n{whole} [{_node(names, whole, not children, int(part.hidden_leaves[i]))}];")
        for j, child in enumerate(children):
            label = names.branch(whole, j).short(60)
            lines.append(f"  n{whole} -> n{part.origin[child]} [label={quote_lines(label)}];")
    return "\n".join([*lines, "}"]) + "\n"


def _node(names: NodeWords, i: int, leaf: bool, hidden: int) -> str:
    if not leaf:
        under = amount_text(names.tree.weight[i])
        if names.classes is None:
            under = f"{number(names.tree.value[i, 0])} ({under})"
        return f"label={quote_lines(names.column(i), under)}"
    under = names.amount(i) + (f" … {hidden} leaves" if hidden else "")
    look = ', style="rounded,filled,dashed"' if hidden else ""
    if names.classes is not None:
        look += f', fillcolor="{mixed(class_colour(int(names.answers[i])), WHITE, 0.3)}"'
    return f"label={quote_lines(names.answer(i), under)}{look}"


def quote_lines(*lines: str) -> str:
    """Lines of a label as one quoted string, in which nothing from the data has a meaning of its own."""
    # Graphviz replaces \\N, \\G and the like, and also HTML entities such as &amp; in plain labels.
    safe = [line.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;") for line in lines]
    return '"' + "\\n".join(line.encode("utf-8", "replace").decode() for line in safe) + '"'

"""One tree of an ensemble, with the columns it speaks of: printed, drawn and turned into rules like any tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from learnt.data.schema import Schema
from learnt.data.table import Array
from learnt.tree import TreeArrays


@dataclass(frozen=True, eq=False, repr=False)
class OneTree:
    """A tree, the columns of its table, and the labels of its classes, or None where leaves hold numbers."""

    tree: TreeArrays
    schema: Schema
    classes: Array | None = None

    def __str__(self) -> str:
        from learnt.tree import tree_text

        return tree_text(self.tree, self.schema, self.classes)

    def __repr__(self) -> str:
        return f"<tree of {self.tree.n_leaves} leaves>"

    def _repr_html_(self) -> str:
        from learnt.tree import tree_html

        return tree_html(self.tree, self.schema, self.classes)

    def draw(self, path: Any = None, **options: Any) -> Any:
        """A picture of the tree, for a notebook or, with `path`, as a .svg or .png file; `most=` leaves are drawn."""
        from learnt.tree import draw

        return draw(self.tree, self.schema, self.classes, path, **options)

    def to_dot(self, most: int | None = None) -> str:
        """The tree in Graphviz's language."""
        from learnt.tree import tree_dot

        return tree_dot(self.tree, self.schema, self.classes, most=most)

    def to_rules(self) -> Any:
        """One rule per leaf: what leads there, and what is predicted."""
        from learnt.tree import to_rules

        return to_rules(self.tree, self.schema, self.classes)

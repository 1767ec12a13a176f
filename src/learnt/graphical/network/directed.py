"""What can be said of a network by its arrows alone."""

from __future__ import annotations

from collections.abc import Sequence

from learnt.errors import InputError
from learnt.graphical.inference.evidence import unknown_variable
from learnt.graphical.network.ancestry import children_of
from learnt.graphical.network.node import Node
from learnt.graphical.network.separation import Separation, markov_blanket, separation
from learnt.show.words import list_of


class Directed:
    """Variables and arrows. Before the states are known, the arrows stand in `_structure`."""

    _nodes: dict[str, Node]

    def _node(self, name: str) -> Node:
        if name not in self._nodes:
            raise InputError(unknown_variable(name, self.variables))
        return self._nodes[name]

    @property
    def variables(self) -> tuple[str, ...]:
        return tuple(self._nodes) if self._nodes else tuple(getattr(self, "_structure", ()))

    @property
    def structure(self) -> dict[str, list[str]]:
        """The parents of each variable."""
        if not self._nodes:
            return {name: list(parents) for name, parents in getattr(self, "_structure", {}).items()}
        return {name: list(node.parents) for name, node in self._nodes.items()}

    @property
    def edges(self) -> list[tuple[str, str]]:
        """(parent, child) of each arrow."""
        return [(parent, name) for name, parents in self.structure.items() for parent in parents]

    def parents(self, name: str) -> tuple[str, ...]:
        return self._node(name).parents

    def children(self, name: str) -> tuple[str, ...]:
        self._node(name)
        return tuple(children_of(self.structure)[name])

    def markov_blanket(self, name: str) -> tuple[str, ...]:
        """Parents, children and the children's other parents: given these, all others tell nothing about it."""
        self._node(name)
        found = markov_blanket(self.structure, name)
        return tuple(n for n in self.variables if n in found)

    def d_separated(self, a: str | Sequence[str], b: str | Sequence[str], given: Sequence[str] = ()) -> Separation:
        """Whether `a` and `b` are independent given `given` in every network of these arrows, or the open trail."""
        sets = [[x] if isinstance(x, str) else list(x) for x in (a, b, given)]
        for name in (n for s in sets for n in s):
            if name not in self.structure:
                raise InputError(unknown_variable(name, self.variables))
        both = set(sets[0]) & set(sets[1])
        if both:
            raise InputError(f"{list_of(sorted(both))} is on both sides. Ask about different variables.")
        return separation(self.structure, set(sets[0]), set(sets[1]), sets[2])

"""What structure learning found: parents by node, the score of each family, and the steps that led there."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from learnt.data.notes import Note
from learnt.show.numbers import number
from learnt.show.text_table import aligned
from learnt.show.words import printable
from learnt.storable import storable


@storable
@dataclass(frozen=True)
class SearchStep:
    """One change of a structure: "add", "remove" or "reverse" an edge, "start" or "restart"; what it gained, and the
    score after it. A `test` of PC has a p-value for a gain."""

    action: str
    parent: str
    child: str
    gain: float
    score: float

    def cells(self) -> list[str]:
        arrow = f"{printable(self.parent)} → {printable(self.child)}" if self.child else ""
        return [self.action, arrow, number(self.gain), number(self.score)]


class Steps(Sequence[SearchStep]):
    """All steps, in order: print them."""

    def __init__(self, steps: Sequence[SearchStep]):
        self._steps = tuple(steps)

    def __getitem__(self, which: Any) -> Any:
        return self._steps[which]

    def __len__(self) -> int:
        return len(self._steps)

    def __str__(self) -> str:
        rows = [[str(i), *step.cells()] for i, step in enumerate(self._steps)]
        return aligned([["step", "action", "edge", "gain", "score"], *rows], left=(1, 2))

    __repr__ = __str__


@storable
@dataclass(frozen=True)
class Structure:
    """A directed graph without circles over named columns.

    `parents` of each node; `scores` of each family by what `score_name` says; `undirected`, of PC, the edges whose
    direction the tests leave open, though `parents` gives them one. Printed as a tree of text.
    """

    parents: dict[str, list[str]]
    scores: dict[str, float] = field(default_factory=dict)
    score_name: str = "bic"
    undirected: list[list[str]] = field(default_factory=list)
    taken: list[SearchStep] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for node, parents in self.parents.items():
            if any(p not in self.parents or p == node for p in parents) or len(set(parents)) < len(parents):
                raise ValueError(f"The parents of {node!r} are not other nodes, each once.")
        if len(list(_rooted(self.parents))) < len(self.parents):
            raise ValueError("The edges of a structure go in a circle.")

    @property
    def score(self) -> float:
        """The sum of all families' scores."""
        return math.fsum(self.scores.values())

    @property
    def edges(self) -> list[tuple[str, str]]:
        """(parent, child) of each edge."""
        return [(p, x) for x, parents in self.parents.items() for p in parents]

    @property
    def steps(self) -> Steps:
        """How it was found, step by step."""
        return Steps(self.taken)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was done to columns."""
        return tuple(Note(None, text) for text in self.said)

    def __str__(self) -> str:
        return text_tree(self.parents)

    __repr__ = __str__


def _rooted(parents: dict[str, list[str]]) -> Iterator[str]:
    """Nodes, parents before children; those in circles, or behind them, are left out."""
    waiting = {node: len(some) for node, some in parents.items()}
    children = children_of(parents)
    ready = [node for node, n in waiting.items() if n == 0]
    while ready:
        node = ready.pop(0)
        yield node
        for child in children[node]:
            waiting[child] -= 1
            if waiting[child] == 0:
                ready.append(child)


def children_of(parents: dict[str, list[str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {node: [] for node in parents}
    for node, some in parents.items():
        for parent in some:
            found[parent].append(node)
    return found


def text_tree(parents: dict[str, list[str]], root: str | None = None) -> str:
    """Each node under the parent that most recently came (a tree's only one), other parents in brackets.

    A `root` that is a parent of many, as the class of a classifier, is named once, and then as a star.
    """
    under: dict[str, list[str]] = {node: [] for node in parents}
    tops: list[str] = []
    others: dict[str, list[str]] = {}
    place = {node: i for i, node in enumerate(_rooted(parents))}
    for node in place:
        if node == root:
            continue
        inner = [p for p in parents[node] if p != root]
        if inner:
            nearest = max(inner, key=place.__getitem__)
            under[nearest].append(node)
            others[node] = [p for p in inner if p != nearest]
        else:
            tops.append(node)
            others[node] = []
    lines: list[str] = []
    stack = [(node, "", "") for node in reversed(tops)]
    if root is not None:
        lines.append(f"{printable(root)}{_given(parents[root], '')}  (* has it as a parent)")
    while stack:
        node, lead, indent = stack.pop()
        star = " *" if root is not None and root in parents[node] else ""
        lines.append(lead + printable(node) + _given(others[node], star))
        kids = under[node]
        for i, kid in reversed(list(enumerate(kids))):
            last = i + 1 == len(kids)
            stack.append((kid, indent + ("└─ " if last else "├─ "), indent + ("   " if last else "│  ")))
    return "\n".join(lines)


def _given(parents: Sequence[str], star: str) -> str:
    return star + (f"  (and {', '.join(map(printable, parents))})" if parents else "")

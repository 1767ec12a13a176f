"""The shape of a network over the columns and the class: what is given, or how it is learnt."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

import numpy as np

from learnt.data.table import Array, unknown_column
from learnt.engine.engines import Request
from learnt.errors import ParameterError
from learnt.graphical.structure.hill_climbing import climb_hills
from learnt.graphical.structure.k2 import search_k2
from learnt.graphical.structure.result import SearchStep, Structure
from learnt.graphical.structure.rules import Rules, find_cycle
from learnt.graphical.structure.scoring import Scorer
from learnt.graphical.structure.trees import augmenting_tree
from learnt.learner.parameters import Domain
from learnt.show.words import spell

SHAPES = ("naive", "tan", "k2", "hill")

#: No table of probabilities has more cells: edges that would need one are not learnt.
MOST_CELLS = 1 << 22


class NetworkShape(Domain):
    """What `structure` may be; whether the columns are there is known at fit."""

    words = f"one of {', '.join(map(repr, SHAPES))}, a dict of parents by column, or a network"

    def __contains__(self, value: object) -> bool:
        if isinstance(value, str):
            return value in SHAPES
        parents = parents_given(value)
        return isinstance(parents, Mapping) and all(
            isinstance(some, Sequence) and not isinstance(some, str) for some in parents.values()
        )


def parents_given(structure: Any) -> Any:
    """Parents by node of a dict, of a `Structure`, or of a network, which has such a dict as its `structure`."""
    if isinstance(structure, Structure):
        return structure.parents
    return getattr(structure, "structure", structure)


def class_name(names: Sequence[str]) -> str:
    """What the class is called among the columns."""
    name = "class"
    while name in names:
        name += "_"
    return name


def given_edges(structure: Any, names: Sequence[str]) -> Array:
    """Edges, parents × children, of parents by name; the class is the last of `names`.

    In a network it may be called otherwise: the one name that is no column is the class. In a dict that is a slip.
    """
    parents = parents_given(structure)
    place = {name: j for j, name in enumerate(names)}
    used = dict.fromkeys(name for child, some in parents.items() for name in (child, *some))
    others = [name for name in used if name not in place]
    if len(others) == 1 and names[-1] not in used and not isinstance(structure, Mapping):
        place[others[0]] = len(names) - 1
    edges = np.zeros((len(names), len(names)), bool)
    for child, some in parents.items():
        for name in (child, *some):
            if name not in place:
                raise ParameterError(
                    f"BayesNetClassifier: structure names columns, and the class as {names[-1]!r}. "
                    f"{unknown_column(str(name), tuple(names))}"
                )
        for parent in some:
            if parent == child:
                raise ParameterError(f"BayesNetClassifier: structure has {spell(child)} as its own parent.")
            edges[place[parent], place[child]] = True
    cycle = find_cycle(edges)
    if cycle:
        told = " → ".join(spell(names[j]) for j in (*cycle, cycle[0]))
        raise ParameterError(f"BayesNetClassifier: the edges of structure go in a circle: {told}. Expected none.")
    return edges


def find_shape(
    kind: Any, scorer: Scorer, names: Sequence[str], max_parents: int
) -> Generator[Request, Any, tuple[Array, list[SearchStep]]]:
    """Edges, parents × children, the class last, and how they were found."""
    n = len(names)
    # A column of one state tells nothing, but smoothed counts of states that never occur would.
    target, features = n - 1, [j for j in range(n - 1) if np.count_nonzero(scorer.state_weights[j]) > 1]
    naive = np.zeros((n, n), bool)
    naive[target, features] = True
    if not isinstance(kind, str):
        return given_edges(kind, names), []
    if kind == "naive" or not features:
        return naive, []
    if kind == "tan":
        steps = []
        tree = yield from augmenting_tree(scorer, features, target, MOST_CELLS)
        yield from scorer.fill([(target, (), [])])
        score = sum(scorer.of(x, (target,)) for x in features) + scorer.of(target, ())
        for p, x, gain in tree:
            naive[p, x] = True
            score += gain
            steps.append(SearchStep("add", names[p], names[x], gain, score))
        return naive, steps
    allowed = _small_enough(scorer.states.astype(np.float64))
    constant = [j for j in range(n - 1) if j not in features]
    allowed[constant] = allowed[:, constant] = False
    rules = Rules(tuple(names), allowed, np.zeros((n, n), bool), max(max_parents, 1))
    if kind == "k2":
        found = yield from search_k2(scorer, rules, [target, *features], naive)
    else:
        found = yield from climb_hills(scorer, rules, naive)
    return found


def _small_enough(states: Array) -> Array:
    """Edges between columns whose pair, with any one class, does not already need a table too large."""
    allowed: Array = states[:, None] * states[None, :] * states[-1] <= MOST_CELLS
    allowed[-1] = True
    allowed[:, -1] = states * states[-1] <= MOST_CELLS
    np.fill_diagonal(allowed, False)
    return allowed

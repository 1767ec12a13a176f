"""A linear model for every node, from the leaves up, and the subtrees that it replaces."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

import numpy as np

from learnt.data.table import Array
from learnt.tree.model_tree.growing import Node, Term, term_of
from learnt.tree.model_tree.linear_models import LinearModel, constant_model, estimated_error, fit_eliminating
from learnt.tree.model_tree.splitting import Rows
from learnt.tree.model_tree.weka_models import fit_like_weka, weka_error
from learnt.tree.prune.pruned import Cut

Terms = Literal["below", "path", "all"]

#: The most tests that a model takes terms from, those nearest to its node: a column of 10,000 categories may be tested
#: a thousand times, and the work grows with the cube.
MOST_TERMS = 100


@dataclass(frozen=True, slots=True)
class NodeModel:
    """The linear model of a node, by terms of the table."""

    coef: dict[Term, float]
    intercept: float
    rmse: float


@dataclass(frozen=True)
class ModelSettings:
    terms: Terms | None
    weka: bool
    prune: bool


def fit_nodes(
    rows: Rows, filled: Array, nodes: list[Node], settings: ModelSettings
) -> tuple[list[NodeModel], Array, tuple[Cut, ...]]:
    """The model of each node, which nodes are leaves now, and what was cut.

    A subtree gives way to the model of its root if that is estimated to err no more. The error of a subtree is that
    of one model, whose parameters are those of its leaves and one for each test. The mean of the branches'
    estimates would not count the tests, which were chosen too, and leaves many times as many leaves on noisy targets.
    """
    fit: Callable[[Array, Array, Array], LinearModel] = fit_like_weka if settings.weka else fit_eliminating
    models, leaf, cuts = [], np.array([not node.children for node in nodes], dtype=bool), []
    below: list[tuple[Term, ...]] = [()] * len(nodes)
    sizes, square, n_parameters = (np.zeros(len(nodes)) for _ in range(3))
    deviation = constant_model(rows.target, rows.weights).rmse
    for i in range(len(nodes) - 1, -1, -1):
        node = nodes[i]
        y, w = rows.target[node.rows], rows.weights[node.rows]
        if node.children:
            below[i] = _terms_below(i, nodes, below, rows.nominal)
        terms = _wanted(settings.terms, i, nodes, below, rows.nominal)
        found = fit(term_cells(filled[:, node.rows], terms), y, w) if terms else constant_model(y, w)
        models.append(
            NodeModel(
                {terms[k]: float(b) for k, b in zip(found.terms.tolist(), found.coef, strict=True) if b},
                found.intercept,
                found.rmse,
            )
        )
        v, n = found.n_parameters, node.weight
        own = weka_error(found.rmse, n, v) if settings.weka else estimated_error(found.rmse, n, v)
        sizes[i] = 1 + sum(sizes[c] for c in node.children)
        if node.children:
            square[i] = sum(nodes[c].weight * square[c] for c in node.children) / n
            n_parameters[i] = sum(n_parameters[c] for c in node.children) + 1
            if settings.weka:
                subtree = weka_error(math.sqrt(square[i]), n, int(n_parameters[i]))
                cut = own <= subtree or own < 1e-5 * deviation
            else:
                subtree = estimated_error(math.sqrt(square[i]), n, int(n_parameters[i]))
                cut = own <= subtree + 1e-9 * deviation
            if not (cut and settings.prune):
                continue
            cuts.append(Cut(i, int(sizes[i]), "a linear model errs no more", float(subtree), float(own)))
            leaf[i] = True
        square[i] = found.rmse**2
        n_parameters[i] = 1 + np.count_nonzero(found.coef)
    return models[::-1], leaf, tuple(cuts)


def _wanted(kind: Terms | None, i: int, nodes: list[Node], below: list[tuple[Term, ...]], nominal: Array) -> list[Term]:
    """The terms from which the model of a node is made, in the order of the columns."""
    if kind is None:
        return []
    found = dict.fromkeys(below[i])
    if kind != "below":
        above = nodes[i].above
        while above >= 0 and len(found) < MOST_TERMS:
            found[term_of(nominal, nodes[above])] = None
            above = nodes[above].above
    if kind == "all":
        found |= dict.fromkeys((j, 0) for j in np.flatnonzero(~nominal).tolist())
    return sorted(found)


def _terms_below(i: int, nodes: list[Node], below: list[tuple[Term, ...]], nominal: Array) -> tuple[Term, ...]:
    """The node's own test, then those of its children in turn: the nearest first, and of too many the nearest only."""
    found = {term_of(nominal, nodes[i]): None}
    for pair in zip_longest(*(below[c] for c in nodes[i].children)):
        found |= dict.fromkeys(term for term in pair if term is not None)
    return tuple(found)[:MOST_TERMS]


def term_cells(cells: Array, terms: list[Term]) -> Array:
    """Rows × terms, of filled cells (columns × rows): numbers as they are, 1 where a rank is reached, else 0."""
    out = np.empty((cells.shape[1], len(terms)))
    for k, (j, rank) in enumerate(terms):
        out[:, k] = cells[j] >= rank if rank else cells[j]
    return out


def smoothed_models(nodes: list[Node], models: list[NodeModel], leaf: Array, k: float) -> dict[int, NodeModel]:
    """The model of each leaf, mixed with those above it: p ← (n·p + k·q)/(n + k) at every step up.

    p is what comes from below, where n rows are, q the model of the node above. The mix of linear models is one.
    """
    found: dict[int, NodeModel] = {}
    # From the root down: what the models above give, and the share that is left for what is below.
    given: dict[int, tuple[dict[Term, float], float, float]] = {0: ({}, 0.0, 1.0)}
    for i, node in enumerate(nodes):
        if i not in given:
            continue  # below a leaf
        coef, intercept, share = given.pop(i)
        model = models[i]
        if leaf[i]:
            found[i] = NodeModel(_mixed(coef, model.coef, share), intercept + share * model.intercept, model.rmse)
            continue
        for child in node.children:
            n = nodes[child].weight
            here = share * k / (n + k)
            mixed = _mixed(coef, model.coef, here) if k > 0 else coef
            given[child] = mixed, intercept + here * model.intercept, share * n / (n + k)
    return found


def _mixed(a: dict[Term, float], b: dict[Term, float], factor: float) -> dict[Term, float]:
    out = dict(a)
    for term, value in b.items():
        out[term] = out.get(term, 0.0) + factor * value
    return out

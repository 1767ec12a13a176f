"""The trees of a vote, a bag or a forest, each with what its nodes say and how much it counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array
from learnt.ensemble.bagging.base import Bag
from learnt.ensemble.forest.learner import ForestLearner
from learnt.ensemble.trees.forest import class_shares
from learnt.ensemble.voting.base import Vote
from learnt.errors import InputError
from learnt.tree import TreeArrays


@dataclass(frozen=True, eq=False)
class Voter:
    """`says` holds the answer of each node, nodes × classes or × 1; `columns` the place of each of the tree's columns
    in the table; `written` the thresholds as they are printed."""

    tree: TreeArrays
    says: Array
    columns: Array
    written: Array
    weight: float


@dataclass(frozen=True, eq=False)
class Voters:
    """All of them, with the columns of the table, and the labels of classes or None."""

    all: list[Voter]
    schema: Schema
    classes: Array | None


def voters_of(model: Any, weights: Sequence[float] | None = None) -> Voters:
    """The trees of a fitted vote, bag or forest, or of a list of fitted trees."""
    if isinstance(model, list | tuple):
        return _of_members(list(model), weights, None, hard=False)
    if isinstance(model, Vote | Bag | ForestLearner) and weights is not None:
        raise InputError(f"weights= is for a list of trees. {type(model).__name__} has its own.")
    if isinstance(model, Vote):
        return _of_members(model.estimators_, model.weights_.tolist(), None, hard=_counts_answers(model))
    if isinstance(model, Bag):
        places = model.estimators_features_
        return _of_members(model.estimators_, None, (model, places), hard=_counts_answers(model))
    if isinstance(model, ForestLearner):
        return _of_forest(model)
    raise InputError(
        f"{type(model).__name__} is no vote of trees. Expected a fitted vote, bag or forest, or a list of trees."
    )


def _counts_answers(model: Any) -> bool:
    return getattr(model, "vote", "soft") == "hard"


def _of_forest(model: Any) -> Voters:
    classes, n = getattr(model, "classes_", None), len(model._schema)
    found = []
    for tree in model.trees_:
        says = tree.value if classes is None else class_shares(tree.value)
        found.append(Voter(tree, says, np.arange(n), tree.threshold, 1 / len(model.trees_)))
    return Voters(found, model._schema, classes)


def _of_members(members: list[Any], weights: Any, bag: tuple[Any, list[Array]] | None, *, hard: bool) -> Voters:
    if not members:
        raise InputError("There are no trees to merge. Expected at least one.")
    for member in members:
        if not isinstance(getattr(member, "tree_", None), TreeArrays) or not hasattr(member, "_shown_tree"):
            raise InputError(f"{type(member).__name__} is no fitted tree. Only trees are merged into one.")
    owner = members[0] if bag is None else bag[0]
    schema, classes = owner._schema, getattr(owner, "classes_", None)
    places = [np.arange(len(schema))] * len(members) if bag is None else bag[1]
    shares = np.ones(len(members)) if weights is None else np.asarray(weights, dtype=np.float64)
    if shares.shape != (len(members),) or not (shares >= 0).all() or not 0 < shares.sum() < np.inf:
        raise InputError(f"There are weights {shares.tolist()} for {len(members)} trees. Expected one ≥ 0 for each.")
    found = []
    for member, columns, w in zip(members, places, shares / shares.sum(), strict=True):
        if len(member._schema) != len(columns) or any(
            own != schema.columns[j] for own, j in zip(member._schema, columns.tolist(), strict=True)
        ):
            raise InputError("The trees do not have the same columns. Merge trees of one table.")
        tree = member.tree_
        if w > 0:
            says = _said(member, tree, classes, hard=hard)
            found.append(Voter(tree, says, np.asarray(columns), member._shown_tree(tree).threshold, float(w)))
    return Voters(found, schema, classes)


def _said(member: Any, tree: TreeArrays, classes: Array | None, *, hard: bool) -> Array:
    """What each node says, in the order of `classes`."""
    if (classes is None) != (not hasattr(member, "classes_")):
        raise InputError("Some of the trees predict classes and some numbers. Merge trees of one kind.")
    if classes is None:
        return tree.value
    shares: Array = member._shares(tree)
    if hard:
        shares = np.eye(shares.shape[1])[member._decide_classes(shares)]
    place = {label: c for c, label in enumerate(classes.tolist())}
    try:
        columns = [place[label] for label in member.classes_.tolist()]
    except KeyError as error:
        raise InputError(
            f"A tree knows the class {error}, which the first does not. Merge trees of one target."
        ) from None
    found = np.zeros((len(shares), len(classes)))
    found[:, columns] = shares
    return found

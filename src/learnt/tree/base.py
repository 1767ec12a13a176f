"""What all tree learners share: growing from a whole table or a window of it, predicting, explaining, showing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.engine.engines import Plan
from learnt.engine.training import Training
from learnt.engine.whole import InMemory, WholeTable
from learnt.errors import ParameterError, SavedModelError
from learnt.explain import Explanations
from learnt.explain.class_parts import ClassParts
from learnt.learner.base import Classifier, Learner, Regressor
from learnt.learner.fields import attribute
from learnt.learner.parameters import OneOf, check_parameters, seed_from
from learnt.show.words import label
from learnt.tree.arrays import TreeArrays
from learnt.tree.attribution import attribute_classes, attribute_numbers, contributions_of
from learnt.tree.averaging import averaged_numbers, averaged_shares
from learnt.tree.explain_path import explain_classes, explain_numbers
from learnt.tree.grow.thresholds import written_thresholds
from learnt.tree.grow.windowing import first_size, grow_in_windows
from learnt.tree.importance import impurity_importance
from learnt.tree.prune.pruned import Cut, Pruned
from learnt.tree.reach import leaves_of, path_matrix, shares_of
from learnt.tree.smoothing import Smoothing, class_shares

#: Of every tree. Sparse matrices are taken too, but unpacked: sorting needs all cells.
ANY_TABLE = frozenset({"missing", "nominal", "weights", "sparse"})


class TreeLearner(Learner, abstract=True):
    """One tree, `tree_`, and what was cut from it, `cuts_`. Members write `_grown_tree`, from rows to a tree.

    Members may have the settings `window` and `random_state`, which windowing takes.
    """

    readable = True
    takes_text = "counts"
    whole = InMemory("sorts the rows for an exact tree", "grow CART or C4.5 from a part of the rows with window=")

    tree_: TreeArrays = attribute()
    cuts_: tuple[Cut, ...] = attribute()

    # Fitting

    def _plan(self, training: Training) -> Plan:
        self._n_labels = training.n_labels
        window = getattr(self, "window", None)
        if window is None:
            yield from super()._plan(training)
            return
        size = first_size(window, training.n_rows)
        seed = seed_from(getattr(self, "random_state", None))
        found = yield from grow_in_windows(size, self._written_tree, self._wrong(), seed, type(self).__name__)
        self._keep_tree(found)

    def _learn(self, rows: WholeTable) -> None:
        rows = rows.of_positive_weight()
        self._keep_tree(self._written_tree(rows.table, rows.target, rows.weights))

    def _written_tree(self, table: Table, target: Array, weights: Array | None) -> Pruned:
        """The tree with its thresholds as they are written."""
        found = self._grown_tree(table, target, weights)
        return replace(found, written=written_thresholds(found.tree, table))

    def _keep_tree(self, found: Pruned) -> None:
        self.tree_, self.cuts_, self._written = found.tree, found.cuts, found.written

    def _grown_tree(self, table: Table, target: Array, weights: Array | None) -> Pruned:
        """The tree of these rows, with what was cut from it."""
        raise NotImplementedError

    def _wrong(self) -> Any:
        """`wrong(found, table, target)`, which rows a tree gets wrong: what windowing adds."""
        return wrong_classes

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        self.tree_.check_columns(self._tree_schema())
        written = self._shown_tree(self.tree_).threshold
        if written.shape != self.tree_.threshold.shape or written.dtype != np.float64:
            raise SavedModelError("The thresholds as they are written do not fit the tree.")

    # Where rows go

    def _tree_schema(self) -> Schema:
        """The columns that tests speak of."""
        return self._schema

    def _fitted_tree(self) -> TreeArrays:
        self._fitted_schema()
        return self.tree_

    def apply(self, X: Any) -> Array:
        """The leaf each row comes to, by its number in `tree_`; a row cut up for a missing cell: the heaviest way."""
        leaves: Array = self._over(X, lambda table: leaves_of(self.tree_, table))
        return leaves

    def decision_path(self, X: Any) -> Any:
        """Which nodes each row passes, as a SciPy CSR matrix, rows × nodes.

        Entries are 1, or where a missing cell cuts a row up, the part of it that passes there.
        """
        return path_matrix(self._fitted_tree(), self._matched(X))

    # Explaining

    def explain(self, X: Any, *, kind: Literal["path", "attribution"] = "path") -> Explanations:
        """The arithmetic behind the prediction of each row, in the words of the user's columns.

        `kind="path"` goes down the tree: what changed at each test, added per column. `kind="attribution"` gives
        Shapley values: what each column adds on average over all orders in which the columns could be made known,
        so that it does not matter which was tested first.
        """
        if kind == "path":
            return super().explain(X)
        check_parameters(f"{type(self).__name__}.explain", {"kind": OneOf("path", "attribution")}, {"kind": kind})
        still = self._still()
        return still._attribute(still._matched(X)).like(X)

    def _attribute(self, table: Table) -> Explanations:
        raise NotImplementedError

    # Looking at it

    def get_n_leaves(self) -> int:
        """The number of leaves."""
        return self._fitted_tree().n_leaves

    def get_depth(self) -> int:
        """The largest number of tests on the way to a leaf."""
        return self._fitted_tree().max_depth

    @property
    def feature_importances_(self) -> Array:
        """How much of the impurity each column's tests take away: shares that sum to 1, or zeros without tests."""
        return impurity_importance(self._fitted_tree(), self.n_features_in_)

    def _shown_tree(self, tree: TreeArrays) -> TreeArrays:
        """A tree of the same nodes whose thresholds are written in as few digits as the training rows allow."""
        written = self.__dict__.get("_written")  # models of older files have none
        if written is None or len(written) != tree.node_count:
            return tree
        return tree.changed(threshold=written)

    def _shown_parts(self) -> tuple[TreeArrays, Schema, Any]:
        """What the functions that show trees ask for: tree, columns, and class labels or None."""
        return self._shown_tree(self._fitted_tree()), self._tree_schema(), getattr(self, "classes_", None)

    def _answers(self) -> Array | None:
        """The class predicted at each node, by number, where it may not be the heaviest one."""
        return None

    def __str__(self) -> str:
        if "tree_" not in self.__dict__:
            return repr(self)
        from learnt.tree.show.text import tree_text

        return tree_text(*self._shown_parts(), answers=self._answers())

    def _repr_html_(self) -> str:
        about = super()._repr_html_()
        if "tree_" not in self.__dict__:
            return about
        from learnt.tree.show.html import tree_html

        return about + tree_html(*self._shown_parts(), answers=self._answers())

    def draw(self, path: Any = None, **options: Any) -> Any:
        """A picture of the tree, for a notebook or, with `path`, as a .svg or .png file; `most=` leaves are drawn."""
        from learnt.tree.show.draw import draw

        return draw(*self._shown_parts(), path, answers=self._answers(), **options)

    def to_dot(self, most: int | None = None) -> str:
        """The tree in Graphviz's language."""
        from learnt.tree.show.dot import tree_dot

        return tree_dot(*self._shown_parts(), answers=self._answers(), most=most)

    def to_rules(self) -> Any:
        """One rule per leaf: what leads there, and what is predicted."""
        from learnt.tree.show.rules import to_rules

        return to_rules(*self._shown_parts(), answers=self._answers())


class TreeClassifier(TreeLearner, Classifier, abstract=True):
    """Predicts by the classes at the leaf a row comes to. Members may have the settings `smoothing` and `loss`."""

    abilities: ClassVar[frozenset[str]] = ANY_TABLE | {"probabilities"}

    smoothing: Smoothing = None
    loss: Any = None
    average: Any = None

    # Each reads `tree_` once: another thread may be fitting anew, and half of each tree is none.

    def _shares(self, tree: TreeArrays, nodes: Any = slice(None)) -> Array:
        """The probability of each class at the nodes, nodes × classes."""
        if self.average is not None:
            shares: Array = averaged_shares(tree, self.smoothing, self.average)[nodes]
            return shares
        return class_shares(tree, self.smoothing, nodes)

    def _probabilities(self, table: Table) -> Array:
        tree = self.tree_
        if tree.cuts_rows:
            return shares_of(tree, table, self._shares(tree))
        leaves = leaves_of(tree, table)
        few = len(leaves) < tree.node_count  # rather asked at the rows' leaves than at all nodes
        return self._shares(tree, leaves) if few else self._shares(tree)[leaves]

    def predict(self, X: Any) -> Array:
        """The most probable class of each row, or with `loss` that of least expected loss; of equal ones the first."""
        still = self._still()
        still._fitted_schema()
        labels: Array = still.classes_[still._over(X, still._class_numbers)]
        return labels

    def _class_numbers(self, table: Table) -> Array:
        tree = self.tree_
        if tree.cuts_rows:
            return self._decide_classes(shares_of(tree, table, self._shares(tree)))
        leaves = leaves_of(tree, table)
        few = len(leaves) < tree.node_count
        if few:
            return self._decide_classes(self._shares(tree, leaves))
        answers: Array = self._decide_classes(self._shares(tree))[leaves]
        return answers

    def _decide_classes(self, shares: Array) -> Array:
        """Answers, by number, for rows of class probabilities."""
        best: Array = shares.argmax(axis=1) if self.loss is None else (shares @ self._losses()).argmin(axis=1)
        return best

    def _losses(self) -> Array:
        """The loss matrix, rows truth, columns answer, checked against the classes."""
        from learnt.learner.loss_matrix import loss_matrix

        k, name = len(self.classes_), type(self).__name__
        try:
            loss = loss_matrix(self.loss, self.classes_.tolist())
        except ParameterError as error:
            raise ParameterError(
                f"{name}: {error} A matrix has the classes in the order of classes_: ({k}, {k})."
            ) from None
        if len(loss.actions) != k:
            extra = ", ".join(label(action) for action in loss.actions if action not in loss.classes)
            raise ParameterError(
                f"{name}: the loss speaks of other answers than the classes: {extra}. A tree answers with a class. "
                "Leave loss out and fit with_loss(...) of the tree, which knows such answers."
            )
        return loss.costs

    def _answers(self) -> Array | None:
        plain = self.loss is None and self.average is None
        return None if plain else self._decide_classes(self._shares(self.tree_))

    def decision_function(self, X: Any) -> Array:
        """Log ratios ln(p / (1 − p)) of the classes' probabilities; of two classes that of the second alone.

        Probabilities of 0 and 1 are taken as 2⁻⁵² away from there, so that scores stay finite; `smoothing` tells
        pure leaves of many rows from those of few.
        """
        tiny = np.finfo(np.float64).eps
        p = np.clip(np.asarray(self.predict_proba(X)), tiny, 1 - tiny)
        score: Array = np.log(p / (1 - p))
        return score[:, 1] if score.shape[1] == 2 else score

    def to_dnf(self, class_: Any) -> Any:
        """When `class_` is predicted, as one formula: `(… and …) or (…)`."""
        from learnt.tree.show.rules import to_dnf

        return to_dnf(*self._shown_parts(), class_, answers=self._answers())

    def _explain(self, table: Table) -> Explanations:
        tree = self.tree_
        shown, labels = self._shown_tree(tree), self.classes_.tolist()
        return explain_classes(tree, table, self._shares(tree), self._decide_classes, labels, shown)

    def _attribute(self, table: Table) -> Explanations:
        tree = self.tree_
        return attribute_classes(tree, table, self._shares(tree), self._decide_classes, self.classes_.tolist())

    def _class_parts(self, row: Table) -> ClassParts | None:
        parts, expected = contributions_of(self.tree_, row, self._shares(self.tree_))
        return ClassParts(expected, parts[0], "probability")

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        if self.tree_.n_outputs != len(self.classes_):
            raise SavedModelError("The leaves of the tree do not fit the classes.")
        least, total = self.tree_.value.min(axis=1), np.sum(self.tree_.value, axis=1)
        self.tree_.refuse(least < 0, "has a class of weight {}", least)
        self.tree_.refuse(total <= 0, "has classes of weight {} together", total)


class TreeRegressor(TreeLearner, Regressor, abstract=True):
    """Predicts the number at the leaf a row comes to."""

    abilities: ClassVar[frozenset[str]] = ANY_TABLE

    average: Any = None

    def _answering_tree(self) -> TreeArrays:
        """The tree with the numbers that are answered at its nodes. Read once: another thread may be fitting anew."""
        tree = self.tree_
        return tree if self.average is None else tree.changed(value=averaged_numbers(tree, self.average))

    def _shown_parts(self) -> tuple[TreeArrays, Schema, Any]:
        self._fitted_schema()
        return self._shown_tree(self._answering_tree()), self._tree_schema(), None

    def _predict(self, table: Table) -> Array:
        tree = self._answering_tree()
        if tree.cuts_rows:
            return shares_of(tree, table, tree.value)[:, 0]
        answer: Array = tree.value[:, 0][leaves_of(tree, table)]
        return answer

    def _explain(self, table: Table) -> Explanations:
        tree = self._answering_tree()
        return explain_numbers(tree, table, self._shown_tree(tree))

    def _attribute(self, table: Table) -> Explanations:
        return attribute_numbers(self._answering_tree(), table)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        if self.tree_.n_outputs != 1:
            raise SavedModelError("The leaves of the tree hold several numbers. A regression tree predicts one.")


def without_weightless(table: Table, target: Array, weights: Array | None) -> tuple[Table, Array, Array | None]:
    """The rows that count: one of weight 0 is none, and must not shift a threshold."""
    if weights is None or weights.all():
        return table, target, weights
    counts = weights > 0
    return table.take(counts), target[counts], weights[counts]


def wrong_classes(found: Pruned, table: Table, codes: Array) -> Array:
    """Which rows a tree gets wrong, by the heaviest class of their leaves."""
    answers = shares_of(found.tree, table, class_shares(found.tree))
    wrong: Array = answers.argmax(axis=1) != codes
    return wrong


def wrong_numbers(found: Pruned, table: Table, numbers: Array, *, absolute: bool) -> Array:
    """Which rows a tree is further off from than the target is spread: its root's impurity, in the target's units."""
    spread = found.tree.impurity[0] if absolute else np.sqrt(found.tree.impurity[0])
    wrong: Array = np.abs(shares_of(found.tree, table, found.tree.value)[:, 0] - numbers) > spread
    return wrong

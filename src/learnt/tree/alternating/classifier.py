"""Alternating decision trees: boosting whose tests hang below each other, so that it can be read as one tree."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.whole import InMemory, WholeTable
from learnt.errors import SavedModelError
from learnt.explain import Explanations
from learnt.explain.class_parts import ClassParts
from learnt.learner.base import Classifier
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Real, Whole
from learnt.tree.alternating.arrays import AlternatingTree
from learnt.tree.alternating.explaining import explain_scores, parts_of
from learnt.tree.alternating.growing import grow_alternating
from learnt.tree.alternating.searching import Columns
from learnt.tree.base import without_weightless
from learnt.tree.settings import CLASS_WEIGHT, class_factors


class AlternatingTreeClassifier(Classifier):
    """Add up what all tests say that apply to a row; each was hung where it lowered the error's bound most.

        Z = Σ_{yes, no} 2·√((W₊ + ε)(W₋ + ε)) + W_rest        value = ½·ln((W₊ + ε)/(W₋ + ε))
        p = 1/(1 + e^(−2·Σ value))

    >>> table = {"age": [22, 25, 31, 47, 52, 60], "town": ["Bern", "Basel", "Bern", "Bern", "Basel", "Bern"]}
    >>> print(AlternatingTreeClassifier(n_estimators=1).fit(table, ["no", "no", "no", "yes", "yes", "yes"]))
    always: +0.000
    |   (1) age ≤ 39: −0.693
    |   (1) age > 39: +0.693
    positive: yes, negative: no

    A prediction node adds its value to the score of each row that reaches it, the root to that of all. A round looks
    below every prediction node for the threshold, or the category against the others, of the smallest Z: W are the
    weights of the rows that reach the test, by class and by answer. Rows that the new nodes get wrong then weigh more.
    The sign of the score is the answer. Of more than two classes each has a tree against all others.

    {settings}

    A missing cell, and a category never seen, reaches neither node of a test: the others decide.

    Attributes: `trees_` (one, or one for each class, as arrays: `above`, `column`, `threshold`, `code` of the tests,
    `value`, `weight` of the prediction nodes), `classes_`, `feature_importances_`.

    Reference: Y. Freund, L. Mason, The alternating decision tree learning algorithm, 1999.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "sparse"})
    whole = InMemory("looks at all rows for the best test of each round")
    takes_text = "counts"
    readable = True
    fit_cost = 40.0
    simplicity = 25.0
    search_space: ClassVar[dict[str, Any]] = {"n_estimators": (5, 10, 20, 50)}

    n_estimators: int = setting(Whole(1), "rounds: tests of each tree at most", default=10)
    smoothing: float = setting(
        Real(above=0), "ε: the weight that every side of a test is taken to have beside its rows", default=1.0
    )
    class_weight: Any = setting(
        CLASS_WEIGHT, 'weights by class, or "balanced": all classes weigh the same', default=None
    )

    trees_: tuple[AlternatingTree, ...] = attribute()

    # Fitting

    def _learn(self, rows: WholeTable) -> None:
        whole = rows.of_positive_weight().unpacked()
        table, target, weights = whole.table, whole.target, whole.weights
        if self.class_weight is not None:
            factor = class_factors(self.class_weight, self.classes_, target, weights)[target]
            weights = factor if weights is None else weights * factor
            table, target, weights = without_weightless(table, target, weights)
        w = np.ones(len(target)) if weights is None else np.asarray(weights, dtype=np.float64)
        columns, k = Columns(table), len(self.classes_)
        wanted = [] if k == 1 else [1] if k == 2 else range(k)
        rounds, epsilon = int(self.n_estimators), float(self.smoothing)
        self.trees_ = tuple(grow_alternating(columns, target == c, w, rounds, epsilon) for c in wanted)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        k = len(self.classes_)
        if len(self.trees_) != (k if k > 2 else k - 1):
            raise SavedModelError(f"There are {len(self.trees_)} alternating trees for {k} classes.")
        for tree in self.trees_:
            tree.check_columns(self._schema)

    # Answering

    def _scores(self, table: Table) -> Array:
        """Rows × trees."""
        return np.column_stack([np.empty((table.n_rows, 0)), *(tree.scores(table) for tree in self.trees_)])

    def _probabilities(self, table: Table) -> Array:
        scores = self._scores(table)
        if scores.shape[1] == 1:
            scores = np.column_stack([-scores, scores])
        if scores.shape[1] == 0:
            return np.ones((table.n_rows, 1))
        logs = -np.logaddexp(0.0, -2 * scores)  # of 1 / (1 + exp(−2 s)), which may be 0 for all classes
        shares: Array = np.exp(logs - logs.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        return shares

    def decision_function(self, X: Any) -> Array:
        """The sums of the prediction nodes: of two classes one number a row, positive for the second; else one per
        class."""
        still = self._still()
        still._fitted_schema()
        scores: Array = still._over(X, still._scores)
        return scores if scores.shape[1] > 1 else scores.sum(axis=1)  # of a single class 0

    def _explain(self, table: Table) -> Explanations:
        def decide(row: Table) -> int:
            return int(self._probabilities(row)[0].argmax())

        return explain_scores(self.trees_, table, self.classes_.tolist(), decide)

    def _class_parts(self, row: Table) -> ClassParts | None:
        if len(self.trees_) != 1:  # normalised one against the others: no sum of parts
            return None
        parts, base = parts_of(self.trees_[0], row), float(self.trees_[0].value[0])
        return ClassParts(np.array([-base, base]), np.column_stack([-parts, parts]), "score")

    # Looking at it

    @property
    def feature_importances_(self) -> Array:
        """How much the tests of each column lowered the bound of the training error: shares that sum to 1, or zeros."""
        self._fitted_schema()
        found = np.zeros(self.n_features_in_)
        for tree in self.trees_:
            found += np.bincount(tree.column, tree.gain, len(found))
        return found / found.sum() if found.sum() > 0 else found

    def __str__(self) -> str:
        if "trees_" not in self.__dict__:
            return repr(self)
        from learnt.tree.alternating.words import alternating_text

        return alternating_text(self.trees_, self._schema, self.classes_.tolist())

    def _repr_html_(self) -> str:
        about = super()._repr_html_()
        if "trees_" not in self.__dict__:
            return about
        return f"{about}<div class='learnt-tree' style='overflow:auto;max-height:80vh'>{self.draw().svg}</div>"

    def draw(self, path: Any = None) -> Any:
        """A picture of the trees, for a notebook or, with `path`, as a .svg or .png file."""
        from learnt.tree.alternating.drawing import draw_alternating

        self._fitted_schema()
        drawing = draw_alternating(self.trees_, self._schema, self.classes_.tolist())
        if path is not None:
            drawing.save(path)
        return drawing

    def to_dot(self) -> str:
        """The trees in Graphviz's language."""
        from learnt.tree.alternating.words import alternating_dot

        self._fitted_schema()
        return alternating_dot(self.trees_, self._schema, self.classes_.tolist())

"""C4.5: multiway splits by gain ratio, missing cells as fractions, pruning by pessimistic errors."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Table
from learnt.learner.fields import setting
from learnt.learner.parameters import Flag, OneOf, Real, Seed, Whole
from learnt.tree.arrays import TreeArrays
from learnt.tree.averaging import AVERAGE, AVERAGE_WORDS
from learnt.tree.base import TreeClassifier
from learnt.tree.grow.chi2 import stop_by_chi2
from learnt.tree.grow.exact import GrowOptions, grow
from learnt.tree.grow.thresholds import thresholds_from
from learnt.tree.prune.error_based import collapse, prune_error_based
from learnt.tree.prune.mdl import prune_mdl
from learnt.tree.prune.pruned import Pruned
from learnt.tree.prune.reduced_error import hold_out, prune_reduced_error
from learnt.tree.settings import WINDOW
from learnt.tree.smoothing import SMOOTHING


class C45Classifier(TreeClassifier):
    """Ask at each node about the column whose answer tells most of the class, for the room it takes to tell it.

        gain(S, A)  = H(S) − Σ_b |S_b|/|S| · H(S_b)        ratio(S, A) = gain / H(|S_b|/|S|)

    taking the largest ratio among columns of at least average gain. Nominal columns get a branch for each
    category they declare, numeric ones a threshold that occurs in the data. A row whose cell is missing goes
    down all branches with a part of its weight, when growing and when predicting. Grown trees are pruned:
    a subtree gives way to a leaf, or to its largest branch, if that is expected to err no more.

    >>> table = {"sky": ["sun", "sun", "rain", "rain"], "play": ["yes", "yes", "no", "no"]}
    >>> print(C45Classifier().fit(table, "play"))
    sky is rain: no (2)
    sky is sun: yes (2)

    {settings}

    With the defaults it grows the trees of Weka's J48. Attributes: `tree_`, and `cuts_`, what was pruned and
    why, each numbered in the tree as it was before that step.

    Reference: J. R. Quinlan, C4.5: Programs for Machine Learning, 1993.
    """

    fit_cost = 60.0
    simplicity = 15.0
    search_space: ClassVar[dict[str, Any]] = {"confidence": (0.05, 0.1, 0.25, 0.5), "min_samples_leaf": (10, 5, 2)}

    prune: str | None = setting(
        OneOf("error", "reduced_error", "mdl", None),
        'by pessimistic estimates; "reduced_error": by rows held out; "mdl": by bits; None',
        default="error",
    )
    confidence: float = setting(Real(above=0, high=0.5), "of the pessimistic estimate: less prunes more", default=0.25)
    estimate: Any = setting(
        OneOf("j48", "binomial", "wilson"),
        'that estimate: "j48", C4.5\'s exact "binomial" limit, or the textbook\'s "wilson"',
        default="j48",
    )
    raising: bool = setting(
        Flag(), 'whether pruning by "error" may put a branch in the place of its parent', default=True
    )
    prune_parts: int = setting(
        Whole(2), '"reduced_error": one of so many parts of the rows prunes, the others grow', default=3
    )
    min_samples_leaf: float = setting(Real(above=0), "least weight of two branches of a test", default=2)
    binary: bool = setting(Flag(), "test nominal columns for one category against the others", default=False)
    collapse: bool = setting(
        Flag(), 'first drop subtrees without fewer training errors than a leaf; not for "reduced_error"', default=True
    )
    mdl_correction: bool = setting(Flag(), "charge the gain of a threshold with the bits of choosing it", default=True)
    chi2_alpha: float | None = setting(
        OneOf(None) | Real(above=0, below=1), "stop where a split has a p-value above it", default=None
    )
    smoothing: Any = setting(
        SMOOTHING, 'of leaf probabilities: "laplace", or the m of an m-estimate', default=None, bounds="≥ 0"
    )
    average: Any = setting(AVERAGE, AVERAGE_WORDS, default=None)
    window: Any = setting(
        WINDOW, "grow from so many rows (or that share), adding rows the tree gets wrong; takes a `scan`", default=None
    )
    random_state: Any = setting(Seed(), "seed of the window", default=0)

    def _grown_tree(self, table: Table, codes: Array, weights: Array | None) -> Pruned:
        if self.prune == "reduced_error":
            return self._grown_and_tried(table, codes, weights)
        steps = [self._stopped_tree(self._raw(table, codes, weights))]
        if self.collapse:
            steps.append(collapse(steps[-1].tree))
        if self.prune == "error":
            rows = (table, codes, weights) if self.raising else None
            steps.append(prune_error_based(steps[-1].tree, self.confidence, estimate=self.estimate, rows=rows))
        elif self.prune == "mdl":
            steps.append(prune_mdl(steps[-1].tree, self._schema))
        return _in_a_row(steps)

    def _grown_and_tried(self, table: Table, codes: Array, weights: Array | None) -> Pruned:
        """Grown from all parts of the rows but one, which then prunes."""
        held = hold_out(codes, self.prune_parts)
        ones = np.ones(table.n_rows) if weights is None else weights
        stopped = self._stopped_tree(self._raw(table, codes, np.where(held, 0.0, ones)))
        return _in_a_row([stopped, prune_reduced_error(stopped.tree, table.take(held), codes[held], ones[held])])

    def _stopped_tree(self, tree: TreeArrays) -> Pruned:
        return Pruned(tree, ()) if self.chi2_alpha is None else stop_by_chi2(tree, self.chi2_alpha)

    def _raw(self, table: Table, codes: Array, weights: Array | None) -> TreeArrays:
        options = GrowOptions(
            criterion="gain_ratio",
            nominal="equals" if self.binary else "multiway",
            missing="fractional",
            min_samples_split=2 * self.min_samples_leaf,
            min_samples_leaf=self.min_samples_leaf,
            min_branches=True,
            mdl_correction=bool(self.mdl_correction),
            average_gain=True,
            j48_numeric_minimum=True,
            n_declared_classes=self._n_labels,
        )
        return thresholds_from(grow(table, codes, weights, options, n_classes=len(self.classes_)), table)


def _in_a_row(steps: list[Pruned]) -> Pruned:
    return Pruned(steps[-1].tree, tuple(cut for step in steps for cut in step.cuts))

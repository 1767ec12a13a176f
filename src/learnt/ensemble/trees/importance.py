"""What each column did in the trees of an ensemble."""

from __future__ import annotations

from learnt.data.table import Array
from learnt.ensemble.trees.forest import Forest
from learnt.learner.base import Learner
from learnt.learner.fields import attribute
from learnt.learner.parameters import OneOf, check_parameters


class ImportantColumns(Learner, abstract=True):
    """A learner that keeps a `Forest` as `trees_`."""

    takes_text = "counts"

    trees_: Forest = attribute()

    @property
    def feature_importances_(self) -> Array:
        """How much each column's tests take away of impurity or loss: shares that sum to 1, or zeros without tests."""
        return self.importances()

    def importances(self, kind: str = "gain") -> Array:
        """What each column did: "gain", its share of what all tests gained, or "split", the number of its tests."""
        check_parameters("importances", {"kind": OneOf("gain", "split")}, {"kind": kind})
        self._fitted_schema()
        trees, n = self.trees_, self.n_features_in_
        found: Array = trees.gain_importance(n) if kind == "gain" else trees.split_counts(n)
        return found

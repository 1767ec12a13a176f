"""Classifiers that add up scores round by round: what they answer after each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.ensemble.boosting.losses import shares_of
from learnt.learner.base import Classifier


class StagedClasses(Classifier, abstract=True):
    """Members of the family write `_staged_raw`, the scores after each round; of two classes there is one."""

    def _staged_raw(self, X: Any) -> Iterator[Array]:
        raise NotImplementedError

    def _shares(self, raw: Array) -> Array:
        return np.ones((len(raw), 1)) if len(self.classes_) == 1 else shares_of(raw)

    def staged_predict_proba(self, X: Any) -> Iterator[Array]:
        """`predict_proba` after each round."""
        still = self._still()
        return map(still._shares, still._staged_raw(X))

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """`predict` after each round."""
        still = self._still()
        return (still.classes_[shares.argmax(axis=1)] for shares in still.staged_predict_proba(X))

"""Splits that keep groups together: rows of one patient are never both trained on and tested."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError
from learnt.evaluate.splits.base import Split, Splitter, by_fold, generator, per_row
from learnt.evaluate.splits.k_folds import KFold
from learnt.evaluate.splits.strata import strata_of


class GroupKFold(KFold):
    """A `KFold` that keeps groups together, its parts as equal in size as the groups allow.

    >>> groups = ["a", "a", "b", "c", "c", "c"]
    >>> [test.tolist() for _, test in GroupKFold(2).split(range(6), groups=groups)]
    [[3, 4, 5], [0, 1, 2]]

    Settings as of `KFold`; `shuffle` lets chance decide between groups of one size.
    """

    def _splits(self, n_rows: int, X: Any, y: Any, groups: Any) -> Iterator[Split]:
        codes = group_codes(X, groups)
        sizes = np.bincount(codes)[:, None]
        self._require(self.n_splits, len(sizes), "groups")
        rng = generator(self.random_state) if self.shuffle else None
        yield from by_fold(_folds_of_groups(sizes, self.n_splits, rng)[codes], self.n_splits)


class StratifiedGroupKFold(KFold):
    """A `GroupKFold` that also holds the classes in shares as equal as the groups allow. Settings as of `KFold`.

    >>> y = ["no", "no", "yes", "yes", "no", "no", "yes", "yes"]
    >>> groups = ["a", "a", "b", "b", "c", "c", "d", "d"]
    >>> [test.tolist() for _, test in StratifiedGroupKFold(2).split(range(8), y, groups)]
    [[0, 1, 6, 7], [2, 3, 4, 5]]
    """

    def _splits(self, n_rows: int, X: Any, y: Any, groups: Any) -> Iterator[Split]:
        yield from self._of_strata(strata_of(X, y, self.n_splits), group_codes(X, groups))

    def _of_strata(self, strata: Array, codes: Array) -> Iterator[Split]:
        n_strata = int(strata.max()) + 1
        counts = np.bincount(codes * n_strata + strata, minlength=(int(codes.max()) + 1) * n_strata)
        self._require(self.n_splits, int(codes.max()) + 1, "groups")
        rng = generator(self.random_state) if self.shuffle else None
        fold = _folds_of_groups(counts.reshape(-1, n_strata), self.n_splits, rng)
        yield from by_fold(fold[codes], self.n_splits)


class LeaveOneGroupOut(Splitter):
    """Each group tested by what was learnt from all others: as many splits as groups.

    >>> [test.tolist() for _, test in LeaveOneGroupOut().split(range(4), groups=["b", "a", "b", "c"])]
    [[1], [0, 2], [3]]
    """

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many pairs `split` gives: one per group."""
        return int(group_codes(X, groups).max()) + 1

    def _splits(self, n_rows: int, X: Any, y: Any, groups: Any) -> Iterator[Split]:
        codes = group_codes(X, groups)
        count = int(codes.max()) + 1
        self._require(2, count, "group")
        yield from by_fold(codes, count)


def group_codes(X: Any, groups: Any) -> Array:
    if groups is None:
        raise InputError("The 'groups' parameter should not be None: give the group of each row, or a column's name.")
    return np.unique(per_row(X, groups, "groups"), return_inverse=True)[1]


def _folds_of_groups(counts: Array, n_splits: int, rng: np.random.Generator | None) -> Array:
    """The fold of each group, from its rows per stratum (groups × strata).

    Largest groups first, each goes to the fold that holds least of what the group brings, strata weighing equally
    however rare they are; of equal folds, to the one with fewest rows.
    """
    n_groups = len(counts)
    order = np.arange(n_groups) if rng is None else rng.permutation(n_groups)
    order = order[np.argsort(-counts.sum(axis=1)[order], kind="stable")]
    shares = counts / np.maximum(counts.sum(axis=0), 1)
    held = np.zeros((n_splits, counts.shape[1]))
    rows = np.zeros(n_splits, np.int64)
    fold = np.empty(n_groups, np.int64)
    for group in order.tolist():
        crowding = held @ shares[group]
        fold[group] = chosen = np.lexsort((rows, crowding.round(12)))[0]
        held[chosen] += shares[group]
        rows[chosen] += counts[group].sum()
    # An empty fold would test nothing: it takes the smallest group of the fold with most groups.
    for empty in np.flatnonzero(np.bincount(fold, minlength=n_splits) == 0).tolist():
        giver = np.bincount(fold, minlength=n_splits).argmax()
        fold[[g for g in order.tolist() if fold[g] == giver][-1]] = empty
    return fold

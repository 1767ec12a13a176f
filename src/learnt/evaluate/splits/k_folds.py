"""k-fold splits: every row is tested exactly once, or once per repeat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from learnt.evaluate.splits.base import Split, Splitter, by_fold, count_rows, generator
from learnt.evaluate.splits.strata import dealt, strata_of
from learnt.learner.fields import setting
from learnt.learner.parameters import Flag, Seed, Whole, seed_from


class KFold(Splitter):
    """`n_splits` parts of nearly equal size; each tests once what was learnt from all others.

    >>> [test.tolist() for _, test in KFold(3).split(range(7))]
    [[0, 1, 2], [3, 4], [5, 6]]

    {settings}
    """

    n_splits: int = setting(Whole(2), "number of parts, at least 2", default=5, kw_only=False)
    shuffle: bool = setting(
        Flag(), "whether rows are put into parts by chance, instead of as they follow each other", default=False
    )
    random_state: Any = setting(Seed(), "seed of the shuffle", default=0)

    def _splits(self, n_rows: int, X: Any, y: Any, groups: Any) -> Iterator[Split]:
        self._require(self.n_splits, n_rows)
        fold = np.arange(n_rows) % self.n_splits
        fold.sort()
        if self.shuffle:
            generator(self.random_state).shuffle(fold)
        yield from by_fold(fold, self.n_splits)


class StratifiedKFold(KFold):
    """A `KFold` whose parts all hold the classes in the same shares, to one row.

    >>> y = ["no", "no", "no", "no", "yes", "yes"]
    >>> [test.tolist() for _, test in StratifiedKFold(2).split(range(6), y)]
    [[0, 1, 4], [2, 3, 5]]

    A numeric `y` is cut into tenths, and those are spread evenly. Settings as of `KFold`.
    """

    def _splits(self, n_rows: int, X: Any, y: Any, groups: Any) -> Iterator[Split]:
        self._require(self.n_splits, n_rows)
        rng = generator(self.random_state) if self.shuffle else None
        yield from by_fold(dealt(strata_of(X, y, self.n_splits), self.n_splits, rng), self.n_splits)


class RepeatedKFold(Splitter):
    """A shuffled `KFold`, `n_repeats` times, each time shuffled anew.

    >>> RepeatedKFold(n_splits=5, n_repeats=3).get_n_splits()
    15

    {settings}
    """

    once: ClassVar[type[KFold]] = KFold

    n_splits: int = setting(Whole(2), "number of parts, at least 2", default=5)
    n_repeats: int = setting(Whole(1), "how often", default=10)
    random_state: Any = setting(Seed(), "seed of the shuffles", default=0)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many pairs `split` gives."""
        return self.n_splits * self.n_repeats

    def _splits(self, n_rows: int, X: Any, y: Any, groups: Any) -> Iterator[Split]:
        for seed in seeds(self.random_state, self.n_repeats):
            yield from self.once(self.n_splits, shuffle=True, random_state=seed)._splits(n_rows, X, y, groups)


class RepeatedStratifiedKFold(RepeatedKFold):
    """A shuffled `StratifiedKFold`, `n_repeats` times. Settings as of `RepeatedKFold`."""

    once = StratifiedKFold


class LeaveOneOut(Splitter):
    """Each row tested alone, by what was learnt from all others: as many splits as rows.

    >>> [(train.tolist(), test.tolist()) for train, test in LeaveOneOut().split(range(3))]
    [([1, 2], [0]), ([0, 2], [1]), ([0, 1], [2])]
    """

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many pairs `split` gives: one per row of `X`."""
        return count_rows(X, y, groups)

    def _splits(self, n_rows: int, X: Any, y: Any, groups: Any) -> Iterator[Split]:
        self._require(2, n_rows)
        rows = np.arange(n_rows)
        for row in range(n_rows):
            yield np.delete(rows, row), rows[row : row + 1].copy()


def seeds(random_state: Any, count: int) -> list[int]:
    """Independent seeds, the first ones the same however many are asked for."""
    sequence = np.random.SeedSequence(seed_from(random_state))
    return [int(child.generate_state(1, np.uint32)[0]) for child in sequence.spawn(count)]

"""Splits by chance: one hold-out after another, and the bootstrap."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError, ParameterError
from learnt.evaluate.splits.base import Split, Splitter, generator
from learnt.evaluate.splits.strata import strata_of
from learnt.learner.fields import setting
from learnt.learner.parameters import Domain, OneOf, Real, Seed, Whole
from learnt.show.words import spell

SIZE: Domain = OneOf(None) | Whole(1) | Real(above=0, below=1)


class ShuffleSplit(Splitter):
    """`n_splits` independent hold-outs, each drawn from all rows.

    >>> train, test = next(ShuffleSplit(test_size=0.25, random_state=0).split(range(8)))
    >>> len(train), len(test)
    (6, 2)

    {settings}
    """

    n_splits: int = setting(Whole(1), "how many", default=10, kw_only=False)
    test_size: Any = setting(
        SIZE, "rows to test on: a share below 1, or a count; None: what `train_size` leaves, else a tenth", default=None
    )
    train_size: Any = setting(SIZE, "rows to train on; None: all that are not tested", default=None)
    random_state: Any = setting(Seed(), "seed", default=0)

    def _splits(self, n_rows: int, X: Any, y: Any, groups: Any) -> Iterator[Split]:
        n_train, n_test = part_sizes(n_rows, self.train_size, self.test_size, 0.1)
        rng = generator(self.random_state)
        for _ in range(self.n_splits):
            rows = rng.permutation(n_rows)
            yield rows[n_test : n_test + n_train], rows[:n_test]


class StratifiedShuffleSplit(ShuffleSplit):
    """A `ShuffleSplit` whose parts hold the classes (or the tenths of a numeric `y`) in the shares of the whole.

    >>> y = ["no"] * 6 + ["yes"] * 3
    >>> _, test = next(StratifiedShuffleSplit(test_size=3, random_state=0).split(range(9), y))
    >>> sorted(y[i] for i in test)
    ['no', 'no', 'yes']
    """

    def _splits(self, n_rows: int, X: Any, y: Any, groups: Any) -> Iterator[Split]:
        n_train, n_test = part_sizes(n_rows, self.train_size, self.test_size, 0.1)
        strata, rng = strata_of(X, y, 2), generator(self.random_state)
        for _ in range(self.n_splits):
            test = spread(np.arange(n_rows), strata, n_test, rng)
            rest = np.setdiff1d(np.arange(n_rows), test)
            train = rest if n_train == len(rest) else spread(rest, strata, n_train, rng)
            yield rng.permutation(train), rng.permutation(test)


class Bootstrap632(Splitter):
    """As many rows as there are, drawn with replacement to train on; those never drawn are tested.

    A row is left out with probability (1 − 1/n)ⁿ → 1/e, so that a test part holds about 36.8 % of the rows, and a
    training part 63.2 % of them, some repeatedly.

    >>> train, test = next(Bootstrap632(random_state=0).split(range(1000)))
    >>> len(train), len(test), len(set(train.tolist()) & set(test.tolist()))
    (1000, 362, 0)

    {settings}

    Reference: B. Efron, R. Tibshirani, An Introduction to the Bootstrap, 1993, chapter 17.
    """

    n_splits: int = setting(Whole(1), "how many", default=200, kw_only=False)
    random_state: Any = setting(Seed(), "seed", default=0)

    def _splits(self, n_rows: int, X: Any, y: Any, groups: Any) -> Iterator[Split]:
        if n_rows < 2:
            raise InputError("A bootstrap of one row never leaves it out to be tested. Give at least two rows.")
        rng = generator(self.random_state)
        for _ in range(self.n_splits):
            left_out: Array = np.empty(0)
            while len(left_out) == 0:  # of very few rows all may be drawn
                train = np.sort(rng.integers(n_rows, size=n_rows))
                left_out = np.flatnonzero(np.bincount(train, minlength=n_rows) == 0)
            yield train, left_out


def part_sizes(n_rows: int, train_size: Any, test_size: Any, default_test: float) -> tuple[int, int]:
    """Rows to train and to test on; shares are rounded up for the test, down for the training, as scikit-learn does."""
    for name, size in (("train_size", train_size), ("test_size", test_size)):
        if size not in SIZE:
            raise ParameterError(f"{name}={spell(size)} is not allowed. Expected {SIZE.words}.")
    if test_size is None and train_size is None:
        test_size = default_test
    n_test = None if test_size is None else _count(test_size, n_rows, math.ceil)
    n_train = None if train_size is None else _count(train_size, n_rows, math.floor)
    n_test = n_rows - (n_train or 0) if n_test is None else n_test
    n_train = n_rows - n_test if n_train is None else n_train
    if n_train < 1 or n_test < 1 or n_train + n_test > n_rows:
        raise InputError(
            f"Of {n_rows} rows, {n_train} would be trained on and {n_test} tested (train_size={spell(train_size)}, "
            f"test_size={spell(test_size)}). Expected at least one each, and no more than there are. Change the sizes."
        )
    return n_train, n_test


def _count(size: Any, n_rows: int, rounded: Any) -> int:
    if size in Whole():
        return int(size)
    # A share such as 0.1 of 30 rows is 3 rows, though 0.1 * 30 lies a bit above 3.
    return int(rounded(round(size * n_rows, 9)))


def spread(rows: Array, strata: Array, count: int, rng: np.random.Generator) -> Array:
    """`count` of the rows, of each stratum its share to one row, by chance within.

    Every (n/count)-th of the shuffled rows in the order of their strata, counted from a random start.
    """
    rows = rng.permutation(rows)
    rows = rows[np.argsort(strata[rows], kind="stable")]
    return np.sort(rows[(np.arange(count) * len(rows) + rng.integers(len(rows))) // count])

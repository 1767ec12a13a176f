"""Splits in the order of time: the past trains, what comes next is tested."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from learnt.errors import InputError
from learnt.evaluate.splits.base import Split, Splitter
from learnt.learner.fields import setting
from learnt.learner.parameters import OneOf, Whole


class TimeSeriesSplit(Splitter):
    """Rows in the order of time; each split tests the rows that follow those it trains on.

    >>> [(train.tolist(), test.tolist()) for train, test in TimeSeriesSplit(2, gap=1).split(range(6))]
    [([0], [2, 3]), ([0, 1, 2], [4, 5])]

    {settings}
    """

    n_splits: int = setting(Whole(2), "how many", default=5, kw_only=False)
    max_train_size: int | None = setting(OneOf(None) | Whole(1), "most rows to train on, the latest ones", default=None)
    test_size: int | None = setting(OneOf(None) | Whole(1), "rows to test on; None: n / (n_splits + 1)", default=None)
    gap: int = setting(Whole(0), "rows left out between training and test", default=0)

    def _splits(self, n_rows: int, X: Any, y: Any, groups: Any) -> Iterator[Split]:
        size = self.test_size or n_rows // (self.n_splits + 1)
        start = n_rows - self.n_splits * size
        if size == 0 or start - self.gap <= 0:
            raise InputError(
                f"{n_rows} rows are too few for n_splits={self.n_splits} tests of {max(size, 1)} rows with a gap of "
                f"{self.gap} after the training. Choose fewer or smaller ones."
            )
        for first in range(start, n_rows, size):
            stop = first - self.gap
            begin = 0 if self.max_train_size is None else max(0, stop - self.max_train_size)
            yield np.arange(begin, stop), np.arange(first, first + size)

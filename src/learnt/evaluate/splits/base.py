"""What all splitters share: scikit-learn's protocol, settings, and how rows, targets and groups are read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from learnt.data.convert import to_vector
from learnt.data.table import Array, Table, unknown_column
from learnt.errors import InputError
from learnt.learner.fields import attribute
from learnt.learner.parameters import seed_from
from learnt.learner.settings import Settings
from learnt.show.words import spell

Split = tuple[Array, Array]


class Splitter(Settings):
    """Cuts rows into parts to train on and to test on. Members write `_splits`, a generator.

    Splits are made one at a time, as row numbers in int64, and are the same again for the same `random_state`.
    """

    n_splits: int = attribute()

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Pairs of row numbers, (train, test). `y` and `groups` are arrays or names of columns of `X`."""
        self._check_parameters()
        yield from self._splits(count_rows(X, y, groups), X, y, groups)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many pairs `split` gives."""
        return self.n_splits

    def _splits(self, n_rows: int, X: Any, y: Any, groups: Any) -> Iterator[Split]:
        raise NotImplementedError

    def _require(self, count: int, n_rows: int, what: str = "rows") -> None:
        if n_rows < count:
            raise InputError(
                f"{type(self).__name__} was asked for n_splits={count}, but there are only {n_rows} {what}. "
                "Choose fewer splits."
            )


def count_rows(X: Any, y: Any = None, groups: Any = None) -> int:
    """The number of rows of whatever is given; an error where they differ."""
    given = [("X", X), ("y", y), ("groups", groups)]
    lengths = {name: _length(what) for name, what in given if what is not None and not isinstance(what, str)}
    if not lengths:
        raise InputError("There are no rows to split: X, y and groups are all absent. Give X.")
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise InputError(f"The numbers of rows differ: {told}. Expected the same rows in each.")
    n_rows = next(iter(lengths.values()))
    if n_rows == 0:
        raise InputError("There are no rows to split: Found array with 0 sample(s). Give at least one.")
    return n_rows


def _length(data: Any) -> int:
    shape = getattr(data, "shape", None)
    if shape:
        return int(shape[0])
    return Table(data).n_rows if isinstance(data, dict) else len(data)


def per_row(X: Any, values: Any, what: str) -> Array:
    """`values`, an array or the name of a column of `X`, as one array of numbers: codes where they are labels.

    Missing ones are an error.
    """
    if isinstance(values, str):
        table = X if isinstance(X, Table) else Table(X)
        if values not in table:
            raise InputError(f"{what}={spell(values)} names a column. {unknown_column(values, table.names)}")
        column = table[values]
    else:
        column = to_vector(values, what)
    if column.missing.any():
        row = int(np.flatnonzero(column.missing)[0])
        raise InputError(
            f"{int(column.missing.sum())} value(s) of {what} are missing, first in row {row}. Leave those rows out."
        )
    return column.values


def generator(random_state: Any) -> np.random.Generator:
    return np.random.default_rng(seed_from(random_state))


def by_fold(fold: Array, n_splits: int) -> Iterator[Split]:
    """The pairs of a k-fold, from the number of the fold that tests each row."""
    for number in range(n_splits):
        yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)

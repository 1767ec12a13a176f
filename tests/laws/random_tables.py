"""Random tables by seed: numbers in both precisions, whole numbers, labels, ordered labels, booleans, dates, gaps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnt import Table

SIZES = ["S", "M", "L", "XL"]
WORDS = ["rain", "sun", "snow", "fog", "hail", "wind", "storm", "frost", "cloud", "thaw"]


@dataclass(frozen=True)
class RandomTable:
    """Cells by column (or documents), a target for each row, and weights that are whole numbers, zeros among them."""

    cells: dict[str, Any] | list[Any]
    target: Any
    counts: Any

    @property
    def n_rows(self) -> int:
        return len(self.counts)

    @property
    def rows(self) -> Any:
        return given(self.cells)

    def take(self, rows: Any) -> RandomTable:
        target = None if self.target is None else self.target[rows]
        return RandomTable(take(self.cells, rows), target, self.counts[rows])

    def with_columns(self, more: dict[str, Any]) -> RandomTable:
        assert isinstance(self.cells, dict)
        return replace(self, cells=self.cells | more)

    def among(self, others: RandomTable, rng: Any) -> tuple[RandomTable, Any]:
        """Both, the rows of the others strewn among these; and which of all rows are these."""
        mine = np.ones(self.n_rows + others.n_rows, bool)
        mine[rng.choice(np.arange(3, len(mine)), others.n_rows, replace=False)] = False  # the first three are starts
        order = np.empty(len(mine), np.int64)
        order[mine], order[~mine] = np.arange(self.n_rows), self.n_rows + np.arange(others.n_rows)
        if isinstance(self.cells, dict):
            cells: Any = {name: joined(column, others.cells[name]) for name, column in self.cells.items()}
        else:
            cells = [*self.cells, *others.cells]
        target = None if self.target is None else joined(self.target, others.target)
        return RandomTable(cells, target, joined(self.counts, others.counts)).take(order), mine


def given(cells: Any) -> Any:
    """Cells as a learner gets them: a table, its labels those that are there; documents as they are."""
    if not isinstance(cells, dict):
        return cells
    return Table(cells, ordinal={name: SIZES for name in cells if name.startswith("size")})


def joined(one: Any, other: Any) -> Any:
    return np.concatenate([one, other]) if isinstance(one, np.ndarray) else [*one, *other]


def take(cells: Any, rows: Any) -> Any:
    if not isinstance(cells, dict):
        return [cells[i] for i in rows]
    return {
        name: column[rows] if isinstance(column, np.ndarray) else [column[i] for i in rows]
        for name, column in cells.items()
    }


def random_table(
    seed: int, *, needs: Any = None, nominal: bool = True, missing: bool = True, counts: bool = False
) -> RandomTable:
    """A table of 24 to 48 rows. `needs` is the kind of target; `counts` allows no number below 0."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(24, 49))
    cells = _numbers(rng, n)
    if counts:
        cells = {name: np.abs(column) for name, column in cells.items()}
    score = sum((column - column.mean()) / column.std() for column in cells.values()) + rng.normal(size=n)
    if nominal:
        cells |= _labels(rng, n)
    if missing:
        for name, column in cells.items():
            empty = np.flatnonzero(rng.random(n) < rng.choice([0.0, 0.1, 0.4]))
            _empty(column, empty[empty > 2], name)
    return RandomTable(cells, _target(rng, score, needs), _counts(rng, n))


def random_documents(seed: int, *, needs: Any = None) -> RandomTable:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(24, 49))
    texts = [" ".join(rng.choice(WORDS, int(rng.integers(1, 8)))) for _ in range(n)]
    score = np.array([text.count("s") for text in texts]) + rng.normal(size=n)
    return RandomTable(texts, _target(rng, score, needs), _counts(rng, n))


def _numbers(rng: Any, n: int) -> dict[str, Any]:
    cells: dict[str, Any] = {f"x{j}": rng.normal(size=n) for j in range(int(rng.integers(1, 4)))}
    cells["short"] = rng.gamma(2.0, 3.0, n).astype(np.float32)
    if rng.random() < 0.5:
        cells["whole"] = rng.integers(0, 6, n).astype(np.float64)
    if rng.random() < 0.5:
        cells["large"] = 1e6 + 30 * rng.normal(size=n)
    return cells


def _labels(rng: Any, n: int) -> dict[str, Any]:
    cells: dict[str, Any] = {"town": [f"town {c}" for c in rng.integers(0, rng.integers(2, 6), n)]}
    if rng.random() < 0.7:
        cells["size"] = [SIZES[c] for c in rng.integers(0, 4, n)]
    if rng.random() < 0.7:
        cells["owned"] = [bool(b) for b in rng.integers(0, 2, n)]
    if rng.random() < 0.7:
        cells["built"] = np.datetime64("2001-01-01") + rng.integers(0, 5000, n)
    return cells


def _empty(column: Any, rows: Any, name: str) -> None:
    for i in rows:
        column[i] = np.datetime64("NaT") if name == "built" else np.nan if isinstance(column, np.ndarray) else None


def _target(rng: Any, score: Any, needs: Any) -> Any:
    if needs == "numbers":
        return (10 + 3 * score).round(3)
    if needs == "classes":
        classes = int(rng.integers(2, 4))
        return np.array(["no", "yes", "maybe"])[np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))]
    return None


def _counts(rng: Any, n: int) -> Any:
    counts = rng.integers(0, 4, n)
    counts[:3] = 1, 2, 1  # given starts are the first rows: they count
    return counts


def wild_rows(like: RandomTable, seed: int) -> RandomTable:
    """Five rows far away from all others, with labels and a class that no other row has, and weights of 0."""
    rng = np.random.default_rng(seed)
    n = 5
    if isinstance(like.cells, dict):
        cells: Any = {name: _wild(column, name, rng, n) for name, column in like.cells.items()}
    else:
        cells = [f"ghost {word}" for word in rng.choice(WORDS, n)]
    target = like.target
    if target is not None:
        target = np.full(n, "ghost") if target.dtype.kind in "UO" else np.full(n, 1e7)
    return RandomTable(cells, target, np.zeros(n, np.int64))


def _wild(column: Any, name: str, rng: Any, n: int) -> Any:
    if name == "built":
        return np.datetime64("2901-01-01") + rng.integers(0, 5000, n)
    if isinstance(column, np.ndarray):
        wild = np.abs(1e7 * rng.normal(size=n)).astype(column.dtype)
        wild[0] = np.nan
        return wild
    if name == "owned":
        return [None, True, False, True, False]
    return [None, "ghost", "ghost", "phantom", "ghost"] if name == "town" else [None, "S", "XL", "S", "M"]

"""Is it a metric? The axioms tested on data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.distance.all_pairs import pairwise
from learnt.distance.own import as_rows
from learnt.distance.resolving import resolve
from learnt.errors import InputError, ParameterError
from learnt.show.words import spell
from learnt.statistics.sample import sample_places


@dataclass(frozen=True)
class AxiomFailure:
    """An axiom that does not hold, the rows that show it most clearly, and how many pairs or triples do."""

    axiom: str
    rows: tuple[int, ...]
    distances: tuple[float, ...]
    count: int
    words: str

    def __str__(self) -> str:
        return f"{self.axiom}: {self.words} ({self.count} such)"


@dataclass(frozen=True)
class MetricCheck:
    """What `check_metric` found. `holds` says whether all axioms do, on the rows tested."""

    n_rows: int
    n_tested: int
    failures: tuple[AxiomFailure, ...]

    @property
    def holds(self) -> bool:
        return not self.failures

    def __getitem__(self, axiom: str) -> AxiomFailure | None:
        """The failure of an axiom by its name; None if it holds."""
        if axiom not in AXIOMS:
            raise KeyError(f"There is no axiom {axiom!r}. There are {', '.join(map(repr, AXIOMS))}.")
        return next((failure for failure in self.failures if failure.axiom == axiom), None)

    def __str__(self) -> str:
        of = "" if self.n_tested == self.n_rows else f" of {self.n_rows}, drawn by chance"
        head = f"{self.n_tested} rows{of}, {self.n_tested**2} pairs, {self.n_tested**3} triples: "
        if self.holds:
            return head + "all axioms hold."
        fail = "fails" if len(self.failures) == 1 else "fail"
        head += f"{len(self.failures)} of {len(AXIOMS)} axioms {fail}."
        return "\n  ".join([head, *map(str, self.failures)])


AXIOMS = ("non-negativity", "identity", "separation", "symmetry", "triangle")


def check_metric(
    metric: Any, X: Any, *, tolerance: float = 1e-9, max_rows: int = 200, random_state: int = 0, **settings: Any
) -> MetricCheck:
    """Test on rows whether distances are those of a metric, and say which axiom fails for which rows.

        non-negativity   d(a, b) ≥ 0, and a number
        identity         d(a, a) = 0
        separation       d(a, b) = 0 only if a = b
        symmetry         d(a, b) = d(b, a)
        triangle         d(a, c) ≤ d(a, b) + d(b, c)

    >>> print(check_metric(lambda a, b: float(abs(a[0] - b[0])) ** 2, [[0.0], [1.0], [3.0]]))
    3 rows, 9 pairs, 27 triples: 1 of 5 axioms fails.
      triangle: d(0, 2) = 9 > d(0, 1) + d(1, 2) = 1 + 4 (2 such)

    All pairs and triples of up to `max_rows` rows are tried; of more rows, as many drawn by a hash of
    `random_state` and the row's number. `tolerance` is the share of the distances that rounding may
    take; `settings` are those of `resolve`.
    """
    if not 0 <= tolerance < 1:
        raise ParameterError(f"tolerance is {spell(tolerance)}. Expected a number from 0 up to 1.")
    if not (isinstance(max_rows, int) and max_rows >= 1):
        raise ParameterError(f"max_rows is {spell(max_rows)}. Expected a whole number of at least 1.")
    rows = X if isinstance(X, (list, tuple, np.ndarray, Table)) else Table(X)
    n = len(rows)
    if n == 0:
        raise InputError("There are no rows to test the metric on. Give at least one.")
    picked = _picked_rows(n, max_rows, random_state)
    # Ranges and covariances are those of all rows; the distances only of the few.
    if isinstance(metric, str) and not _texts(rows):
        metric, settings = resolve(metric, rows, **settings), {}
    some = _take_rows(rows, picked)
    d = pairwise(some, _take_rows(rows, picked), metric, **settings)
    return MetricCheck(n, len(picked), tuple(_failures(d, some, picked, tolerance)))


def _picked_rows(n: int, most: int, seed: int) -> Array:
    return sample_places(n, most, seed)


def _texts(rows: Any) -> bool:
    return isinstance(rows, (list, tuple)) and all(isinstance(row, str) for row in rows)


def _take_rows(rows: Any, picked: Array) -> Any:
    if isinstance(rows, Table):
        return rows.take(picked)
    return rows[picked] if isinstance(rows, np.ndarray) else [rows[i] for i in picked]


def _failures(d: Array, rows: Any, names: Array, tolerance: float) -> Iterator[AxiomFailure]:
    def distance_text(i: int, j: int) -> str:
        return f"d({names[i]}, {names[j]}) = {d[i, j]:g}"

    def failure(
        axiom: str, places: tuple[int, ...], pairs: list[tuple[int, int]], count: int, words: str
    ) -> AxiomFailure:
        distances = tuple(float(d[pair]) for pair in pairs)
        return AxiomFailure(axiom, tuple(int(names[i]) for i in places), distances, count, words)

    wrong = ~(d >= 0)
    if wrong.any():
        i, j = _worst(np.where(np.isnan(d), np.inf, -d), wrong)
        words = f"{distance_text(i, j)} is not a number" if np.isnan(d[i, j]) else f"{distance_text(i, j)} < 0"
        yield failure("non-negativity", (i, j), [(i, j)], int(wrong.sum()), words)
    # A broken distance shall be told once, not by every triangle it is a side of.
    d = np.where(wrong, np.inf, d)
    there = np.isfinite(d)
    least = tolerance * float(d[there].max(initial=0.0))
    own = np.diagonal(d)
    if np.any(own > least):
        i = int(np.argmax(own))
        yield failure("identity", (i,), [(i, i)], int((own > least).sum()), f"{distance_text(i, i)}, not 0")
    same = [(i, j) for i, j in np.argwhere(np.triu(d == 0, 1)) if not _equal(rows, i, j)]
    if same:
        i, j = same[0]
        words = f"{distance_text(i, j)}, although the rows differ"
        yield failure("separation", (i, j), [(i, j)], len(same), words)
    with np.errstate(invalid="ignore"):
        skew = np.where(d == d.T, 0.0, np.abs(d - d.T)) - tolerance * np.maximum(d, d.T)
    skew = np.where(wrong | wrong.T, -np.inf, np.where(np.isnan(skew), np.inf, skew))
    if np.any(skew > 0):
        i, j = _worst(skew, np.triu(skew > 0))
        words = f"{distance_text(i, j)}, but {distance_text(j, i)}"
        yield failure("symmetry", (i, j), [(i, j), (j, i)], int((np.triu(skew) > 0).sum()), words)
    found = _triangle(d, tolerance)
    if found is not None:
        (i, j, k), count = found
        words = (
            f"{distance_text(i, k)} > d({names[i]}, {names[j]}) + d({names[j]}, {names[k]}) = {d[i, j]:g} + {d[j, k]:g}"
        )
        yield failure("triangle", (i, j, k), [(i, k), (i, j), (j, k)], count, words)


def _triangle(d: Array, tolerance: float) -> tuple[tuple[int, int, int], int] | None:
    """The triple whose detour saves the greatest part of the way, and how many save any."""
    count, most, where = 0, 0.0, None
    finite = np.where(np.isfinite(d), d, 0.0)  # the way itself; a detour may be infinite
    for j in range(len(d)):
        detour = d[:, j, None] + d[None, j, :]
        saved = np.where(detour < finite * (1 - tolerance), 1 - detour / np.where(finite > 0, finite, 1), 0.0)
        count += int((saved > 0).sum())
        if saved.max() > most:
            most = float(saved.max())
            i, k = np.unravel_index(int(saved.argmax()), saved.shape)
            where = (int(i), j, int(k))
    return None if where is None else (where, count)


def _worst(badness: Array, among: Array) -> tuple[int, int]:
    i, j = np.unravel_index(int(np.argmax(np.where(among, badness, -np.inf))), badness.shape)
    return int(i), int(j)


def _equal(rows: Any, i: int, j: int) -> bool:
    a, b = (as_rows(_take_rows(rows, np.array([place])))[0] for place in (i, j))
    return bool(np.array_equal(a, b)) if isinstance(a, np.ndarray) else bool(a == b)

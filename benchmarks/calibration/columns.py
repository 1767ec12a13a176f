"""Tests of single columns: scores of `SelectFeatures`, and whether a tree's split may be chance."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy import stats

from calibration import ALPHA, group, one_by_one
from learnt import SelectFeatures, Table
from learnt.data.table import Column
from learnt.tree.grow.chi2 import independence_p


def _table(rng: np.random.Generator, n: int) -> Table:
    """A number and a column of three categories."""
    codes = rng.integers(0, 3, n).astype(np.int32)
    return Table.of_columns(
        [Column("x", "numeric", rng.normal(size=n)), Column("kind", "nominal", codes, ("a", "b", "c"))]
    )


@cache
def halves_level(n: int) -> float:
    """Of two numbers cut in halves: the level of the G-test with Williams's correction, over all 2 × 2 tables."""
    if n != 30:  # more intervals, and steps too small to matter
        return float("nan")
    a = np.arange(1, n // 2)
    cells = np.stack([a, n // 2 - a]) * 1.0
    g = 4 * (cells * np.log(4 * cells / n)).sum(axis=0) / (1 + 9 / (6 * n))
    return float(stats.hypergeom.pmf(a, n, n // 2, n // 2)[stats.chi2.sf(g, 1) <= ALPHA].sum())


FEWER = {30: 4_000, 1000: 2_000}  # 20,000 runs at one size


@group("a number and three categories, which have nothing to do with two classes", fewer=FEWER)
@one_by_one
def columns_and_classes(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    table, y = _table(rng, n), np.array(["no", "yes"])[rng.integers(0, 2, n)]
    found: dict[str, float | bool] = {}
    for criterion in ("chi2", "correlation", "mutual_information"):
        p = SelectFeatures(criterion=criterion, k=1).fit(table, y).p_values_
        found[f"SelectFeatures('{criterion}'), a number"] = float(p[0])
        found[f"SelectFeatures('{criterion}'), categories"] = float(p[1])
    return found


@group(
    "a number and three categories, which have nothing to do with a number",
    fewer=FEWER,
    reachable={"SelectFeatures('mutual_information') of numbers, a number": halves_level},
)
@one_by_one
def columns_and_numbers(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    table, y = _table(rng, n), rng.normal(size=n)
    found: dict[str, float | bool] = {}
    for criterion in ("correlation", "mutual_information"):
        p = SelectFeatures(criterion=criterion, k=1).fit(table, y).p_values_
        found[f"SelectFeatures('{criterion}') of numbers, a number"] = float(p[0])
        found[f"SelectFeatures('{criterion}') of numbers, categories"] = float(p[1])
    return found


@group(
    "two branches and two classes of n rows, independent",
    known={
        "ID3Classifier(chi2_correction='yates')": "cautious: as the exact test",
        "ID3Classifier(chi2_correction='exact')": "cautious: counts cannot meet every level",
    },
)
@one_by_one
def branches(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    counts = np.bincount(2 * rng.integers(0, 2, n) + rng.integers(0, 2, n), minlength=4).reshape(2, 2)
    found: dict[str, float | bool] = {}
    for correction in ("none", "yates", "exact"):
        found[f"ID3Classifier(chi2_correction='{correction}')"] = independence_p(counts, correction)  # type: ignore[arg-type]
    return found

"""Tests of single columns: scores of `SelectFeatures`, and whether a tree's split may be chance."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy import stats

from calibration import ALPHA, Answers, group, one_by_one
from learnt import SelectFeatures, Table
from learnt.data.table import Column
from learnt.prepare.selection.column_scores import TESTED
from learnt.tree.grow.chi2 import independence_p

#: Columns of each kind in a table. Given the target they are independent, and a table of many costs little more.
WIDTH = 10


def _p_values(rng: np.random.Generator, criterion: str, n: int, target: np.ndarray) -> dict[str, np.ndarray]:
    """Of columns of numbers, and of columns of three categories."""
    kinds = rng.integers(0, 3, (WIDTH, n)).astype(np.int32)
    numbers = [Column(f"x{j}", "numeric", rng.normal(size=n)) for j in range(WIDTH)]
    nominal = [Column(f"kind{j}", "nominal", kinds[j], ("a", "b", "c")) for j in range(WIDTH)]
    p = SelectFeatures(criterion=criterion, k=1).fit(Table.of_columns([*numbers, *nominal]), target).p_values_
    return {"a number": p[:WIDTH], "categories": p[WIDTH:]}


def _tables(rng: np.random.Generator, n: int, times: int, of_numbers: bool) -> Answers:
    found: dict[str, list[np.ndarray]] = {}
    for _ in range(-(-times // WIDTH)):
        target = rng.normal(size=n) if of_numbers else np.array(["no", "yes"])[rng.integers(0, 2, n)]
        for criterion in ("correlation", "mutual_information") if of_numbers else TESTED:
            for kind, p in _p_values(rng, criterion, n, target).items():
                of = " of numbers" if of_numbers else ""
                found.setdefault(f"SelectFeatures('{criterion}'){of}, {kind}", []).append(p)
    return {name: np.concatenate(p)[:times] for name, p in found.items()}


@cache
def halves_level(n: int) -> float:
    """Of two numbers cut in halves: the level of the G-test with Williams's correction, over all 2 × 2 tables."""
    if n != 30:  # more intervals, and steps too small to matter
        return float("nan")
    a = np.arange(1, n // 2)
    cells = np.stack([a, n // 2 - a]) * 1.0
    g = 4 * (cells * np.log(4 * cells / n)).sum(axis=0) / (1 + 9 / (6 * n))
    return float(stats.hypergeom.pmf(a, n, n // 2, n // 2)[stats.chi2.sf(g, 1) <= ALPHA].sum())


@group("a number and three categories, which have nothing to do with two classes")
def columns_and_classes(rng: np.random.Generator, n: int, times: int) -> Answers:
    return _tables(rng, n, times, of_numbers=False)


@group(
    "a number and three categories, which have nothing to do with a number",
    reachable={"SelectFeatures('mutual_information') of numbers, a number": halves_level},
)
def columns_and_numbers(rng: np.random.Generator, n: int, times: int) -> Answers:
    return _tables(rng, n, times, of_numbers=True)


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

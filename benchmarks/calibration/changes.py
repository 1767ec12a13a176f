"""Whether something is other than it was, or hangs together: drift of tables, novel rows, links of a network."""

from __future__ import annotations

import math

import numpy as np

from calibration import ALPHA, Answers, group, holds, one_by_one
from learnt import NoveltyDetector, find_drift
from learnt.data.table import Column
from learnt.drift.columns import compare_columns
from learnt.graphical.structure.independence import independence_test

WORDS = ("a", "b", "c")


def _steps_of_kolmogorov_smirnov(n: int) -> float:
    """The largest level up to .05 of two samples of n: P(D ≥ h/n) = 2 Σ_j (−1)^(j−1) C(2n, n − jh) / C(2n, n)."""
    every = math.comb(2 * n, n)
    tails = (
        2 * sum((-1) ** (j - 1) * math.comb(2 * n, n - j * h) for j in range(1, n // h + 1)) / every
        for h in range(1, n + 1)
    )
    return next((tail for tail in tails if tail <= ALPHA), 0.0)


@group(
    "a number, with and without gaps, and three categories; both tables of n rows drawn alike",
    reachable={"find_drift().columns, a number": _steps_of_kolmogorov_smirnov},
)
@one_by_one
def drift_of_columns(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    numbers = rng.normal(size=(2, n))
    gaps = np.where(rng.random((2, n)) < 0.2, np.nan, rng.normal(size=(2, n)))
    codes = rng.integers(0, 3, (2, n)).astype(np.int32)
    pairs = {
        "a number": [Column("x", "numeric", cells) for cells in numbers],
        "gaps": [Column("x", "numeric", cells) for cells in gaps],
        "categories": [Column("x", "nominal", cells, WORDS) for cells in codes],
    }
    return {f"find_drift().columns, {what}": compare_columns(old, new).p_value for what, (old, new) in pairs.items()}


@group("two numbers and three categories; both tables of n rows drawn alike", (100,))
@one_by_one
def tables_alike(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    def drawn() -> dict[str, np.ndarray]:
        x, y = rng.normal(size=(2, n))
        return {"x": x, "y": y, "kind": np.array(WORDS)[rng.integers(0, 3, n)]}

    told = find_drift(drawn(), drawn(), random_state=int(rng.integers(2**31))).told_apart
    assert told is not None
    return {
        "find_drift().told_apart": told.p_value,
        "find_drift().told_apart, area": holds((told.auc.low, told.auc.high), 0.5),
    }


def _steps_of_ranks(n: int) -> float:
    """Of n rows held out: a p-value is a whole number of 1/(n + 1)."""
    return math.floor(ALPHA * (n + 1)) / (n + 1)


@group(
    "one new row like the n fitted ones, two Gaussian columns",
    reachable={f"NoveltyDetector('{method}').p_values": _steps_of_ranks for method in ("distance", "forest")},
    known={"NoveltyDetector('distance').p_values": "cautious: rows held out are judged by models of fewer rows"},
)
@one_by_one
def novel_rows(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    x, seed = rng.normal(size=(n + 1, 2)), int(rng.integers(2**31))
    return {
        "NoveltyDetector('distance').p_values": _p_value(NoveltyDetector("distance", random_state=seed), x),
        "NoveltyDetector('forest').p_values": _p_value(
            NoveltyDetector("forest", n_estimators=20, random_state=seed), x
        ),
    }


def _p_value(detector: NoveltyDetector, x: np.ndarray) -> float:
    return float(detector.fit(x[:-1]).p_values(x[-1:])[0])


@group(
    "three categories and two that have nothing to do with each other, given two others",
    known={
        "`learn_structure(method='pc', test='g2')`, G²": "too easy for few rows: test='chi2', the default, is for them"
    },
)
def links(rng: np.random.Generator, n: int, times: int) -> Answers:
    given, x, z = rng.integers(0, 2, (times, n)), rng.integers(0, 3, (times, n)), rng.integers(0, 2, (times, n))
    places = (given * 3 + x) * 2 + z + 12 * np.arange(times)[:, None]
    tables = np.bincount(places.ravel(), minlength=12 * times).reshape(times, 2, 3, 2)
    names = {"chi2": "`learn_structure(method='pc')`, χ²", "g2": "`learn_structure(method='pc', test='g2')`, G²"}
    return {names[test]: np.array([independence_test(table, test)[2] for table in tables]) for test in names}

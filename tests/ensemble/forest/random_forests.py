"""Random tables of all kinds of columns, and forests of random trees that test them."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest

from learnt import _core
from learnt.data.table import Column, Table
from learnt.ensemble.trees.forest import Forest
from learnt.tree.grow.exact import GrowOptions, grow

LEVELS = ("baseline", "avx2", "avx512")


@contextmanager
def at_level(name):
    """With the instructions of one level, where the processor has them."""
    before = _core.simd_level()
    try:
        _core.set_simd_level(name)
    except ValueError:
        pytest.skip("this processor has no such instructions")
    try:
        yield
    finally:
        _core.set_simd_level(before)


def numbers(seed, n=150, p=4, dtype=np.float64, missing=0.1):
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=(n, p)), 2).astype(dtype)
    x[rng.random((n, p)) < missing] = np.nan
    return Table(x)


def mixed(seed, n=150, *, many=300, missing=0.1, dtype=np.float64):
    """Numbers, few and many categories (some never seen), ordered ones, booleans; all with missing cells."""
    rng = np.random.default_rng(seed)

    def coded(name, kind, categories, seen):
        codes = rng.integers(0, seen, n)
        codes[rng.random(n) < missing] = -1
        return Column(name, kind, codes.astype(np.int32), tuple(categories))

    x = np.round(rng.normal(size=n), 1).astype(dtype)
    x[rng.random(n) < missing] = np.nan
    return Table.of_columns(
        [
            Column("x", "numeric", x),
            coded("sky", "nominal", ["sun", "rain", "snow", "fog", "hail"], 4),
            coded("town", "nominal", [f"t{i}" for i in range(many)], many - 3),
            coded("size", "ordinal", "SMLXY", 5),
            coded("wet", "boolean", (False, True), 2),
        ]
    )


def trees_of(table, seed, n_trees=5, *, classes=3, leaves=None, missing="learned"):
    """Trees of random targets, so that every column is tested."""
    rng = np.random.default_rng(seed)
    options = {"max_features": 2, "max_leaf_nodes": leaves, "missing": missing}
    targets = [
        rng.integers(0, classes, table.n_rows).astype(np.int32) if classes else rng.normal(size=table.n_rows)
        for _ in range(n_trees)
    ]
    if not classes:
        options["criterion"] = "mse"
    return [
        grow(table, y, rng.random(table.n_rows) + 0.1, GrowOptions(**options, seed=s), n_classes=classes or None)
        for s, y in enumerate(targets)
    ]


def forest_of(table, seed, n_trees=5, **options):
    return Forest.of(trees_of(table, seed, n_trees, **options))

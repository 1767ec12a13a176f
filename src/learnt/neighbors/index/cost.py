"""Which index is cheapest: the formulas behind index="auto"."""

from __future__ import annotations

import math

# Nanoseconds of one thread, fitted to the table that benchmarks/neighbors_crossover.py prints (k = 10, float64, AVX-512
# at 3.6 GHz). Brute force: PAIR and CELL a column for each pair of rows, MEASURED and MEASURED_CELL a column for
# each row that passes the guess. Trees: LEAF and LEAF_CELL a column for each leaf of 32 rows looked into, more
# by FAR if the tree is larger than a cache; GROW and GROW_CELL a column for each row and level to build. Another
# processor changes all of them much alike.
PAIR, CELL = 0.36, 0.029
MEASURED, MEASURED_CELL = 30.0, 0.6
LEAF, LEAF_CELL, FAR, CACHE_BYTES = 45.0, 3.7, 2.2, 8 << 20
GROW, GROW_CELL = 8.0, 2.0

# Mixed tables: for each block of 64 rows, read in turn or found by a tree, and for each row and level to build it.
BLOCK, BLOCK_CELL = 15.0, 3.5
FOUND, FOUND_CELL = 120.0, 15.0
PLACE_CELL = 10.0


def brute_cost(n: int, p: int, k: int, queries: int) -> float:
    """Nanoseconds to answer by comparing all pairs."""
    passing = k * (1 + math.log(max(1.0, n / k)))
    return queries * (n * (PAIR + CELL * p) + passing * (MEASURED + MEASURED_CELL * p))


def tree_cost(n: int, p: int, leaves: float, queries: int) -> float:
    """Nanoseconds to build a tree and to answer by looking into so many of its leaves a query."""
    leaf = (LEAF + LEAF_CELL * p) * (FAR if 8 * n * p > CACHE_BYTES else 1)
    return (GROW + GROW_CELL * p) * n * math.log2(n / 32 + 2) + queries * (400 + leaves * leaf)


def even_leaves(n: int, p: int, k: int) -> float:
    """Leaves of a k-d tree a query looks into, if the rows are spread evenly.

    A ball that holds k rows meets (1 + (k/32)^(1/p))^p leaves of 32 (Friedman, Bentley and Finkel, 1977) far
    from the borders of the data; the borders, near in many dimensions, take about a fifth off the exponent.
    """
    return min(n / 32, math.pow(1 + math.pow(k / 32, 1 / p), 0.8 * min(p, 100)))


def scan_cost(n: int, p: int, queries: int) -> float:
    """Nanoseconds to read all blocks of a mixed table for each query."""
    return queries * (1000 + n / 64 * (BLOCK + BLOCK_CELL * p))


def mixed_tree_cost(n: int, p: int, blocks: float, queries: int) -> float:
    """Nanoseconds to make blocks the leaves of a tree, and to find so many of them for each query."""
    return PLACE_CELL * p * n * math.log2(n / 64 + 2) + queries * (1000 + blocks * (FOUND + FOUND_CELL * p))

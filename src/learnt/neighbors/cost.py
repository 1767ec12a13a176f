"""Which index is cheapest: the formula behind index="auto"."""

from __future__ import annotations

import math

# Nanoseconds of one thread, fitted to the table that benchmarks/neighbors_crossover.py prints (uniform rows, k = 10,
# float64, AVX-512 at 3.6 GHz). Brute force: PAIR and CELL a column for each pair of rows, MEASURED and MEASURED_CELL a
# column for each row that passes the guess. k-d tree: LEAF and LEAF_CELL a column for each leaf of 32 rows that a
# query visits, more by FAR if the tree is larger than a cache; GROW and GROW_CELL a column for each row and level to
# build. Another processor changes all of them much alike. The formula took the cheaper index in 34 of the 36 places of
# that table, and in the other two one that was slower by less than a fifth.
PAIR, CELL = 0.36, 0.029
MEASURED, MEASURED_CELL = 30.0, 0.6
LEAF, LEAF_CELL, FAR, CACHE_BYTES = 22.0, 3.8, 2.5, 4 << 20
GROW, GROW_CELL = 8.0, 2.0


def brute_cost(n: int, p: int, k: int, queries: int) -> float:
    """Nanoseconds to answer by comparing all pairs."""
    passing = k * (1 + math.log(max(1.0, n / k)))
    return queries * (n * (PAIR + CELL * p) + passing * (MEASURED + MEASURED_CELL * p))


def kd_tree_cost(n: int, p: int, k: int, queries: int) -> float:
    """Nanoseconds to build a k-d tree and to answer by it.

    A ball that holds k rows meets (1 + (k/32)^(1/p))^p leaves of 32 (Friedman, Bentley and Finkel, 1977) far
    from the borders of the data; the borders, near in many dimensions, take about a fifth off the exponent.
    """
    leaves = min(n / 32, math.pow(1 + math.pow(k / 32, 1 / p), 0.8 * min(p, 100)))
    leaf = (LEAF + LEAF_CELL * p) * (FAR if 8 * n * p > CACHE_BYTES else 1)
    return (GROW + GROW_CELL * p) * n * math.log2(n / 32 + 2) + queries * (400 + leaves * leaf)

#!/usr/bin/env python3
"""How the time to grow a tree grows: with the rows, with the depth, with categories and missing cells.

    python benchmarks/tree_growth.py            all of it, best of three
    python benchmarks/tree_growth.py --quick    without the million rows

Three tables are printed. Rows: 10k, 100k and 1M, and what is left when the time is divided by n·log₂ n (it should
stay about the same). Depth: an unlimited tree beside scikit-learn's. Categories: ten nominal columns of 1,000
categories with 10 % of the cells missing, beside ten numeric ones of the same target and number of leaves (goal: at
most twice the time). A stump beside sorting its columns once is printed last.
"""

import argparse
import time

import numpy as np

import learnt
from learnt.data.table import Column

THREADS = 2
GOAL = 2.0


def best_of(rounds, work):
    """The shortest of some runs, and what the last of them returned."""
    best, result = float("inf"), None
    for _ in range(rounds):
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
    return best, result


def numbers(n, p=20, seed=0):
    """float32 rows and a noisy class that several of the columns make together."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, p), dtype=np.float32)
    f = 1.2 * x[:, 0] * x[:, 1] + np.sin(3 * x[:, 2]) + 0.8 * np.abs(x[:, 3]) - 0.64 + 0.4 * x[:, 7]
    return x, (rng.random(n) < 1 / (1 + np.exp(-3 * f))).astype(np.int32)


def categories(n, p=10, k=1000, gaps=0.1, seed=0):
    """Nominal columns, a numeric twin of each (the effect of its category), and one class made from the effects."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(k, size=(p, n)).astype(np.int32)
    effects = rng.standard_normal((p, k))
    twins = np.stack([effects[j][codes[j]] + 1e-3 * rng.standard_normal(n) for j in range(p)], axis=1)
    y = (rng.random(n) < 1 / (1 + np.exp(-twins[:, :3].sum(axis=1) * 1.5))).astype(np.int32)
    labels = tuple(f"c{c}" for c in range(k))
    gone = rng.random((p, n)) < gaps
    columns = [Column(f"n{j}", "nominal", np.where(gone[j], -1, codes[j]).astype(np.int32), labels) for j in range(p)]
    return learnt.Table.of_columns(columns), learnt.Table(twins.astype(np.float32)), y


def by_rows(sizes, rounds):
    print("| rows × 20 | seconds | leaves | ns per n·log₂n |\n|---|---|---|---|")
    for n in sizes:
        x, y = numbers(n)
        seconds, model = best_of(rounds, lambda x=x, y=y: learnt.DecisionTreeClassifier(min_samples_leaf=20).fit(x, y))
        print(
            f"| {n:,} | {seconds:.3f} | {model.get_n_leaves():,} | {1e9 * seconds / (n * np.log2(n)):.1f} |", flush=True
        )


def by_depth(n, rounds):
    from sklearn.tree import DecisionTreeClassifier

    x, y = numbers(n)
    ours, model = best_of(rounds, lambda: learnt.DecisionTreeClassifier().fit(x, y))
    theirs, other = best_of(1, lambda: DecisionTreeClassifier(random_state=0).fit(x, y))
    print(f"\n| unlimited tree, {n:,} × 20 | seconds | leaves | depth |\n|---|---|---|---|")
    print(f"| learnt | {ours:.3f} | {model.get_n_leaves():,} | {model.get_depth()} |")
    print(f"| scikit-learn | {theirs:.3f} | {other.get_n_leaves():,} | {other.get_depth()} |")
    print(f"| ratio | {theirs / ours:.1f} | | |", flush=True)


def by_kind(n, rounds):
    nominal, numeric, y = categories(n)
    print(
        f"\n| {n:,} × 10, least leaf | numeric s | leaves | nominal with gaps s | leaves | ratio |\n"
        "|---|---|---|---|---|---|"
    )
    for least in (1, 20):

        def fit(table, least=least):
            return learnt.DecisionTreeClassifier(min_samples_leaf=least).fit(table, y)

        plain, one = best_of(rounds, lambda: fit(numeric))
        coded, two = best_of(rounds, lambda: fit(nominal))
        verdict = "met" if coded <= GOAL * plain else "missed"
        print(
            f"| {least} | {plain:.3f} | {one.get_n_leaves():,} | {coded:.3f} | {two.get_n_leaves():,} "
            f"| {coded / plain:.2f} (≤ {GOAL:g} {verdict}) |",
            flush=True,
        )


def stump(n, rounds):
    x, y = numbers(n)
    ours, _ = best_of(rounds, lambda: learnt.DecisionStumpClassifier().fit(x, y))
    sort, _ = best_of(rounds, lambda: [np.argsort(x[:, j], kind="stable") for j in range(x.shape[1])])
    print(
        f"\n| stump, {n:,} × 20 | seconds |\n|---|---|\n| learnt | {ours:.3f} |\n"
        f"| NumPy's argsort of every column | {sort:.3f} |"
    )


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="without the million rows")
    options.add_argument("--rounds", type=int, default=3)
    given = options.parse_args()
    learnt.threads(THREADS)
    by_rows((10_000, 100_000) if given.quick else (10_000, 100_000, 1_000_000), given.rounds)
    by_depth(100_000 if given.quick else 200_000, given.rounds)
    by_kind(100_000 if given.quick else 200_000, given.rounds)
    stump(200_000, given.rounds)


if __name__ == "__main__":
    main()

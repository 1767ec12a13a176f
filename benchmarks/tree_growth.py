#!/usr/bin/env python3
"""How the time to grow a tree grows: with the rows, with the depth, with categories and missing cells.

    python benchmarks/tree_growth.py            all of it, best of three
    python benchmarks/tree_growth.py --quick    without the million rows

Rows: 10k, 100k and 1M, and what is left when the time is divided by n·log₂ n; it should stay about the same. Depth:
an unlimited tree beside scikit-learn's. Categories: ten nominal columns of 1,000 categories with 10 % of the cells
missing, beside ten numeric columns of as many rows that make the same target (goal: at most twice the time; the trees
differ in size). Last, a stump beside sorting its columns once.

Processor time adds up all threads; of the two it is what a busy machine leaves comparable.
"""

import argparse
import time

import numpy as np

import learnt
from learnt.data.table import Column

THREADS = 2
GOAL = 2.0


def best_of(rounds, work):
    """The shortest of some runs, the least processor time of one (all threads), and what the last one returned."""
    wall = busy = float("inf")
    for _ in range(rounds):
        start, spent = time.perf_counter(), time.process_time()
        result = work()
        wall, busy = min(wall, time.perf_counter() - start), min(busy, time.process_time() - spent)
    return wall, busy, result


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
    print("| rows × 20 | s | processor s | leaves | processor ns per n·log₂n |\n|---|---|---|---|---|")
    for n in sizes:
        x, y = numbers(n)
        wall, busy, model = best_of(rounds, lambda: learnt.DecisionTreeClassifier(min_samples_leaf=20).fit(x, y))
        per_step = 1e9 * busy / (n * np.log2(n))
        print(f"| {n:,} | {wall:.3f} | {busy:.3f} | {model.get_n_leaves():,} | {per_step:.0f} |", flush=True)


def by_depth(n, rounds):
    from sklearn.tree import DecisionTreeClassifier

    x, y = numbers(n)
    print(f"\n| unlimited tree, {n:,} × 20 | s | processor s | leaves | depth |\n|---|---|---|---|---|")
    walls = []
    for name, cls, times in (
        ("learnt", learnt.DecisionTreeClassifier, rounds),
        ("scikit-learn", DecisionTreeClassifier, 1),
    ):
        wall, busy, model = best_of(times, lambda: cls(random_state=0).fit(x, y))
        walls.append(wall)
        print(f"| {name} | {wall:.3f} | {busy:.3f} | {model.get_n_leaves():,} | {model.get_depth()} |", flush=True)
    print(f"| times faster | {walls[1] / walls[0]:.1f} | | | |", flush=True)


def by_kind(n, rounds):
    nominal, numeric, y = categories(n)
    print(
        f"\n| {n:,} × 10 | least leaf | s | processor s | leaves | processor time ÷ numeric |\n"
        "|---|---|---|---|---|---|"
    )
    for least in (1, 20):
        spent = []
        for name, table in (("numeric", numeric), ("1,000 categories, 10 % missing", nominal)):
            learner = learnt.DecisionTreeClassifier(min_samples_leaf=least)
            wall, busy, model = best_of(rounds, lambda: learner.fit(table, y))
            spent.append(busy)
            ratio = busy / spent[0]
            verdict = "" if table is numeric else f" (≤ {GOAL:g} {'met' if ratio <= GOAL else 'missed'})"
            leaves = model.get_n_leaves()
            print(f"| {name} | {least} | {wall:.3f} | {busy:.3f} | {leaves:,} | {ratio:.2f}{verdict} |", flush=True)


def stump(n, rounds):
    x, y = numbers(n)
    print(f"\n| stump, {n:,} × 20 | s | processor s |\n|---|---|---|")
    for name, work in (
        ("learnt", lambda: learnt.DecisionStumpClassifier().fit(x, y)),
        ("NumPy's argsort of every column", lambda: [np.argsort(x[:, j], kind="stable") for j in range(x.shape[1])]),
    ):
        wall, busy, _ = best_of(rounds, work)
        print(f"| {name} | {wall:.3f} | {busy:.3f} |", flush=True)


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

#!/usr/bin/env python3
"""Attributions of boosted trees beside LightGBM's `pred_contrib`: 100 trees of 63 leaves, 28 columns, two threads.

    python benchmarks/tree_shap.py               10,000 rows
    python benchmarks/tree_shap.py --rows 2000   fewer

Each explains a model of its own, fitted to the same rows with the same settings; how far sums are from scores is
said too.
"""

import argparse
import time

import lightgbm
import numpy as np

import learnt
from registry import THREADS
from tree_growth import numbers


def timed(work):
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rows", type=int, default=10_000)
    given = options.parse_args()
    learnt.threads(THREADS)
    x, y = numbers(100_000, 28)
    rows = x[: given.rows]
    ours = learnt.GradientBoostingClassifier(max_iter=100, max_leaf_nodes=63, early_stopping=False).fit(x, y)
    theirs = lightgbm.LGBMClassifier(n_estimators=100, num_leaves=63, n_jobs=THREADS, verbose=-1).fit(x, y)
    table = learnt.Table(rows)
    ours.trees_.contributions(table.rows(0, 10))  # imports and threads are not what is measured
    mine, parts = timed(lambda: ours.trees_.contributions(table))
    other, rest = timed(lambda: theirs.predict(rows, pred_contrib=True))
    off = np.abs(parts[:, :, 0].sum(axis=1) + ours.trees_.expected()[0] - ours.trees_.sums(table)[:, 0]).max()
    amiss = np.abs(rest.sum(axis=1) - theirs.predict(rows, raw_score=True)).max()
    print("| library | s | ratio | largest gap between sum and score |\n|---|---|---|---|")
    print(f"| learnt | {mine:.3f} | 1 | {off:.1e} |")
    print(f"| LightGBM | {other:.3f} | {other / mine:.1f} | {amiss:.1e} |")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""How the time of gradient boosting grows: with the rows, the columns and the threads.

    python benchmarks/boosting_growth.py             10k to 1M rows
    python benchmarks/boosting_growth.py --most 10   up to 10M rows

Ten rounds of 31 leaves. Beside each time stands what is left of it when it is divided by rows, columns and rounds. The
processor's time adds up all threads; of the two it is what a busy machine leaves comparable.
"""

import argparse

import learnt
from tree_growth import best_of, numbers

ROUNDS = 10


def work(x, y):
    return lambda: learnt.GradientBoostingClassifier(max_iter=ROUNDS, early_stopping=False).fit(x, y)


def row(label, x, y, times):
    wall, busy, _ = best_of(times, work(x, y))
    cells = x.size * ROUNDS
    print(f"| {label} | {wall:.3f} | {busy:.3f} | {1e9 * busy / cells:.2f} |", flush=True)


def head(what):
    print(f"\n| {what} | s | processor s | processor ns per cell and round |\n|---|---|---|---|")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--most", type=float, default=1.0, help="millions of rows at most")
    options.add_argument("--times", type=int, default=2, help="of so many runs the best counts")
    given = options.parse_args()
    learnt.threads(2)
    work(*numbers(1000, 10))()  # imports and threads are not what is measured
    head("rows × 28")
    for n in (10_000, 100_000, 1_000_000, 10_000_000):
        if n <= 1e6 * given.most:
            row(f"{n:,}", *numbers(n, 28), given.times)
    head("columns, 100,000 rows")
    for p in (8, 32, 128, 512):
        row(p, *numbers(100_000, p), given.times)
    head("threads, 500,000 rows × 28")
    x, y = numbers(500_000, 28)
    for count in (1, 2):
        learnt.threads(count)
        row(count, x, y, given.times)


if __name__ == "__main__":
    main()

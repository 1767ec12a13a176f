"""What a random forest costs: processor time against rows, columns and threads.

    python benchmarks/forest_growth.py [--trees 20] [--rows 10000,100000,1000000] [--columns 10,30,100] [--peer]

Two classes, numeric columns, leaves of five rows or more. Each figure is the time of one fit, from array to model,
divided by the number of trees; `--peer` adds scikit-learn's.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import learnt


def made(n: int, p: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n, p), dtype=np.float32)
    signal = x[:, 0] * x[:, 1] + np.sin(2 * x[:, 2]) + 0.5 * x[:, 3]
    return x, (signal + rng.standard_normal(n) > 0).astype(np.int32)


def timed(model: Any, x: Any, y: Any, trees: int) -> str:
    wall, cpu = time.perf_counter(), time.process_time()
    model.fit(x, y)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return f"{wall / trees * 1e3:9.1f} {cpu / trees * 1e3:9.1f}"


def numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trees", type=int, default=20)
    parser.add_argument("--rows", type=numbers, default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--columns", type=numbers, default=[10, 30, 100])
    parser.add_argument("--threads", type=numbers, default=[1, 2])
    parser.add_argument("--peer", action="store_true")
    given = parser.parse_args()
    shapes = [(n, 30) for n in given.rows] + [(min(100_000, max(given.rows)), p) for p in given.columns]
    print(f"{'rows':>9} {'columns':>8} {'threads':>8} {'ms a tree':>9} {'of cpu':>9}")
    for n, p in shapes:
        x, y = made(n, p)
        for threads in given.threads:
            settings = {"n_estimators": given.trees, "min_samples_leaf": 5, "random_state": 0}
            with learnt.threads(threads):
                ours = timed(learnt.RandomForestClassifier(**settings), x, y, given.trees)
            print(f"{n:9} {p:8} {threads:8} {ours}", flush=True)
            if given.peer:
                from sklearn.ensemble import RandomForestClassifier

                print(f"{'sklearn':>27} {timed(RandomForestClassifier(n_jobs=threads, **settings), x, y, given.trees)}")


if __name__ == "__main__":
    main()

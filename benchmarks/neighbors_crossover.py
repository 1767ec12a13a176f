"""What indexes of neighbours cost against rows and columns, and where one overtakes another.

    python benchmarks/neighbors_crossover.py [--csv costs.csv] [--most 100000]

Rows in float64, spread evenly or near a surface of three dimensions, k = 10, one thread, processor time: microseconds a
query. The constants of learnt/neighbors/cost.py, by which index="auto" chooses, were fitted to this table; the last
two columns say what it chooses for as many queries as rows, and how much longer that takes than the cheapest,
building and choosing included.
"""

import argparse
import csv
import time

import numpy as np

import learnt
from learnt.neighbors import build_index

ROWS = (1_000, 10_000, 100_000)
COLUMNS = (1, 2, 3, 4, 6, 8, 10, 12, 16, 24, 32, 64)
KINDS = ("brute", "kd_tree", "vp_tree")
K, ASKED = 10, 300


def spent(work, at_least=0.05):
    """Processor seconds of one call, of as many calls as make a time worth reading; and what it returns."""
    work()
    calls, start = 0, time.process_time()
    while time.process_time() - start < at_least:
        result = work()
        calls += 1
    return (time.process_time() - start) / calls, result


def even(n, p, rng):
    return rng.random((n, p))


def surface(n, p, rng):
    """Three hidden numbers a row, bent into p columns, and a little noise."""
    hidden = rng.standard_normal((n, 3)) @ rng.standard_normal((3, p))
    return np.tanh(hidden) + 1e-3 * rng.standard_normal((n, p))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--csv", help="also write the table to this file")
    parser.add_argument("--most", type=int, default=ROWS[-1], help="leave out more rows than this")
    asked = parser.parse_args()
    rng = np.random.default_rng(0)
    learnt.threads(1)
    table = []
    print("|  spread |    rows | columns | brute µs | kd_tree µs | vp_tree µs | auto    | times the best |")
    print("|---|---|---|---|---|---|---|---|")
    for spread in (even, surface):
        for n in (n for n in ROWS if n <= asked.most):
            for p in (p for p in COLUMNS if spread is even or p >= 4):
                x = spread(n + ASKED, p, rng)
                rows, queries = np.ascontiguousarray(x[ASKED:]), x[:ASKED].copy()
                query, whole = {}, {}
                for kind in KINDS:
                    build, index = spent(lambda rows=rows, kind=kind: build_index(rows, index=kind), 0.02)
                    query[kind] = spent(lambda index=index, queries=queries: index.query(queries, K))[0] / ASKED
                    whole[kind] = build + n * query[kind]
                choose, index = spent(lambda rows=rows: build_index(rows), 0.02)
                ratio = (choose + n * query[index.kind]) / min(whole.values())
                table.append(
                    (spread.__name__, n, p, *(round(query[k] * 1e6, 3) for k in KINDS), index.kind, round(ratio, 3))
                )
                costs = " | ".join(f"{query[kind] * 1e6:8.2f}" for kind in KINDS)
                print(f"| {spread.__name__:>7} | {n:7} | {p:7} | {costs} | {index.kind:7} | {ratio:5.2f} |", flush=True)
    worst = max(row[-1] for row in table)
    good = sum(row[-1] <= 1.5 for row in table)
    print(f"auto within 1.5 times the best in {good} of {len(table)}; at worst {worst:.2f} times")
    if asked.csv:
        with open(asked.csv, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["spread", "rows", "columns", *(f"{kind}_us" for kind in KINDS), "auto", "times_best"])
            writer.writerows(table)


if __name__ == "__main__":
    main()

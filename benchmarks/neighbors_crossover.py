"""What indexes of neighbours cost against rows and columns, and where one overtakes another.

    python benchmarks/neighbors_crossover.py [--csv costs.csv] [--most 100000]

Uniform rows in float64, k = 10, one thread, processor time: microseconds a query, and seconds to build. The
constants of learnt/neighbors/cost.py, by which index="auto" chooses, were fitted to this table; the last two
columns say what it would choose for as many queries as rows and whether that is the cheaper one.
"""

import argparse
import csv
import time

import numpy as np

import learnt
from learnt.neighbors import build_index

ROWS = (1_000, 10_000, 100_000)
COLUMNS = (1, 2, 3, 4, 6, 8, 10, 12, 16, 24, 32, 64)
K = 10


def spent(work, at_least=0.05):
    """Processor seconds of one call, of as many calls as make a time worth reading; and what it returns."""
    calls, start = 0, time.process_time()
    while time.process_time() - start < at_least:
        result = work()
        calls += 1
    return (time.process_time() - start) / calls, result


def cost(n, p, kind, rng):
    rows, queries = rng.random((n, p)), rng.random((500, p))
    build, index = spent(lambda: build_index(rows, index=kind))
    query, _ = spent(lambda: index.query(queries, K))
    return build, query / len(queries)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--csv", help="also write the table to this file")
    parser.add_argument("--most", type=int, default=ROWS[-1], help="leave out more rows than this")
    asked = parser.parse_args()
    rng = np.random.default_rng(0)
    learnt.threads(1)
    table = []
    print("|     rows | columns | brute µs | kd_tree µs | kd_tree build s | auto    | right |")
    print("|---|---|---|---|---|---|---|")
    for n in (n for n in ROWS if n <= asked.most):
        for p in COLUMNS:
            _, brute = cost(n, p, "brute", rng)
            build, tree = cost(n, p, "kd_tree", rng)
            auto = build_index(rng.random((n, p))).kind
            right = auto == ("kd_tree" if build + n * tree < n * brute else "brute")
            table.append((n, p, brute * 1e6, tree * 1e6, build, auto, right))
            print(
                f"| {n:8} | {p:7} | {brute * 1e6:8.2f} | {tree * 1e6:10.2f} | {build:15.4f} | {auto:7} | {right!s:5} |"
            )
    if asked.csv:
        with open(asked.csv, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["rows", "columns", "brute_us", "kd_tree_us", "kd_tree_build_s", "auto", "right"])
            writer.writerows(table)


if __name__ == "__main__":
    main()

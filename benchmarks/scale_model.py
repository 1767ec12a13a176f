#!/usr/bin/env python3
"""How long fits would take on 10, 100 and 1,000 workers, and where more workers are no use.

python benchmarks/scale_model.py                        measure, predict, print the table of docs/cluster.md
python benchmarks/scale_model.py --only KMeans,PCA      some learners
python benchmarks/scale_model.py --validate             predict what benchmarks/cluster.py measured here

What is measured: for each learner its passes over a table, by one thread of this machine: processor time for each row,
bytes of the pass and of its statistic, and what the client computes between passes. A task's way to a worker and back
on a LocalCluster. What is stated: the network. What follows, for W workers of one thread each,

    t  =  Σ over passes  rows/W · (time for a row)                     each worker's share
                       + latency + W · (time for a task)                 the client asks W workers
                       + bytes of the pass · log2 W / bandwidth          workers send it on; if small, W ·
                       + sums that come · (bytes / bandwidth + adding)   added by eights at workers, then by the client
       + what the client computes

How many sums come for W workers is counted by the engine's own tree. Rows are read with each pass over them; if there
are more than two, and a quarter of a worker's memory holds its share, once, and kept.
"""

import argparse
import json
import math
from dataclasses import replace
from functools import cache
from pathlib import Path

from scale_costs import loaded, measured

HERE = Path(__file__).resolve().parent
ROWS, PIECE = 1_000_000_000, 262_144
WORKERS = (10, 100, 1000)
BANDWIDTH, LATENCY = 10e9 / 8, 0.2e-3  # 10 Gbit/s, there and back in 0.2 ms
BEGIN, END = "<!-- written by benchmarks/scale_model.py -->", "<!-- to here -->"
FULL = 700_000  # rows, of which half fill every sample of rows
MEMORY, ROW = 16e9, 25 * 8 + 8  # bytes of a worker's memory, and of a row
ADDING = 1e9  # bytes of statistics a second: unpickled and added


@cache
def sums_that_come(rows, workers):
    """How many sums one of those sends or takes in that add for eight workers, and how many come to the client.

    A worker sends the largest parts of the tree that lie in its share; more than eight are added by eights before.
    """
    from learnt.engine.cluster.round import FAN_IN
    from learnt.engine.cluster.shares import shared_out

    sizes = [PIECE] * max(1, -(-rows // PIECE))
    shares = [numbers for numbers in shared_out(sizes, dict.fromkeys(map(str, range(workers)), 1)).values() if numbers]
    if len(shares) <= FAN_IN:
        return 0, sum(largest_parts(numbers, len(sizes)) for numbers in shares)
    groups = [shares[start : start + FAN_IN] for start in range(0, len(shares), FAN_IN)]
    within = max(sum(largest_parts(numbers, len(sizes)) for numbers in group) for group in groups)
    return within, sum(largest_parts([i for numbers in group for i in numbers], len(sizes)) for group in groups)


@cache
def one_of_each(workers):
    """The same of passes that a worker answers by one sum, however many pieces it has."""
    from learnt.engine.cluster.round import FAN_IN

    return (0, workers) if workers <= FAN_IN else (FAN_IN, -(-workers // FAN_IN))


def largest_parts(numbers, n_pieces):
    from learnt.engine.cluster.tree import Node, Sum, SumTree
    from learnt.engine.rows_seen import RowsSeen

    tree = SumTree(n_pieces)
    for number in numbers:
        tree.put(Node(0, number), Sum(None, RowsSeen()))
    return len(tree.nodes)


def prediction(costs, machine, rows, workers, threads=1, memory=MEMORY):
    """Seconds of a fit, by what they go into."""
    from learnt.engine.cluster.session import ROWS_SHARE

    pieces = max(1, -(-rows // PIECE))
    unevenness = -(-pieces // workers) * PIECE * workers / max(rows, pieces * PIECE)  # one worker has a piece more
    share = rows * unevenness / (workers * threads)
    looks = sum(kind.count for kind in costs.passes if kind.reads)
    kept = looks > 2 and rows / workers * ROW <= memory * ROWS_SHARE
    reading = machine["reading"] + machine["keeping"] if kept else machine["reading"] * looks
    parts = {"rows": share * reading, "tasks": 0.0, "sent": 0.0, "sums": 0.0, "client": costs.between}
    if goes_around(costs):  # workers then do what one machine does between passes, each a share
        parts["client"], parts["rows"] = 0.0, parts["rows"] + costs.between * share / costs.rows
    for kind in costs.passes:
        a_row = max(0.0, kind.seconds / kind.count / costs.rows - (machine["reading"] if kind.reads else 0.0))
        parts["rows"] += kind.count * share * a_row
        parts["tasks"] += kind.count * (machine["trip"] + LATENCY + workers * machine["task"])
        within, to_client = one_of_each(workers) if kind.at_once else sums_that_come(rows, workers)
        come = kind.by_row * rows if kind.by_row else (within + to_client) * kind.sums
        copies = workers if kind.sent <= 1 << 16 else 1 + math.log2(workers)
        parts["sent"] += kind.count * kind.sent * copies / BANDWIDTH
        parts["sums"] += kind.count * come * (1 / BANDWIDTH + 1 / ADDING)
    return parts


def goes_around(costs):
    """Whether all rows, as codes, go to every worker, as those of forests do."""
    return any(kind.by_row for kind in costs.passes)


def half_way(costs, machine, rows):
    """Up to how many workers each does at least half of what it does alone, and what then is in the way."""
    lonely, last = sum(prediction(costs, machine, rows, 1).values()), 1
    for workers in sorted({round(2 ** (k / 2)) for k in range(25)}):
        parts = prediction(costs, machine, rows, workers)
        if lonely / sum(parts.values()) < 0.5 * workers:
            others = {name: seconds for name, seconds in parts.items() if name != "rows"}
            worst = max(others, key=others.get)
            if worst == "sums" and goes_around(costs):
                return last, "codes of all rows go to every worker"
            return last, "too few pieces" if others[worst] < parts["rows"] / 2 else REASONS[worst]
        last = workers
    return last, "nothing yet"


REASONS = {
    "tasks": "the way to the workers and back, each pass",
    "sent": "the pass is sent to all",
    "sums": "sums are large, and added at few places",
    "client": "the client computes alone",
}


# ---- what is told


def size(n_bytes):
    return (
        f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1e6 else f"{n_bytes / 1e3:.0f} kB" if n_bytes >= 1e3 else f"{n_bytes} B"
    )


def duration(seconds):
    return (
        f"{seconds / 3600:.1f} h"
        if seconds >= 5400
        else f"{seconds / 60:.0f} min"
        if seconds >= 90
        else f"{seconds:.0f} s"
    )


def table(machine, learners, rows):
    lines = [
        "| learner | passes | largest sum | "
        + " | ".join(f"{w:,} workers" for w in WORKERS)
        + " | half as good up to | then |"
    ]
    lines.append("|" + "---|" * (len(WORKERS) + 5))
    for costs in learners:
        times = [duration(sum(prediction(costs, machine, rows, w).values())) for w in WORKERS]
        upto, why = half_way(costs, machine, rows)
        largest = max(costs.passes, key=lambda kind: (kind.by_row, kind.sums))
        told = f"{largest.by_row:.0f} B a row" if largest.by_row else size(largest.sums)
        upto = f"{upto:,}" if upto < 4096 else "4,096 and more"
        cells = [costs.learner, str(sum(kind.count for kind in costs.passes)), told, *times, upto, why]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


NAMES = {"kmeans": "KMeans", "logistic": "LogisticRegression", "least_squares": "LinearRegression",
         "naive_bayes": "NaiveBayesClassifier", "boosting": "GradientBoostingClassifier"}  # fmt: skip


def validated(machine, learners):
    """Predicted beside measured, for one and two workers of `cluster.py`'s last run."""
    measured_here = json.loads((HERE / "data" / "cluster.json").read_text())
    rows, by_name = measured_here["rows"], {costs.learner: costs for costs in learners}
    lines = [
        f"| {rows:,} rows | 1 worker, predicted | measured | 2 workers, predicted | measured |",
        "|---|---|---|---|---|",
    ]
    for r in measured_here["fits"]:
        costs = with_rounds(by_name[NAMES[r["learner"]]], r["passes"])
        one, two = (sum(prediction(costs, machine, rows, w, memory=9e9).values()) for w in (1, 2))
        lines.append(f"| {r['learner']} | {one:.1f} s | {r['one']:.1f} s | {two:.1f} s | {r['two']:.1f} s |")
    return "\n".join(lines)


def with_rounds(costs, rounds):
    """The same with as many rounds as were measured, which more rows may need."""
    most = max(costs.passes, key=lambda kind: kind.count)
    passes = [replace(k, count=max(k.count, rounds or 0)) if k is most else k for k in costs.passes]
    return replace(costs, passes=passes)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--rows", type=int, default=1_000_000, help="of the data that is written to measure on")
    ap.add_argument("--only", type=lambda text: text.split(","), default=[])
    ap.add_argument("--json", type=Path, default=HERE / "data" / "scale_model.json")
    ap.add_argument("--again", action="store_true", help="predict from what was measured last")
    ap.add_argument("--validate", action="store_true")
    ap.add_argument("--write", action="store_true", help="put the table into docs/cluster.md")
    a = ap.parse_args()
    if a.rows < FULL:
        ap.error(f"--rows {a.rows}: of fewer than {FULL:,} rows, samples that are as large for a billion still grow")
    if not a.again:
        a.json.parent.mkdir(parents=True, exist_ok=True)
        a.json.write_text(json.dumps(measured(a), indent=1))
    machine, learners = loaded(a.json)
    print(f"\na task: {1e3 * machine['trip']:.1f} ms there and back, {1e3 * machine['task']:.2f} ms of the client; "
          f"reading: {1e9 * machine['reading']:.0f} ns a row\n")  # fmt: skip
    found = table(machine, learners, ROWS)
    print(found)
    if a.write:
        page = HERE.parent / "docs" / "cluster.md"
        before, rest = page.read_text().split(BEGIN)
        page.write_text(f"{before}{BEGIN}\n\n{found}\n\n{END}{rest.split(END)[1]}")
    if a.validate:
        print("\n" + validated(machine, learners))


if __name__ == "__main__":
    main()

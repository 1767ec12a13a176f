"""Structure learning of a network of 37 columns, and counts of more rows than memory shall hold.

    pip install pyagrum
    python benchmarks/structure_learning.py
    python benchmarks/structure_learning.py stream --rows 10000000 --limit-mb 1024

The first learns a network like ALARM (37 nodes, 46 edges, two to four states, random tables) from 20,000 rows by hill
climbing under BIC, learnt beside pyAgrum's greedy hill climbing, which gets one thread: with two its threads wait for
each other on processors, which counts as work. Processor time; both structures are scored by learnt. The second
streams rows from Parquet files in a child process and reports the memory it had at most.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

NODES, EDGES, ROWS = 37, 46, 20_000


class Alarm:
    """A random network: parents among the ten nodes before, at most four."""

    def __init__(self, nodes=NODES, edges=EDGES, seed=0):
        rng = np.random.default_rng(seed)
        self.sizes = rng.choice([2, 2, 3, 3, 4], nodes)
        self.parents = [[] for _ in range(nodes)]
        while sum(map(len, self.parents)) < edges:
            x = int(rng.integers(1, nodes))
            p = int(rng.integers(max(0, x - 10), x))
            if p not in self.parents[x] and len(self.parents[x]) < 4:
                self.parents[x].append(p)
        configurations = [int(np.prod(self.sizes[some], dtype=int)) for some in self.parents]
        self.tables = [rng.dirichlet(np.full(r, 0.5), q) for r, q in zip(self.sizes, configurations, strict=True)]
        self.names = [f"v{j:02}" for j in range(nodes)]

    def draw(self, n, rng):
        codes = np.zeros((len(self.sizes), n), np.int64)
        for x, some in enumerate(self.parents):
            place = np.zeros(n, np.int64)
            for p in some:
                place = place * self.sizes[p] + codes[p]
            upto = self.tables[x].cumsum(axis=1)[place]
            codes[x] = (rng.random((n, 1)) > upto[:, :-1]).sum(axis=1)
        return codes


def timed(work):
    started = time.process_time()
    found = work()
    return time.process_time() - started, found


def beside_pyagrum():
    import pandas as pd
    import pyagrum

    import learnt

    alarm = Alarm()
    codes = alarm.draw(ROWS, np.random.default_rng(1))
    labels = [[f"s{s}" for s in range(size)] for size in alarm.sizes]
    columns = zip(alarm.names, codes, labels, strict=True)
    frame = pd.DataFrame({name: pd.Categorical.from_codes(c, states) for name, c, states in columns})
    texts, table = frame.astype(str), learnt.Table(frame)
    reading, learner = timed(lambda: pyagrum.BNLearner(texts))
    learner.setNumberOfThreads(1)
    learner.useScoreBIC()
    learner.useNoPrior()
    learner.useGreedyHillClimbing()
    theirs, network = timed(learner.learnBN)
    learnt.learn_structure(table)  # once, so that nothing is imported while the time is taken
    ours, found = timed(lambda: learnt.learn_structure(table))
    edges = {x: [network.variable(p).name() for p in network.parents(x)] for x in network.names()}
    score = learnt.learn_structure(table, required=edges, max_steps=0).score
    print(f"{'':<10} {'CPU s':>8} {'edges':>6} {'BIC':>14}")
    print(f"{'learnt':<10} {ours:>8.3f} {len(found.edges):>6} {found.score:>14.2f}")
    print(
        f"{'pyAgrum':<10} {theirs:>8.3f} {network.sizeArcs():>6} {score:>14.2f}   and {reading:.3f} s to read the frame"
    )
    print(f"ratio {ours / theirs:.2f}")


def write_rows(folder, rows):
    import pyarrow as pa
    import pyarrow.parquet as pq

    alarm, rng = Alarm(12, 14), np.random.default_rng(1)
    for first in range(0, rows, 500_000):
        codes = alarm.draw(min(500_000, rows - first), rng)
        columns = {
            name: pa.DictionaryArray.from_arrays(pa.array(c.astype(np.int8)), [f"s{s}" for s in range(4)])
            for name, c in zip(alarm.names, codes, strict=True)
        }
        pq.write_table(pa.table(columns), folder / f"{first // 500_000:04}.parquet", row_group_size=65_536)


def stream(rows, limit):
    with tempfile.TemporaryDirectory() as folder:
        write_rows(Path(folder), rows)
        done = subprocess.run(
            [sys.executable, __file__, "child", folder], stdout=subprocess.PIPE, text=True, check=True
        )
    facts = json.loads(done.stdout.splitlines()[-1])
    print(
        f"{rows:,} rows × 12: {facts['seconds']:.1f} s of processors, {facts['edges']} edges, {facts['peak_mb']:.0f} MB"
    )
    return int(facts["peak_mb"] > limit)


def child(folder):
    import learnt
    from child import peak_rss_mb

    files = sorted(str(path) for path in Path(folder).glob("*.parquet"))
    seconds, found = timed(lambda: learnt.learn_structure(learnt.scan(files)))
    print(json.dumps({"seconds": seconds, "edges": len(found.edges), "peak_mb": peak_rss_mb()}))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("job", nargs="?", choices=["climb", "stream", "child"], default="climb")
    ap.add_argument("folder", nargs="?", help=argparse.SUPPRESS)
    ap.add_argument("--rows", type=int, default=10_000_000)
    ap.add_argument("--limit-mb", type=float, default=1024.0, help="resident memory that counting may use")
    a = ap.parse_args()
    if a.job == "child":
        return child(a.folder)
    return stream(a.rows, a.limit_mb) if a.job == "stream" else beside_pyagrum()


if __name__ == "__main__":
    sys.exit(main())

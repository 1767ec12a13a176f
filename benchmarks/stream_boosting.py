#!/usr/bin/env python3
"""Gradient boosting over Parquet files larger than the memory it may use.

    python benchmarks/stream_boosting.py --gb 4 --limit-mb 1024 --rounds 10

Writes float32 columns and a class into a temporary folder (uncompressed, so that the size on disk is the size of the
data), fits in a child process, and reports that process's peak memory (VmHWM). Exit status 1 if it went over the limit.
State on disk takes a byte a cell and some thirty a row; rows are read twice.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from stream import GROUP_ROWS, write

COLUMNS = 28


def write_rows(folder, gigabytes):
    """Columns of which some make the class together, one row group in memory at a time."""
    import numpy as np
    import pyarrow as pa

    rng = np.random.default_rng(0)
    schema = pa.schema([(f"x{j}", pa.float32()) for j in range(COLUMNS)] + [("y", pa.int8())])

    def group():
        x = rng.standard_normal((COLUMNS, GROUP_ROWS), dtype=np.float32)
        f = 1.2 * x[0] * x[1] + np.sin(3 * x[2]) + 0.8 * np.abs(x[3]) - 0.64 + 0.4 * x[7]
        y = (rng.random(GROUP_ROWS) < 1 / (1 + np.exp(-3 * f))).astype(np.int8)
        return pa.table([*x, y], schema=schema)

    return write(folder, schema, group, gigabytes * 1e9 / (GROUP_ROWS * (4 * COLUMNS + 1)))


def fit(folder, rounds, leaves):
    """The child: fits and prints what it took, as JSON."""
    import pyarrow.parquet as pq

    import learnt
    from child import peak_rss_mb

    paths = sorted(str(path) for path in Path(folder).glob("*.parquet"))
    start = time.perf_counter()
    model = learnt.GradientBoostingClassifier(max_iter=rounds, max_leaf_nodes=leaves, early_stopping=False)
    model.fit(learnt.scan(paths, "y"))
    facts = {"seconds": time.perf_counter() - start, "peak_mb": peak_rss_mb()}
    some = pq.ParquetFile(paths[-1]).read_row_group(0)
    depth = sum(tree.max_depth for tree in model.trees_) / len(model.trees_)
    right = model.score(some, "y")
    facts["quality"] = f"trees of {depth:.1f} levels, {right:.1%} of the last rows right"
    print(json.dumps(facts), flush=True)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--gb", type=float, default=4.0, help="size of the data")
    ap.add_argument("--limit-mb", type=float, default=1024.0, help="resident memory the fit may use")
    ap.add_argument("--rounds", type=int, default=10)
    ap.add_argument("--leaves", type=int, default=31)
    ap.add_argument("--folder", type=Path, help="where to write (default: the temporary folder)")
    ap.add_argument("--child", help=argparse.SUPPRESS)
    a = ap.parse_args()
    if a.child:
        return fit(a.child, a.rounds, a.leaves)
    free = shutil.disk_usage(a.folder or tempfile.gettempdir()).free / 1e9
    if free < 1.7 * a.gb:
        raise SystemExit(
            f"{free:.1f} GB are free, {1.7 * a.gb:.1f} GB are needed. Give another --folder, or less --gb."
        )
    with tempfile.TemporaryDirectory(dir=a.folder) as folder:
        print(f"writing {a.gb:g} GB of Parquet ...", flush=True)
        rows = write_rows(Path(folder), a.gb)
        size = sum(path.stat().st_size for path in Path(folder).iterdir()) / 1e9
        command = [sys.executable, __file__, "--child", folder, "--rounds", str(a.rounds), "--leaves", str(a.leaves)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    facts = json.loads(done.stdout.splitlines()[-1])
    print(f"{a.rounds} rounds, {rows:,} rows × {COLUMNS}, {size:.2f} GB: {facts['seconds']:.1f} s, {facts['quality']}")
    verdict = "within" if facts["peak_mb"] <= a.limit_mb else "OVER"
    print(f"peak memory {facts['peak_mb']:.0f} MB, {verdict} the limit of {a.limit_mb:.0f} MB")
    return int(facts["peak_mb"] > a.limit_mb)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""k-means over Parquet files larger than the memory it may use.

python stream.py --gb 4 --limit-mb 1024

Writes the files into a temporary folder (uncompressed, so that the size on disk is the size of the
data), fits in a child process, and reports that process's peak memory (VmHWM). Exit status 1 if it
went over the limit.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COLUMNS, GROUP_ROWS, GROUPS_PER_FILE = 32, 65_536, 16  # 16 MB a row group, 256 MB a file


def write(folder, gigabytes):
    """Float64 columns drawn around 20 centres, one row group in memory at a time."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    centers = 5 * rng.standard_normal((20, COLUMNS))
    groups = max(1, round(gigabytes * 1e9 / (GROUP_ROWS * COLUMNS * 8)))
    schema = pa.schema([(f"x{j}", pa.float64()) for j in range(COLUMNS)])
    for first in range(0, groups, GROUPS_PER_FILE):
        path = folder / f"part-{first // GROUPS_PER_FILE:04}.parquet"
        with pq.ParquetWriter(path, schema, compression="none", use_dictionary=False) as out:
            for _ in range(first, min(first + GROUPS_PER_FILE, groups)):
                rows = centers[rng.integers(0, 20, GROUP_ROWS)] + rng.standard_normal((GROUP_ROWS, COLUMNS))
                out.write_table(pa.table(list(rows.T.copy()), schema=schema), row_group_size=GROUP_ROWS)
    return groups * GROUP_ROWS


def fit(folder, iterations):
    """The child: fits and prints what it took, as JSON."""
    import warnings

    import learnt
    from child import peak_rss_mb

    warnings.simplefilter("ignore", learnt.errors.ConvergenceWarning)
    source = learnt.scan(sorted(str(path) for path in Path(folder).glob("*.parquet")))
    start = time.perf_counter()
    model = learnt.KMeans(n_clusters=20, n_init=1, max_iter=iterations, tol=0, random_state=0).fit(source)
    seconds = time.perf_counter() - start
    facts = {"seconds": seconds, "peak_mb": peak_rss_mb(), "inertia": model.inertia_, "passes": model.n_iter_}
    print(json.dumps(facts), flush=True)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--gb", type=float, default=4.0, help="size of the data")
    ap.add_argument("--limit-mb", type=float, default=1024.0, help="resident memory the fit may use")
    ap.add_argument("--iterations", type=int, default=10)
    ap.add_argument("--folder", type=Path, help="where to write (default: the temporary folder)")
    ap.add_argument("--child", help=argparse.SUPPRESS)
    a = ap.parse_args()
    if a.child:
        return fit(a.child, a.iterations)
    free = shutil.disk_usage(a.folder or tempfile.gettempdir()).free / 1e9
    if free < 1.1 * a.gb:
        raise SystemExit(f"{free:.1f} GB are free, {a.gb:g} GB are needed. Give another --folder or a smaller --gb.")
    with tempfile.TemporaryDirectory(dir=a.folder) as folder:
        print(f"writing {a.gb:g} GB of Parquet ...", flush=True)
        rows = write(Path(folder), a.gb)
        command = [sys.executable, __file__, "--child", folder, "--iterations", str(a.iterations)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    facts = json.loads(done.stdout.splitlines()[-1])
    size = rows * COLUMNS * 8 / 1e9
    print(f"{rows:,} rows x {COLUMNS} columns, {size:.2f} GB: {facts['seconds']:.1f} s, {facts['passes']} iterations,")
    print(f"mean squared distance {facts['inertia'] / rows:.4f} (the data's own noise gives {COLUMNS})")
    verdict = "within" if facts["peak_mb"] <= a.limit_mb else "OVER"
    print(f"peak memory {facts['peak_mb']:.0f} MB, {verdict} the limit of {a.limit_mb:.0f} MB")
    return int(facts["peak_mb"] > a.limit_mb)


if __name__ == "__main__":
    sys.exit(main())

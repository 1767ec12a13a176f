#!/usr/bin/env python3
"""k-means, or a classifier of documents, over Parquet files larger than the memory it may use.

python stream.py kmeans --gb 4 --limit-mb 1024
python stream.py text --gb 5 --limit-mb 1024

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


def write_kmeans(folder, gigabytes):
    """Float64 columns drawn around 20 centres, one row group in memory at a time."""
    import numpy as np
    import pyarrow as pa

    rng = np.random.default_rng(0)
    centers = 5 * rng.standard_normal((20, COLUMNS))
    schema = pa.schema([(f"x{j}", pa.float64()) for j in range(COLUMNS)])

    def group():
        rows = centers[rng.integers(0, 20, GROUP_ROWS)] + rng.standard_normal((GROUP_ROWS, COLUMNS))
        return pa.table(list(rows.T.copy()), schema=schema)

    return write(folder, schema, group, gigabytes * 1e9 / (GROUP_ROWS * COLUMNS * 8))


def write_text(folder, gigabytes):
    """Documents of about 200 words, 20 classes with words of their own; every row group is drawn anew."""
    import numpy as np
    import pyarrow as pa

    rng = np.random.default_rng(0)
    n, words = 4096, np.array([f"w{i}x" for i in range(50_000)])
    cdf = np.cumsum(1.0 / np.arange(1, len(words) + 1))
    schema = pa.schema([("text", pa.string()), ("topic", pa.string())])

    def group():
        topic = rng.integers(0, 20, n)
        drawn = np.searchsorted(cdf / cdf[-1], rng.random((n, 200)))
        drawn = np.where(rng.random((n, 200)) < 0.1, 2000 * topic[:, None] + drawn % 2000, drawn)
        texts = [" ".join(row) for row in words[drawn]]
        return pa.table([pa.array(texts), pa.array([f"topic {t}" for t in topic])], schema=schema)

    return write(folder, schema, group, gigabytes * 1e9 / group().nbytes)


def write(folder, schema, group, groups):
    """`groups` row groups in files of sixteen, uncompressed; returns the number of rows."""
    import pyarrow.parquet as pq

    rows, groups = 0, max(1, round(groups))
    for first in range(0, groups, GROUPS_PER_FILE):
        path = folder / f"part-{first // GROUPS_PER_FILE:04}.parquet"
        with pq.ParquetWriter(path, schema, compression="none", use_dictionary=False) as out:
            for _ in range(first, min(first + GROUPS_PER_FILE, groups)):
                table = group()
                out.write_table(table, row_group_size=table.num_rows)
                rows += table.num_rows
    return rows


def fit(job, folder, iterations):
    """The child: fits and prints what it took, as JSON."""
    import warnings

    import learnt
    from child import peak_rss_mb

    warnings.simplefilter("ignore", learnt.errors.ConvergenceWarning)
    paths = sorted(str(path) for path in Path(folder).glob("*.parquet"))
    start = time.perf_counter()
    if job == "kmeans":
        model = learnt.KMeans(n_clusters=20, n_init=1, max_iter=iterations, tol=0, random_state=0)
        model.fit(learnt.scan(paths))
        quality = f"{model.n_iter_} iterations, inertia {model.inertia_:.6g}"
    else:
        model = learnt.text_classifier().fit(learnt.scan(paths, batch_rows=8192), "topic")
        quality = ""
    facts = {"seconds": time.perf_counter() - start, "peak_mb": peak_rss_mb(), "quality": quality}
    if job == "text":
        import pyarrow.parquet as pq

        some = pq.ParquetFile(paths[0]).read_row_group(0)
        right = model.score(some["text"].to_pylist(), some["topic"].to_pylist())
        facts["quality"] = f"right for {right:.1%} of the first documents"
    print(json.dumps(facts), flush=True)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("job", nargs="?", choices=["kmeans", "text"], default="kmeans")
    ap.add_argument("--gb", type=float, default=4.0, help="size of the data")
    ap.add_argument("--limit-mb", type=float, default=1024.0, help="resident memory the fit may use")
    ap.add_argument("--iterations", type=int, default=10)
    ap.add_argument("--folder", type=Path, help="where to write (default: the temporary folder)")
    ap.add_argument("--child", help=argparse.SUPPRESS)
    a = ap.parse_args()
    if a.child:
        return fit(a.job, a.child, a.iterations)
    free = shutil.disk_usage(a.folder or tempfile.gettempdir()).free / 1e9
    if free < 1.1 * a.gb:
        raise SystemExit(f"{free:.1f} GB are free, {a.gb:g} GB are needed. Give another --folder or a smaller --gb.")
    with tempfile.TemporaryDirectory(dir=a.folder) as folder:
        print(f"writing {a.gb:g} GB of Parquet ...", flush=True)
        rows = (write_kmeans if a.job == "kmeans" else write_text)(Path(folder), a.gb)
        size = sum(path.stat().st_size for path in Path(folder).iterdir()) / 1e9
        command = [sys.executable, __file__, a.job, "--child", folder, "--iterations", str(a.iterations)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    facts = json.loads(done.stdout.splitlines()[-1])
    print(f"{a.job}, {rows:,} rows, {size:.2f} GB: {facts['seconds']:.1f} s, {facts['quality']}")
    verdict = "within" if facts["peak_mb"] <= a.limit_mb else "OVER"
    print(f"peak memory {facts['peak_mb']:.0f} MB, {verdict} the limit of {a.limit_mb:.0f} MB")
    return int(facts["peak_mb"] > a.limit_mb)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""`learnt predict` on a CSV file of any length, within a fixed amount of memory.

python predict_csv.py --rows 10000000 --limit-mb 500

Writes a file of ten numeric and two nominal columns into a temporary folder, trains a model on its first rows, runs
the command in a child process, and reports rows per second and that process's peak memory (VmHWM). Exit status 1 if
it went over the limit or lost a row.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROWS_AT_ONCE = 200_000
TRAINING_ROWS = 100_000

# What the child runs: the command line itself, which leaves with an exit code; then the peak is told.
CHILD = """
import json, sys
sys.path.insert(0, sys.argv.pop(1))
from child import peak_rss_mb
from learnt.cli import main
try:
    main(sys.argv[1:])
finally:
    print(json.dumps({"peak_mb": peak_rss_mb()}), flush=True)
"""


def write(path, rows):
    """Numbers of four digits, a colour, a town, and a class that depends on some of them."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv as csv

    rng = np.random.default_rng(0)
    colours, towns = np.array(["red", "green", "blue"]), np.array([f"town {i}" for i in range(50)])
    names = [*(f"x{j}" for j in range(10)), "colour", "town", "y"]
    schema = pa.schema([(name, pa.float64() if name[0] == "x" else pa.string()) for name in names])
    options = csv.WriteOptions(quoting_style="none")
    with csv.CSVWriter(path, schema, write_options=options) as out:
        for first in range(0, rows, ROWS_AT_ONCE):
            n = min(ROWS_AT_ONCE, rows - first)
            x = rng.normal(size=(10, n)).round(4)
            colour, town = rng.integers(0, 3, n), rng.integers(0, 50, n)
            y = np.where(x[0] + x[1] * x[2] + (colour == 0) + rng.normal(size=n) > 0.5, "yes", "no")
            out.write_table(pa.table([*x, colours[colour], towns[town], y], schema=schema))


def train(data, folder, learner):
    """A model of the first rows, saved."""
    import learnt

    start = next(learnt.scan(data, target="y", batch_rows=TRAINING_ROWS).batches())
    cls = learnt.learner.registry.find(learner)
    model = folder / "model.learnt"
    learnt.save(cls().fit(start), model)
    return model


def count_lines(path):
    with open(path, "rb") as file:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 24), b""))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--rows", type=int, default=10_000_000)
    ap.add_argument("--limit-mb", type=float, default=500.0, help="resident memory the command may use")
    ap.add_argument("--learner", default="NaiveBayesClassifier")
    ap.add_argument("--options", default="", help="further options of learnt predict, such as '--proba --append'")
    ap.add_argument("--folder", type=Path, help="where to write (default: the temporary folder)")
    a = ap.parse_args()
    with tempfile.TemporaryDirectory(dir=a.folder) as place:
        folder = Path(place)
        data, answers = folder / "data.csv", folder / "answers.csv"
        print(f"writing {a.rows:,} rows of CSV ...", flush=True)
        write(data, a.rows)
        model = train(data, folder, a.learner)
        size = data.stat().st_size / 1e9
        here = str(Path(__file__).parent)
        command = ["predict", str(model), str(data), "-o", str(answers), "--quiet", *a.options.split()]
        before, start = os.times(), time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", CHILD, here, *command], stdout=subprocess.PIPE, text=True, check=True
        )
        seconds, after = time.perf_counter() - start, os.times()
        written = count_lines(answers) - 1
    peak = json.loads(done.stdout.splitlines()[-1])["peak_mb"]
    work = after.children_user + after.children_system - before.children_user - before.children_system
    print(
        f"learnt predict, {a.learner}, {a.rows:,} rows, {size:.2f} GB: {seconds:.1f} s ({work:.1f} s of CPU), "
        f"{a.rows / seconds / 1e6:.2f} million rows/s"
    )
    verdict = "within" if peak <= a.limit_mb else "OVER"
    print(f"peak memory {peak:.0f} MB, {verdict} the limit of {a.limit_mb:.0f} MB; {written:,} answers")
    return int(peak > a.limit_mb or written != a.rows)


if __name__ == "__main__":
    sys.exit(main())

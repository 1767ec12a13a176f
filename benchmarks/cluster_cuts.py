#!/usr/bin/env python3
"""One, two and four workers, the same rows in 1, 7 and 50 pieces: the model of one machine, the bits of the pieces.

python benchmarks/cluster_cuts.py                   five learners, files and a dask.dataframe
python benchmarks/cluster_cuts.py --rows 200000 --only kmeans,boosting

Each fit is to be within 1e-10 of the local one of the rows in one file, and for the same pieces to have the same bits
for any number of workers. Exit status 1 if one is not.
"""

import argparse
import sys
import tempfile
import warnings
from itertools import pairwise, product
from pathlib import Path

import cluster_data
from cluster_fits import FITS, USUAL, answers
from run import say

WORKERS, PIECES, CLOSE = (1, 2, 4), (1, 7, 50), 1e-10


def cut(folder, rows, n_pieces):
    """The folder of the rows in so many files of one row group each."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.concat_tables(
        cluster_data.group(number, min(cluster_data.GROUP_ROWS, rows - first))
        for number, first in enumerate(range(0, rows, cluster_data.GROUP_ROWS))
    )
    ends = np.linspace(0, rows, n_pieces + 1).astype(int)
    place = folder / str(n_pieces)
    place.mkdir()
    for number, (start, end) in enumerate(pairwise(ends)):
        pq.write_table(table.slice(start, end - start), place / f"{number:03}.parquet", row_group_size=rows)
    return place


def apart(one, other):
    """How far fitted numbers are from each other, by the largest of their kind."""
    import numpy as np

    far = 0.0
    for name, value in one.items():
        if value.shape != other[name].shape:
            return float("inf")
        if value.size:
            size = max(float(np.abs(value).max()), np.finfo(float).tiny)
            far = max(far, float(np.abs(value.astype(float) - other[name].astype(float)).max()) / size)
    return far


def scan(paths):
    import learnt

    return learnt.scan(paths)


def frame(paths):
    import dask.dataframe as dd

    return dd.read_parquet(paths, split_row_groups=1)


SOURCES = {"files": scan, "dask.dataframe": frame}


def fitted(client, name, source, table, rounds):
    import learnt

    with learnt.cluster(client):
        return answers(name, FITS[name](source, rounds), table)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--rows", type=int, default=1_000_000)
    ap.add_argument("--rounds", type=int, default=4)
    ap.add_argument("--only", default=",".join(USUAL), help="learners, with commas between; forest too")
    a = ap.parse_args()
    a.only = a.only.split(",")
    import learnt

    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        files = {n: sorted(map(str, cut(Path(folder), a.rows, n).iterdir())) for n in PIECES}
        table = learnt.read(files[1][0]).rows(0, 1000)
        return compared(a, files, table)


def compared(a, files, table):
    """Fit everything, say what was found, and whether anything was other than it is to be."""
    from distributed import Client, LocalCluster

    import learnt

    alone = {name: answers(name, FITS[name](learnt.scan(files[1]), a.rounds), table) for name in a.only}
    found, far = {}, {}
    for workers in WORKERS:
        with (
            LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as machines,
            Client(machines) as client,
        ):
            for name, n_pieces, kind in product(alone, PIECES, SOURCES):
                model = fitted(client, name, SOURCES[kind](files[n_pieces]), table, a.rounds)
                bits = tuple(value.tobytes() for _, value in sorted(model.items()))
                found.setdefault((name, kind, n_pieces), set()).add(bits)
                far[name, kind] = max(far.get((name, kind), 0.0), apart(alone[name], model))
        say(f"  {workers} workers: {len(alone) * len(PIECES)} fits of each source")
    print(f"{a.rows:,} rows, {WORKERS} workers, {PIECES} pieces\n\n| learner | source | from local, at most | bits |")
    print("|---|---|---|---|")
    wrong = []
    for (name, kind), distance in far.items():
        many = [n for n in PIECES if len(found[name, kind, n]) > 1]
        print(f"| {name} | {kind} | {distance:.1e} | {f'DIFFERENT for {many} pieces' if many else 'the same'} |")
        wrong += [f"{name} of {kind}"] if many or distance > CLOSE else []
    print("\n" + ("; ".join(wrong) or f"all within {CLOSE} of local, and the same bits for the same pieces"))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())

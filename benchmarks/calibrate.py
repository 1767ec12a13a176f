"""Whether tests err as often as they say and intervals hold what they promise: `make calibrate`.

    python benchmarks/calibrate.py                       # everything, and the tables of docs/calibration.md anew
    python benchmarks/calibrate.py --only scores areas   # files or groups of calibration/ whose names hold these words
    python benchmarks/calibrate.py --lacking             # what has had fewer runs than it should, or none
    python benchmarks/calibrate.py --runs 2000 --dry     # at most so many runs each, and nothing is written
    python benchmarks/calibrate.py --page                # the tables again from what is stored

Every test is tried 20,000 times on data in which there is nothing to be found, and should find something in 5 % of
them; every interval on data of which the truth is known, which it should hold in 95 %. Runs are drawn from seeds of
their own, so that the result does not depend on how many processes share the work.
"""

from __future__ import annotations

import os

if __name__ == "__main__":  # before NumPy is imported: processes share the work, not threads
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import importlib
import multiprocessing
import sys
import time
import zlib
from multiprocessing.pool import Pool

import numpy as np

import learnt
from calibration import GROUPS, RUNS, Group
from calibration.page import PAGE, found_in, page_text, runs_stored, store, unexplained

FILES = ("scores", "folds", "measures", "linear", "columns", "posteriors", "changes", "others")
#: Runs that a process does at a time: fewer where data are large.
PIECE, CELLS = 250, 50_000


def load_groups(words: list[str] | None = None) -> list[Group]:
    """Groups of all files, or those whose file and name hold one of the words."""
    for file in FILES:
        importlib.import_module(f"calibration.{file}")
    return [g for g in GROUPS if not words or any(w in f"{g.play.__module__}.{g.name}" for w in words)]


def run(group: Group, n: int, most: int, pool: Pool | None = None) -> dict[str, np.ndarray]:
    """All runs of a group at one size, piece by piece."""
    runs, step = min(most, RUNS), min(PIECE, CELLS // n)
    tasks = [(group.name, n, i, min(step, runs - i * step)) for i in range(-(-runs // step))]
    pieces = [_piece(t) for t in tasks] if pool is None else pool.map(_piece, tasks, chunksize=1)
    return {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}


def _piece(task: tuple[str, int, int, int]) -> dict[str, np.ndarray]:
    name, n, number, times = task
    group = next(g for g in GROUPS if g.name == name)
    return group.play(np.random.default_rng([17, zlib.crc32(name.encode()), n, number]), n, times)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=[], help="words of files or groups")
    parser.add_argument("--sizes", nargs="*", type=int, default=[], help="of these numbers of rows alone")
    parser.add_argument("--lacking", action="store_true", help="what has had fewer runs than it should")
    parser.add_argument("--runs", type=int, default=RUNS, help="at most so many runs of each")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--dry", action="store_true", help="print, and write nothing")
    parser.add_argument("--page", action="store_true", help="run nothing")
    asked = parser.parse_args()
    chosen = load_groups(asked.only)
    with multiprocessing.get_context("fork").Pool(asked.jobs, learnt.threads, (1,)) as pool:
        for group in [] if asked.page else chosen:
            for n in group.sizes:
                if asked.sizes and n not in asked.sizes:
                    continue
                if asked.lacking and runs_stored(group, n) >= min(asked.runs, RUNS):
                    continue
                start = time.perf_counter()
                found = found_in(group, n, run(group, n, asked.runs, pool))
                print(f"── {group.name}: {time.perf_counter() - start:.0f} s", flush=True)
                print("\n".join(f.row(group) for f in found), flush=True)
                if not asked.dry:
                    store(found)
    if asked.dry:
        return 0
    PAGE.write_text(page_text(), encoding="utf-8")
    outside = unexplained()
    print(f"{PAGE.name} is written; outside the band, and nothing says why: {len(outside)}")
    for f in outside:
        print(f"  {f.group}, n = {f.n}: {f.name}: {f.share}")
    return 1 if outside else 0


if __name__ == "__main__":
    sys.exit(main())

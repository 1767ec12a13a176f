#!/usr/bin/env python3
"""Fits on a Dask cluster of one and two workers beside the same on this machine, and boosting beside the peers' own.

python benchmarks/cluster.py                    all parts, 20 million rows, about a quarter of an hour
python benchmarks/cluster.py --rows 1000000     smaller, to try it
python benchmarks/cluster.py fits --only kmeans one part, some learners
python benchmarks/cluster.py peers --rounds 50

fits      each learner: by the local engine with two threads, on one worker of one thread, on two. Efficiency is
          half of the time of one worker over that of two; overhead the time of two workers over the local one.
          One and two workers must give the same bits, and local numbers within 1e-10. Each process has fitted a small
          file before, which loads what it needs.
peers     gradient boosting by learnt, LightGBM and XGBoost, from the files to the model, on two workers
memory    peak memory of client, scheduler and workers as rows grow, and the processor time of each
scheduler what it does for boosting of a million rows, as their pieces become more

Each run has a process, and a cluster, of its own. Times count from the files to the model.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np

import cluster_data
from cluster_fits import FITS, PEERS, USUAL
from run import ENV, HERE, busy_cpu, say

QUIET = 0.2  # cores that may be busy elsewhere before times are in doubt
GOALS = {"efficiency": 0.8, "overhead": 1.25, "peers": 0.7}
SAME_AUC = 0.001  # what the area under the curve may be below the better peer's
GROWTH = 1.25  # what client and scheduler may take more memory for four times the rows


def spawn(a, folder, system, learner, **options):
    """What one run tells; it is said as it comes."""
    command = [sys.executable, str(HERE / "cluster_child.py"), system, learner, str(folder)]
    command += ["--rounds", str(a.rounds), "--memory", a.memory]
    for name, value in options.items():
        command += [f"--{name}"] if value is True else [f"--{name}", str(value)]
    busy, start = busy_cpu(), time.perf_counter()
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=ENV, timeout=a.timeout)
    except subprocess.TimeoutExpired:
        raise SystemExit(f"{system} took more than {a.timeout:g} s for {learner}.") from None
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    if not lines:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-3000:]}")
    facts = json.loads(lines[-1][7:])
    facts |= {"system": system, "learner": learner, **{k: v for k, v in options.items() if k != "keep"}}
    own = sum(sum(found) for found in facts["cpu"].values())
    facts["all_cores"] = (busy_cpu() - busy) / (time.perf_counter() - start)
    which = f"{system} {options.get('workers', '')}"
    say(f"  {learner:14} {which:12} {facts['seconds']:7.1f} s, {own:6.1f} s of processors")
    return facts


def fits(a, folder):
    rows = []
    with tempfile.TemporaryDirectory() as kept:
        for learner in a.only:
            runs = {
                ("local", 2): spawn(a, folder, "local", learner, warm=True, keep=f"{kept}/local.npz"),
                ("cluster", 1): spawn(a, folder, "cluster", learner, workers=1, warm=True, keep=f"{kept}/one.npz"),
                ("cluster", 2): spawn(a, folder, "cluster", learner, workers=2, warm=True, keep=f"{kept}/two.npz"),
            }
            bits, far = compared(f"{kept}/one.npz", f"{kept}/two.npz"), compared(f"{kept}/local.npz", f"{kept}/two.npz")
            rows.append(row_of(learner, runs, bits[0], far[1]))
    return rows


def row_of(learner, runs, same_bits, distance):
    local, one, two = runs[("local", 2)], runs[("cluster", 1)], runs[("cluster", 2)]
    work = lambda run: sum(sum(found) for found in run["cpu"].values())
    return {
        "learner": learner,
        "local": local["seconds"],
        "one": one["seconds"],
        "two": two["seconds"],
        "efficiency": one["seconds"] / (2 * two["seconds"]),
        "overhead": two["seconds"] / local["seconds"],
        "cpu_local": work(local),
        "cpu_one": work(one),
        "cpu_two": work(two),
        "client_share": two["cpu"]["client"][0] / work(two),
        "same_bits": same_bits,
        "distance": distance,
        "passes": two["passes"],
        "peak_mb": two["peak_mb"],
    }


def compared(one, other):
    """Whether all fitted numbers have the same bits, and how far they are apart, by the largest of their kind."""
    a, b = np.load(one), np.load(other)
    if set(a.files) != set(b.files):
        return False, float("inf")
    far = 0.0
    for name in a.files:
        if a[name].shape != b[name].shape:
            return False, float("inf")
        if a[name].size:
            size = max(np.abs(a[name]).max(), np.abs(b[name]).max(), np.finfo(float).tiny)
            far = max(far, float(np.abs(a[name].astype(float) - b[name].astype(float)).max() / size))
    return all(a[name].tobytes() == b[name].tobytes() for name in a.files), far


def peers(a, folder):
    there = [name for name in PEERS if find_spec(name)]
    for name in PEERS.keys() - there:
        say(f"  {name} is not installed")
    return [spawn(a, folder, system, "boosting", workers=2) for system in ("cluster", *there)]


def memory(a, folder):
    """A sixteenth of the files, a quarter, all of them."""
    n = len(list((folder / "rows").iterdir()))
    some = sorted({max(1, n // 16), max(1, n // 4), n})
    return [
        spawn(a, folder, "cluster", learner, workers=2, files=files, apart=True)
        for learner in a.only
        if learner in ("least_squares", "kmeans", "boosting", "forest")
        for files in some
    ]


def scheduler(a, folder):
    """The same million rows in ever more pieces."""
    from cluster_cuts import cut

    found, rows = [], min(a.rows, 1_000_000)
    with tempfile.TemporaryDirectory() as place:
        for n_pieces in (8, 64, 512):
            here = Path(place) / str(n_pieces)
            here.mkdir()
            cut(here, rows, n_pieces).rename(here / "rows")
            (here / "held_out.parquet").symlink_to(folder / "held_out.parquet")
            found.append(spawn(a, here, "cluster", "boosting", workers=2, apart=True) | {"pieces": n_pieces})
    return found


# ---- what was found


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def told_fits(rows):
    head = ["learner", "local, 2 threads", "1 worker", "2 workers", "efficiency", "overhead", "processor s", "client",
            "1 and 2 workers", "from local", "peak MB of a worker"]  # fmt: skip
    cells = [
        [
            r["learner"], f"{r['local']:.1f} s", f"{r['one']:.1f} s", f"{r['two']:.1f} s",
            f"{r['efficiency']:.2f}", f"{r['overhead']:.2f}",
            f"{r['cpu_local']:.0f} / {r['cpu_one']:.0f} / {r['cpu_two']:.0f}", f"{r['client_share']:.0%}",
            "same bits" if r["same_bits"] else "DIFFERENT", f"{r['distance']:.1e}",
            f"{max(r['peak_mb']['workers']):.0f}",
        ]
        for r in rows
    ]  # fmt: skip
    return table(head, cells)


def told_peers(rows):
    best = min((r["seconds"] for r in rows if r["system"] != "cluster"), default=float("nan"))
    head = [
        "boosting, 2 workers",
        "files to model",
        "of it reading",
        "of the faster peer",
        "AUC",
        "processor s",
        "peak MB",
    ]
    name = lambda r: "learnt" if r["system"] == "cluster" else r["system"]
    cells = [
        [
            name(r), f"{r['seconds']:.1f} s", f"{r['loading']:.1f} s" if r["loading"] else "-",
            f"{r['seconds'] / best:.2f}", f"{r['auc']:.4f}", f"{sum(map(sum, r['cpu'].values())):.0f}",
            f"{max(r['peak_mb']['workers']):.0f}",
        ]
        for r in rows
    ]  # fmt: skip
    return table(head, cells)


def told_memory(rows):
    head = ["learner", "files", "client MB", "scheduler MB", "workers MB", *SHARES]
    peak = lambda r, who: " ".join(f"{mb:.0f}" for mb in r["peak_mb"][who])
    return table(
        head, [[r["learner"], str(r["files"]), *(peak(r, who) for who in r["peak_mb"]), *shares(r)] for r in rows]
    )


def told_scheduler(rows):
    return table(["pieces", *SHARES], [[str(r["pieces"]), *shares(r)] for r in rows])


SHARES = ["processor s: client", "scheduler", "workers", "scheduler's share", "its steps"]


def shares(r):
    """Who needed the processor for how long, and how many steps of tasks the scheduler took."""
    of = {who: sum(found) for who, found in r["cpu"].items()}
    return [*(f"{of[who]:.1f}" for who in of), f"{of['scheduler'] / sum(of.values()):.2%}", f"{r['steps']:,}"]


def failures(found):
    """What missed its goal, in words."""
    for r in found.get("fits", []):
        if not r["same_bits"]:
            yield f"{r['learner']}: one and two workers differ"
        if r["distance"] > 1e-10:
            yield f"{r['learner']}: {r['distance']:.1e} from the local fit"
        if r["efficiency"] < GOALS["efficiency"]:
            yield f"{r['learner']}: efficiency {r['efficiency']:.2f}, wanted {GOALS['efficiency']}"
        if r["overhead"] > GOALS["overhead"]:
            yield f"{r['learner']}: overhead {r['overhead']:.2f}, wanted {GOALS['overhead']} at most"
    if rows := found.get("peers", []):
        yield from (f"{name} was not there to be compared with" for name in PEERS.keys() - {r["system"] for r in rows})
        own, *others = rows
        if others and own["seconds"] > GOALS["peers"] * min(r["seconds"] for r in others):
            yield f"boosting takes more than {GOALS['peers']} of the faster peer's time"
        if others and own["auc"] < max(r["auc"] for r in others) - SAME_AUC:
            yield f"boosting's AUC is more than {SAME_AUC} below the better peer's"
    for few, many in pairwise(found.get("memory", [])):
        for who in ("client", "scheduler") if few["learner"] == many["learner"] and few["files"] > 1 else ():
            before, after = few["peak_mb"][who][0], many["peak_mb"][who][0]
            if after > GROWTH * before:
                files = f"{many['files']} files, {before:.0f} for {few['files']}"
                yield f"{few['learner']}: {who} takes {after:.0f} MB for {files}"


def arguments():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("parts", nargs="*", help="fits, peers, memory, scheduler (default: all)")
    ap.add_argument("--rows", type=int, default=20_000_000)
    ap.add_argument("--rounds", type=int, default=10, help="of boosting; iterations of k-means")
    ap.add_argument("--only", default=",".join(USUAL), help="learners, with commas between; forest too")
    ap.add_argument("--memory", default="9GB", help="what a worker may use")
    ap.add_argument("--timeout", type=float, default=900, help="seconds one run may take")
    ap.add_argument("--json", type=Path, default=HERE / "data" / "cluster.json", help="results are merged into it")
    a = ap.parse_args()
    a.only = a.only.split(",")
    for what, names, known in (("part", a.parts, PARTS), ("learner", a.only, FITS)):
        if unknown := set(names) - set(known):
            raise SystemExit(f"There is no {what} {', '.join(unknown)}. There are {', '.join(known)}.")
    return a


PARTS = {
    "fits": (fits, told_fits),
    "peers": (peers, told_peers),
    "memory": (memory, told_memory),
    "scheduler": (scheduler, told_scheduler),
}


def main():
    a = arguments()
    say(f"{a.rows:,} rows")
    folder = cluster_data.folder_of(a.rows)
    for path in (folder / "rows").iterdir():  # into the system's cache, for all alike
        with path.open("rb") as file:
            while file.read(1 << 24):
                pass
    found = {"rows": a.rows, "rounds": a.rounds, "bytes": json.loads((folder / "facts.json").read_text())["bytes"]}
    for part in a.parts or PARTS:
        say(part)
        measure, tell = PARTS[part]
        found[part] = measure(a, folder)
        print(f"\n{part}, {a.rows:,} rows, {found['bytes'] / 1e9:.2f} GB\n\n{tell(found[part])}\n", flush=True)
        a.json.write_text(json.dumps((json.loads(a.json.read_text()) if a.json.exists() else {}) | found, indent=1))
    misses = list(failures(found))
    print("\n".join(misses or ["all goals met"]))
    return bool(misses)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Run workloads for every library that imports, interleaved, each timed run in its own process.

python run.py                       all workloads, 3 repeats, table + results.json
python run.py gbdt kmeans -r 5      some workloads
python run.py gbdt --only lightgbm,learnt
python run.py --list
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import adapters
import workloads
from registry import THREADS
from table import table, with_ratios

HERE = Path(__file__).resolve().parent
POOLS = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA", "ARROW", "POLARS")
THREAD_ENV = dict.fromkeys(
    [
        *(pool + "_NUM_THREADS" for pool in POOLS),
        "POLARS_MAX_THREADS",
        "LOKY_MAX_CPU_COUNT",
        "LEARNT_THREADS",
    ],
    str(THREADS),
)
ENV = {**os.environ, **THREAD_ENV}
ABSENT = "not installed"


def say(text):
    print(time.strftime("%H:%M:%S"), text, file=sys.stderr, flush=True)


def busy_cpu():
    with open("/proc/stat") as f:
        v = [int(x) for x in f.readline().split()[1:]]
    return (sum(v[:3]) + sum(v[5:8])) / os.sysconf("SC_CLK_TCK")


def spawn(workload, label, cfg, timeout):
    """The result of one run in a child process, or {"error": ...}."""
    command = [sys.executable, str(HERE / "child.py"), workload, label, json.dumps(cfg)]
    busy0, own0, t0 = busy_cpu(), sum(os.times()[2:4]), time.perf_counter()
    try:
        p = subprocess.run(command, capture_output=True, text=True, timeout=timeout, cwd=HERE, env=ENV)
    except subprocess.TimeoutExpired:
        return {"error": f"over {timeout:g} s"}
    for line in p.stdout.splitlines():
        if line.startswith("RESULT "):
            r = json.loads(line[7:])
            # Cores that other processes kept busy meanwhile: above 0.1 or so, measure again.
            foreign = busy_cpu() - busy0 - sum(os.times()[2:4]) + own0
            r["other_cores"] = max(0.0, foreign / (time.perf_counter() - t0))
            return r
    last = (p.stderr.strip().splitlines() or [f"exit {p.returncode}"])[-1]
    return {"error": ABSENT if last.startswith("ModuleNotFoundError") else last[:200]}


def calibrate(w, label, timeout):
    """Time to accuracy: the loosest setting of the ladder that reaches the target, or an error."""
    ladder = adapters.REG[w.name][label][1]
    if w.target is None or not ladder:
        return {}, None
    for cfg in ladder:
        r = spawn(w.name, label, cfg, timeout)
        say(f"  calibrate {label:28} {cfg} " + (r.get("error") or f"{r['fit']:.2f}s {r['score']:.3g}"))
        if "error" in r:
            return cfg, r["error"]
        if r["score"] <= w.target:
            return cfg, None
    return cfg, f"never reached {w.target:g} (last {r['score']:.3g})"


def bench(w, labels, repeats, timeout, long):
    runs, cfgs, errors = {label: [] for label in labels}, {}, {}
    for label in labels:
        cfgs[label], error = calibrate(w, label, timeout)
        if error:
            errors[label] = error
    for i in range(repeats):
        for label in labels[i % len(labels) :] + labels[: i % len(labels)]:  # interleaved, rotating start
            done = runs[label]
            if label in errors or (done and done[0]["fit"] + done[0]["predict"] > long):
                continue
            r = spawn(w.name, label, cfgs[label], timeout)
            if "error" in r:
                errors[label] = r["error"]
            else:
                done.append(r)
            score = r.get("error") or f"fit {r['fit']:.3f} predict {r['predict']:.3f} score {r['score']:.6g}"
            say(f"  {label:30} {score}")
    rows = [summary(w, label, runs[label], cfgs[label]) for label in labels if runs[label]]
    failed = {label: e for label, e in errors.items() if not runs[label] and e != ABSENT}
    return rows + [{"workload": w.name, "library": label, "error": e} for label, e in failed.items()]


def summary(w, label, runs, cfg):
    row = {"workload": w.name, "library": label, "n": len(runs), "metric": w.metric, "cfg": cfg}
    for key in ("fit", "predict", "cpu", "cpu_predict", "peak_mb", "extra_mb", "score", "other_cores"):
        row[key] = statistics.median(r[key] for r in runs)
    for key in ("fit", "predict"):
        row[key + "_min"], row[key + "_max"] = min(r[key] for r in runs), max(r[key] for r in runs)
    return {**row, "fallback": any(r["fallback"] for r in runs)}


def bench_imports(repeats):
    times = {}
    for i in range(repeats + 1):  # the first round warms the file cache and is dropped
        for label, statement in {"(bare python)": "pass", **adapters.IMPORTS}.items():
            t = time.perf_counter()
            p = subprocess.run([sys.executable, "-c", statement], capture_output=True, cwd="/", env=ENV)
            if i and p.returncode == 0:
                times.setdefault(label, []).append(time.perf_counter() - t)
    rows = []
    for label, v in times.items():
        say(f"  import {label:24} {statistics.median(v):.3f}")
        row = {"workload": "import", "library": label, "n": len(v)}
        rows.append({**row, "fit": statistics.median(v), "fit_min": min(v), "fit_max": max(v)})
    return rows


def arguments():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("names", nargs="*", help="workloads, or 'import' (default: all)")
    ap.add_argument("-r", "--repeats", type=int, default=3)
    ap.add_argument("--only", help="comma-separated starts of library labels")
    ap.add_argument("--timeout", type=float, default=240, help="seconds one process may take")
    ap.add_argument("--long", type=float, default=90, help="a run longer than this is not repeated")
    ap.add_argument("--json", type=Path, default=HERE / "results.json", help="rows are merged into this file")
    ap.add_argument("--list", action="store_true", help="list workloads and libraries")
    ap.add_argument("--table", action="store_true", help="print the table of the JSON file, run nothing")
    return ap.parse_args()


def main():
    a = arguments()
    everything = [*workloads.ALL, "import"]
    names = a.names or everything
    unknown = set(names) - set(everything)
    if unknown:
        raise SystemExit(f"There is no workload {', '.join(unknown)}. The workloads are {', '.join(everything)}.")
    if a.list:
        for name, w in workloads.ALL.items():
            print(f"{name:14} {w.doc}\n{'':14} {', '.join(adapters.REG.get(name, {}))}")
        return
    rows = json.loads(a.json.read_text()) if a.json.exists() else []
    if a.table:
        print(table([r for name in everything for r in rows if r["workload"] == name and name in names]))
        return
    fresh = set()
    for name in names:
        say(name)
        if name == "import":
            new = bench_imports(max(a.repeats, 5))
        else:
            workloads.ALL[name].prepare()
            starts = tuple(a.only.split(",")) if a.only else ("",)
            labels = [label for label in adapters.REG.get(name, {}) if label.startswith(starts)]
            new = bench(workloads.ALL[name], labels, a.repeats, a.timeout, a.long)
        keys = {(r["workload"], r["library"]) for r in new}
        fresh |= keys
        rows = with_ratios([r for r in rows if (r["workload"], r["library"]) not in keys] + new)
        a.json.write_text(json.dumps(rows, indent=1))
    print(table([r for r in rows if (r["workload"], r["library"]) in fresh]))


if __name__ == "__main__":
    main()

"""What `SVC` costs as rows grow: seconds of all cores, support vectors, kernel values and peak memory.

python machines_growth.py                 1k to 100k rows x 30, RBF, as in the workload svm_rbf
python machines_growth.py --rows 1000 2000
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from child import peak_rss_mb

HERE = Path(__file__).resolve().parent
ROWS = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
ASKED = 10_000


def measure(n):
    import learnt
    from workloads import _nonlinear

    X, y = _nonlinear(np.random.default_rng(0), n + ASKED, 30, 3.0, np.float64)
    learnt.SVC(gamma=1 / 30, standardize=False, probability=False).fit(X[:200], y[:200]).predict(X[:200])
    base = peak_rss_mb(reset=True)
    c0, t0 = time.process_time(), time.perf_counter()
    model = learnt.SVC(gamma=1 / 30, standardize=False, probability=False).fit(X[:n], y[:n])
    c1, t1 = time.process_time(), time.perf_counter()
    answers = model.predict(X[n:])
    c2 = time.process_time()
    peak = peak_rss_mb()
    return {
        "rows": n,
        "cpu": c1 - c0,
        "wall": t1 - t0,
        "predict": c2 - c1,
        "support": len(model.support_),
        "accuracy": float(np.mean(answers == y[n:])),
        "peak": peak,
        "extra": peak - base,
    }


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--rows", type=int, nargs="+", default=list(ROWS))
    ap.add_argument("--one", type=int, help="measure these rows in this process, print JSON")
    a = ap.parse_args()
    if a.one:
        print("RESULT " + json.dumps(measure(a.one)))
        return
    print("| rows | fit, CPU s | predict 10k, CPU s | support vectors | accuracy | peak MB | of these for the fit |")
    print("|---|---|---|---|---|---|---|")
    for n in a.rows:
        p = subprocess.run([sys.executable, __file__, "--one", str(n)], capture_output=True, text=True, cwd=HERE)
        found = [line for line in p.stdout.splitlines() if line.startswith("RESULT ")]
        if not found:
            print(f"| {n:,} | failed: {(p.stderr.strip().splitlines() or ['?'])[-1]} |", flush=True)
            continue
        r = json.loads(found[0][7:])
        print(
            f"| {n:,} | {r['cpu']:.3g} | {r['predict']:.2g} | {r['support']:,} | {r['accuracy']:.3f} "
            f"| {r['peak']:.0f} | {r['extra']:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()

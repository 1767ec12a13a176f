"""One library, one workload, one timed run, in a process of its own: prints RESULT and a JSON line."""

import gc
import json
import logging
import os
import re
import sys
import time


def peak_rss_mb(reset=False):
    """VmHWM; `ru_maxrss` would report what the parent had before the fork."""
    if reset:
        try:
            with open("/proc/self/clear_refs", "w") as f:
                f.write("5")
        except OSError:
            pass
    with open("/proc/self/status") as f:
        return int(re.search(r"VmHWM:\s+(\d+)", f.read()).group(1)) / 1024


def keep_notes_of(library):
    """What a library logs, as a list that grows."""
    notes = []

    class Keep(logging.Handler):
        def emit(self, record):
            notes.append(record.getMessage())

    log = logging.getLogger(library)
    log.setLevel(logging.INFO)
    log.handlers, log.propagate = [Keep()], False
    return notes


def run(workload, label, cfg):
    import adapters
    import workloads

    # Did oneDAL really run, or did it fall back to scikit-learn?
    notes = keep_notes_of("sklearnex") if label.startswith("sklearnex") else []
    w = workloads.ALL[workload]
    d = w.load()
    make = adapters.REG[workload][label][0]
    fit, predict = make(cfg)[:2]
    small = w.warm(d)
    predict(fit(small), small)  # untimed warm-up on a small slice
    parts = make(cfg)
    fit, predict, extras = parts if len(parts) == 3 else (*parts, lambda m: {})
    del small
    gc.collect()
    notes.clear()
    base = peak_rss_mb(reset=True)
    c0, t0 = time.process_time(), time.perf_counter()
    model = fit(d)
    t1, c1 = time.perf_counter(), time.process_time()
    out = predict(model, d)
    t2, c2 = time.perf_counter(), time.process_time()
    peak = peak_rss_mb()
    return {
        "fit": t1 - t0,
        "predict": t2 - t1,
        "cpu": c1 - c0,
        "cpu_predict": c2 - c1,
        "peak_mb": peak,
        "extra_mb": peak - base,
        "score": w.score(d, out, extras(model)),
        "fallback": any("fallback" in n for n in notes),
    }


if __name__ == "__main__":
    print("RESULT " + json.dumps(run(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))), flush=True)
    os._exit(0)  # some libraries hang or crash when they take down their threads

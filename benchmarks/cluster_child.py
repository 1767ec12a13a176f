"""One fit, by one system on one cluster, in a process of its own: prints RESULT and a JSON line."""

import argparse
import json
import os
import time
import warnings
from pathlib import Path

from child import peak_rss_mb
from cluster_fits import FITS, PEERS, answers, area, dask_frames


def of_process():
    """Peak memory, processor time and number of the process that asks; it runs at workers and the scheduler too."""
    return peak_rss_mb(), time.process_time(), os.getpid()


def steps_of(dask_scheduler=None):
    """How many steps of tasks the scheduler has taken; it runs there."""
    return dask_scheduler.transition_counter


def of_all(client):
    workers = client.run(of_process)
    scheduler = client.run_on_scheduler(of_process)
    found = {"client": of_process(), "scheduler": scheduler, "workers": list(workers.values())}
    if scheduler[2] == os.getpid():
        found["scheduler"] = (0.0, 0.0)  # a LocalCluster's lives in the client's process
    return found | {"steps": client.run_on_scheduler(steps_of)}


def open_cluster(a):
    from distributed import LocalCluster
    from distributed.deploy.subprocess import SubprocessCluster

    if a.apart:  # the scheduler has a process of its own
        os.environ["PYTHONPATH"] = str(Path(__file__).resolve().parent)  # of processes that start elsewhere
        workers = {"memory_limit": a.memory, "nthreads": 1}
        return SubprocessCluster(n_workers=a.workers, dashboard_address=":0", worker_kwargs=workers)
    return LocalCluster(n_workers=a.workers, threads_per_worker=1, memory_limit=a.memory, dashboard_address=None)


def on_cluster(a, paths, held_out):
    from distributed import Client

    import learnt

    with open_cluster(a) as machines, Client(machines) as client:
        client.wait_for_workers(a.workers)
        client.run(warm, a.system)
        if a.warm:
            with learnt.cluster(client):
                FITS[a.learner](learnt.scan([held_out] * a.workers), 1)
        before, start = of_all(client), time.perf_counter()
        if a.system == "cluster":
            with learnt.cluster(client):
                model = FITS[a.learner](learnt.scan(paths), a.rounds)
            loaded = start
        else:
            import pandas as pd

            rows = pd.read_parquet(held_out).drop(columns="label")
            start = time.perf_counter()
            frames = dask_frames(paths, client)
            loaded = time.perf_counter()
            model = PEERS[a.system](frames, client, a.rounds, rows)
        ended, after = time.perf_counter(), of_all(client)
        return model, {"seconds": ended - start, "loading": loaded - start, **used(before, after)}


def warm(system):
    """Imports are not measured."""
    if system == "cluster":
        import learnt

        for name in ("scan", "KMeans", "LinearRegression", "NaiveBayesClassifier", "GradientBoostingClassifier"):
            getattr(learnt, name)
    else:
        __import__("pandas"), __import__(system)


def used(before, after):
    """Peak memory of each process, what it had before the fit, and its processor time during it."""
    pairs = {"client": [(before["client"], after["client"])], "scheduler": [(before["scheduler"], after["scheduler"])]}
    pairs["workers"] = list(zip(before["workers"], after["workers"], strict=False))
    return {
        "peak_mb": {who: [b[0] for _, b in found] for who, found in pairs.items()},
        "before_mb": {who: [a[0] for a, _ in found] for who, found in pairs.items()},
        "cpu": {who: [b[1] - a[1] for a, b in found] for who, found in pairs.items()},
        "steps": after["steps"] - before["steps"],
    }


def on_this_machine(a, paths, held_out):
    import learnt

    warm("cluster")
    if a.warm:
        FITS[a.learner](learnt.scan([held_out] * a.workers), 1)
    before, start = of_process(), time.perf_counter()
    model = FITS[a.learner](learnt.scan(paths), a.rounds)
    seconds, after = time.perf_counter() - start, of_process()
    mine = ({"client": found, "scheduler": (0, 0), "workers": [], "steps": 0} for found in (before, after))
    return model, {"seconds": seconds, "loading": 0.0, **used(*mine)}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("system", choices=["local", "cluster", *PEERS])
    ap.add_argument("learner", choices=list(FITS))
    ap.add_argument("folder", type=Path)
    ap.add_argument("--workers", type=int, default=2)
    ap.add_argument("--rounds", type=int, default=10)
    ap.add_argument("--files", type=int, help="the first files only")
    ap.add_argument("--memory", default="9GB")
    ap.add_argument("--apart", action="store_true", help="the scheduler in a process of its own")
    ap.add_argument("--warm", action="store_true", help="a small fit first, which is not measured")
    ap.add_argument("--keep", type=Path, help="where fitted numbers are written")
    a = ap.parse_args()
    warnings.simplefilter("ignore")
    paths = sorted(str(path) for path in (a.folder / "rows").glob("*.parquet"))[: a.files]
    held_out = str(a.folder / "held_out.parquet")
    model, facts = on_this_machine(a, paths, held_out) if a.system == "local" else on_cluster(a, paths, held_out)
    facts |= quality(a, model, held_out)
    print("RESULT " + json.dumps(facts), flush=True)
    os._exit(0)  # some libraries hang when they take down their threads


def quality(a, model, held_out):
    import numpy as np
    import pyarrow.parquet as pq

    import learnt

    label = pq.read_table(held_out, columns=["label"])["label"].to_numpy()
    if a.system in PEERS:
        return {"auc": area(model(), label)}
    table = learnt.read(held_out)
    if a.keep:
        np.savez(a.keep, **answers(a.learner, model, table))
    facts = {"passes": getattr(model, "n_iter_", None) if a.learner in ("kmeans", "logistic") else None}
    facts["passes"] = None if facts["passes"] is None else int(np.max(facts["passes"]))
    if a.learner == "boosting":
        facts["auc"] = area(model.predict_proba(table)[:, 1], label)
    return facts


if __name__ == "__main__":
    main()

"""What the passes of each learner cost on this machine, which the model of scale predicts from."""

import json
import os
import pickle
import time
import warnings
from dataclasses import asdict, dataclass, field

import cluster_data

#: What keeps a learner from taking minutes here, and nothing else: passes are as many as they are told to be.
SETTINGS = {
    "GradientBoostingClassifier": {"max_iter": 10, "early_stopping": False},
    "GradientBoostingRegressor": {"max_iter": 10, "early_stopping": False},
    **{
        f"{kind}{task}": {"n_estimators": 4}
        for kind in ("RandomForest", "ExtraTrees")
        for task in ("Classifier", "Regressor")
    },
    **{f"MLP{task}": {"max_iter": 2} for task in ("Classifier", "Regressor")},
    "KMeans": {"n_clusters": 8, "n_init": 1, "max_iter": 10, "tol": 0},
    **{name: {"n_components": 4} for name in ("GaussianMixture", "MixtureModel")},
}


@dataclass
class Passes:
    """Passes of one kind in a fit: how many, and for one of them the means."""

    name: str
    reads: bool
    count: int = 0
    seconds: float = 0.0  # of the processor, for all rows
    sent: int = 0  # bytes of the pass
    sums: int = 0  # bytes of its statistic
    by_row: float = 0.0  # bytes of it for each row, where it grows with them
    at_once: bool = False  # whether a worker adds all its pieces up in one


@dataclass
class Costs:
    learner: str
    rows: int
    between: float = 0.0  # seconds that the client computes
    passes: list[Passes] = field(default_factory=list)


def costs_of(name, scan, target, rows):
    """A fit by one thread whose passes are watched."""
    import learnt
    from learnt.engine.cluster.session import SumsAtOnce
    from learnt.engine.engines import StreamEngine

    found, kinds, plain = Costs(name, rows), {}, StreamEngine.answer

    def watched(self, request):
        start = time.process_time()
        statistic = plain(self, request)
        took = time.process_time() - start
        name = type(request).__name__
        kind = kinds.setdefault(name, Passes(name, request.reads, at_once=isinstance(request, SumsAtOnce)))
        kind.count, kind.seconds = kind.count + 1, kind.seconds + took
        kind.sent = max(kind.sent, len(pickle.dumps(request)))
        kind.sums = max(kind.sums, len(pickle.dumps(statistic, protocol=5)))
        return statistic

    model = getattr(learnt, name)(**SETTINGS.get(name, {}))
    StreamEngine.answer = watched
    start = time.process_time()
    try:
        model.fit(scan, target) if target else model.fit(scan)
    finally:
        StreamEngine.answer = plain
    whole = time.process_time() - start
    found.passes = list(kinds.values())
    found.between = max(0.0, whole - sum(kind.seconds for kind in found.passes))
    return found


def reading_times(scan):
    """Seconds of the processor to read a row, and what it costs more to keep it."""
    took = []
    for keeps in (False, True):
        start, rows, kept = time.process_time(), 0, []
        for batch in scan.batches():
            rows += batch.n_rows
            if keeps:
                kept.append(batch)
        took.append((time.process_time() - start) / rows)
    return took[0], max(0.0, took[1] - took[0])


def task_times():
    """Seconds of a task's way to a worker and back, and of the client and scheduler for each of many."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as machines,
        Client(machines) as client,
    ):
        client.submit(abs, 0).result()
        trips = []
        for i in range(50):
            start = time.perf_counter()
            client.submit(abs, i, pure=False).result()
            trips.append(time.perf_counter() - start)
        start = time.process_time()
        client.gather([client.submit(abs, i, pure=False) for i in range(500)])
        return sorted(trips)[len(trips) // 2], (time.process_time() - start) / 500


# ---- what is measured on


def source_of(entry, folder, half):
    """Rows that suit a learner: numbers with labels or values, or documents."""
    import pyarrow.parquet as pq

    import learnt

    if "text" in entry.abilities:
        rows, target = 10_000 if half else 20_000, "topic" if entry.task == "classification" else None
        return learnt.scan(str(documents(folder, rows, target))), target, rows
    table = pq.read_table(sorted((folder / "rows").glob("*.parquet")))
    table = table.slice(0, table.num_rows // 2) if half else table
    target = {"classification": "label", "regression": "value"}.get(entry.task)
    numbers = [f"x{j}" for j in range(cluster_data.FEATURES)]
    if "counts" in entry.abilities:
        import numpy as np
        import pyarrow as pa

        columns = {name: pa.array(np.abs(np.round(table[name].to_numpy()))) for name in numbers}
        table = pa.table(columns | {"label": table["label"]})
    path = folder / f"model-{entry.task}-{'counts' in entry.abilities}.parquet"
    pq.write_table(
        table.select([*numbers, *([target] if target else [])]), path, compression="none", row_group_size=65_536
    )
    return learnt.scan(str(path)), target, table.num_rows


def documents(folder, n, target):
    """Documents of fifty words, of two topics."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    words = np.array([f"w{i}x" for i in range(20_000)])
    topic = rng.integers(0, 2, n)
    drawn = (rng.zipf(1.3, (n, 50)) + 31 * topic[:, None]) % len(words)
    path = folder / "model-text.parquet"
    texts = [" ".join(row) for row in words[drawn]]
    topics = {} if target is None else {target: [f"t{t}" for t in topic]}
    pq.write_table(pa.table({"text": texts} | topics), path)
    return path


def measured(a):
    os.environ["LEARNT_THREADS"] = "1"  # before learnt is loaded
    import learnt

    warnings.simplefilter("ignore")
    entries = [e for e in learnt.learners() if "passes" in e.abilities and (not a.only or e.name in a.only)]
    folder = cluster_data.folder_of(a.rows)
    trip, task = task_times()
    found = {"machine": {"trip": trip, "task": task}, "learners": []}
    for entry in entries:
        try:
            smaller = costs_of(entry.name, *source_of(entry, folder, half=True))
            scan, target, rows = source_of(entry, folder, half=False)
            if "reading" not in found["machine"]:
                found["machine"]["reading"], found["machine"]["keeping"] = reading_times(scan)
            costs = costs_of(entry.name, scan, target, rows)
            for kind, before in zip(costs.passes, smaller.passes, strict=False):
                if kind.sums > max(1.7 * before.sums, 1 << 20):
                    kind.by_row = (kind.sums - before.sums) / (rows - smaller.rows)
        except learnt.errors.LearntError as error:
            print(f"{entry.name}: {error}", flush=True)
            continue
        found["learners"].append(asdict(costs))
        print(f"{entry.name}: {sum(k.count for k in costs.passes)} passes", flush=True)
    return found


def loaded(path):
    found = json.loads(path.read_text())
    learners = [
        Costs(c["learner"], c["rows"], c["between"], [Passes(**kind) for kind in c["passes"]])
        for c in found["learners"]
    ]
    return found["machine"], learners

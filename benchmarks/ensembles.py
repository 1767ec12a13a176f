"""Ensembles against FLAML, AutoGluon, and their own members: log loss on rows held out of real tables.

    python benchmarks/ensembles.py                                       # all tables, three splits, 30 s for FLAML
    python benchmarks/ensembles.py --budget 10 --tables iris,wine --systems vote,flaml
    python benchmarks/ensembles.py --cache build/ensembles.json --report # what is there so far

Tables are the class tables of `study_tables.py`, those of more than 2000 rows drawn from. Splits are scikit-learn's,
stratified, 70 % to learn from; the log loss is scikit-learn's. What was run stands in the cache and is not run again:
it may be stopped at any time, go on in another environment, and fill the cache side by side with another run. Systems
that are not installed are said and left out. Processor times, those of child processes included, are given beside the
losses. FLAML's budget is time on the clock, or with `--processor` processor time, which is what counts on a busy
machine. All have one thread.

"vote" is `VotingClassifier()`, "stack" `StackingClassifier()`, "best ensemble" what `best_ensemble` makes of
`learnt.compare`, which sees the rows to learn from alone; its own nested score stands in the cache beside the loss.
"autogluon" is AutoGluon's preset medium_quality; it wants an older pandas, so give it an environment of its own:

    pip install --target build/autogluon "autogluon.tabular" lightgbm catboost xgboost
    PYTHONPATH=build/autogluon python benchmarks/ensembles.py --systems autogluon
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

for pool in ("OMP", "OPENBLAS", "LEARNT"):
    os.environ[pool + ("_THREADS" if pool == "LEARNT" else "_NUM_THREADS")] = "1"

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

import learnt
import study_tables

SPLITS = 3
MEMBERS: dict[str, Callable[[], Any]] = {
    "boosting": learnt.GradientBoostingClassifier,
    "forest": learnt.RandomForestClassifier,
    "extra trees": learnt.ExtraTreesClassifier,
    "logistic": lambda: learnt.LogisticRegression(standardize=True),
}
PEERS = ("flaml", "autogluon")
SYSTEMS = (*MEMBERS, "vote", "stack", "best ensemble", *PEERS)

TABLES = study_tables.OF_CLASSES
MOST_ROWS = 2000


def _best_ensemble(x: pd.DataFrame, y: np.ndarray) -> tuple[Any, dict[str, float]]:
    found = learnt.best_ensemble(learnt.compare(x, y, n_jobs=1))
    row = found.standing
    return found.model, {"nested": row.mean, "nested_error": row.standard_error}


class _ProcessorClock:
    """Stands for the module `time` where FLAML asks how late it is."""

    sleep = staticmethod(time.sleep)
    time = staticmethod(time.process_time)


def _flaml(x: pd.DataFrame, y: np.ndarray, budget: float, seed: int, processor: bool) -> Any:
    import flaml.automl.automl
    import flaml.automl.ml
    import flaml.automl.model
    import flaml.automl.state
    import flaml.tune.tune
    from flaml import AutoML

    if processor:
        here = flaml.automl
        for module in (here.automl, here.ml, here.model, here.state, flaml.tune.tune):
            if hasattr(module, "time"):
                module.time = _ProcessorClock
    model = AutoML()
    model.fit(x, y, task="classification", metric="log_loss", time_budget=budget, seed=seed, verbose=0, n_jobs=1)
    return model


def _autogluon(x: pd.DataFrame, y: np.ndarray) -> Any:
    from autogluon.tabular import TabularPredictor

    rows = x.assign(target=y)
    rows.columns = [*(f"column {j}" for j in range(x.shape[1])), "target"]
    folder = tempfile.TemporaryDirectory(prefix="autogluon-")
    found = TabularPredictor("target", eval_metric="log_loss", path=folder.name, verbosity=0)
    return _Predictor(found.fit(rows, presets="medium_quality", num_cpus=1, num_gpus=0), folder)


class _Predictor:
    """AutoGluon's, asked as the others are; it reads from its folder as long as it answers."""

    def __init__(self, found: Any, folder: tempfile.TemporaryDirectory[str]):
        self.found, self.folder, self.classes_ = found, folder, np.array(sorted(found.class_labels))

    def predict_proba(self, x: pd.DataFrame) -> np.ndarray:
        rows = x.set_axis([f"column {j}" for j in range(x.shape[1])], axis=1)
        return np.asarray(self.found.predict_proba(rows)[list(self.classes_)])


def run(system: str, table: str, split: int, budget: float, processor: bool) -> dict[str, float]:
    """Fitted to 70 % of the rows, asked about the others."""
    x, y, _ = study_tables.load(table, MOST_ROWS)
    train, test = train_test_split(np.arange(len(y)), test_size=0.3, stratify=y, random_state=split)
    x_train, y_train, more = x.iloc[train].reset_index(drop=True), y[train], {}
    begun, clock = _processor_time(), time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if system == "flaml":
            model = _flaml(x_train, y_train, budget, split, processor)
            more = {"budget": budget}
        elif system == "autogluon":
            model = _autogluon(x_train, y_train)
        elif system == "best ensemble":
            model, more = _best_ensemble(x_train, y_train)
        else:
            make = {"vote": learnt.VotingClassifier, "stack": learnt.StackingClassifier, **MEMBERS}[system]
            model = make().fit(x_train, y_train)
        cpu, seconds = _processor_time() - begun, time.perf_counter() - clock
        said = np.clip(model.predict_proba(x.iloc[test].reset_index(drop=True)), 1e-15, 1)
        said = said / said.sum(axis=1, keepdims=True)
    loss = float(log_loss(y[test], said, labels=np.asarray(model.classes_)))
    return {"log_loss": loss, "cpu": cpu, "seconds": seconds, **more}


def _processor_time() -> float:
    """Of this process and of its children that have ended."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def _key(system: str, table: str, split: int) -> str:
    return f"{table}/{split}/{system}"


Losses = dict[str, np.ndarray]


def _losses(cache: dict[str, Any], tables: list[str], systems: tuple[str, ...]) -> Losses:
    """By table, the mean losses of the systems over the splits that all of them have run; without tables of none."""
    found = {}
    for t in tables:
        rows = [[cache.get(_key(s, t, i), {}).get("log_loss") for s in systems] for i in range(SPLITS)]
        if whole := [row for row in rows if None not in row]:
            found[t] = np.mean(whole, axis=0)
    return found


def report(cache: dict[str, Any], tables: list[str]) -> None:
    """Mean losses by table, mean ranks of the systems that matter, and stacking against its best member."""
    alone = {s: _losses(cache, tables, (s,)) for s in SYSTEMS}
    print(f"{'log loss':<14}" + "".join(f"{s:>14}" for s in SYSTEMS))
    for t in [t for t in tables if any(t in alone[s] for s in SYSTEMS)]:
        print(f"{t:<14}" + "".join(f"{alone[s][t][0]:>14.4f}" if t in alone[s] else f"{'':>14}" for s in SYSTEMS))
    ours, there = ("vote", "stack", "best ensemble"), tuple(p for p in PEERS if alone[p])
    for chosen in (*(("vote", peer) for peer in there), (*ours, *there), (*MEMBERS, *ours, *there)):
        if loss := _losses(cache, tables, chosen):
            print(f"\nmean rank over {len(loss)} tables, 1 is best; ± is the 95 % interval of the mean")
            _print_ranks(_ranks(loss), chosen)
    for peer in there:
        print()
        for system in ours:
            _print_ahead(cache, _losses(cache, tables, (system, peer)), system, peer)
    _stack_against_members(_losses(cache, tables, ("stack", *MEMBERS)))
    for s in SYSTEMS:
        cpu = [v["cpu"] for k, v in cache.items() if k.endswith(f"/{s}") and k.split("/")[0] in tables]
        if cpu:
            print(f"processor time of {s}: median {np.median(cpu):.2f} s of {len(cpu)} fits")
    nested = [
        (v["nested"] - v["log_loss"]) / v["nested_error"]
        for k, v in cache.items()
        if "nested" in v and np.isfinite(v.get("nested_error", np.nan)) and v["nested_error"] > 0
    ]
    if nested:
        what = "nested score less the loss on held-out rows, in its standard errors"
        print(f"{what}: mean {np.mean(nested):+.2f} of {len(nested)}")


def _ranks(loss: Losses) -> np.ndarray:
    return np.array([stats.rankdata(row) for row in loss.values()])


def _print_ranks(ranks: np.ndarray, systems: tuple[str, ...]) -> None:
    print("  ".join(f"{s} {m:.2f} ± {e:.2f}" for s, m, e in zip(systems, ranks.mean(0), _reach(ranks), strict=True)))


def _print_ahead(cache: dict[str, Any], loss: Losses, system: str, peer: str) -> None:
    """Table by table: on how many the system is ahead, how far by log loss, and at which part of the time."""
    if not loss:
        return
    less = np.array([other - own for own, other in loss.values()])
    p = stats.wilcoxon(less).pvalue if len(less) > 5 else np.nan
    mean = f"{less.mean():+.4f} ± {_reach(less[:, None])[0]:.4f}, median {np.median(less):+.4f}"
    keys = [(_key(system, t, i), _key(peer, t, i)) for t in loss for i in range(SPLITS)]
    part = np.median([cache[a]["cpu"] / cache[b]["cpu"] for a, b in keys if a in cache and b in cache])
    ahead = f"{system} against {peer}: lower log loss on {(less > 0).sum()} of {len(less)} tables, by {mean}"
    print(f"{ahead} (Wilcoxon p = {p:.2g}); processor time 1/{1 / max(part, 1e-9):.0f}")


def _stack_against_members(loss: Losses) -> None:
    """The member that is best on most tables is one; the best on each table, known after the fact only, another."""
    if not loss:
        return
    systems, ranks = ("stack", *MEMBERS), _ranks(loss)
    print(f"\nmean rank of the stack among its members, {len(loss)} tables")
    _print_ranks(ranks, systems)
    best = 1 + int(ranks[:, 1:].mean(0).argmin())
    less = ranks[:, best] - ranks[:, 0]
    reach = _reach(less[:, None])[0]
    print(f"that of {systems[best]}, the best of them, less the stack's: {less.mean():+.2f} ± {reach:.2f}")
    of_all = np.array(list(loss.values()))
    stack, least = of_all[:, 0], of_all[:, 1:].min(axis=1)
    ahead = 1 + (stack > least) + 0.5 * (stack == least)
    print(f"against the best on each table: mean rank {ahead.mean():.2f} of 2 ± {_reach(ahead[:, None])[0]:.2f}")
    ratio = stack / least - 1
    print(f"its loss is higher by {100 * np.median(ratio):+.1f} % in the median")


def _reach(ranks: np.ndarray) -> np.ndarray:
    n = len(ranks)
    if n < 2:
        return np.full(ranks.shape[1], np.nan)
    return np.asarray(stats.t.ppf(0.975, n - 1) * ranks.std(axis=0, ddof=1) / np.sqrt(n))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=Path("build/ensembles.json"))
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--systems", default=",".join(SYSTEMS))
    parser.add_argument("--splits", type=int, default=SPLITS)
    parser.add_argument("--budget", type=float, default=30.0, help="seconds that FLAML has for each split")
    parser.add_argument("--processor", action="store_true", help="count FLAML's budget in processor time")
    parser.add_argument("--report", action="store_true", help="run nothing")
    given = parser.parse_args()
    tables, systems = given.tables.split(","), given.systems.split(",")
    for what, names, known in (("tables", tables, TABLES), ("systems", systems, SYSTEMS)):
        if unknown := [name for name in names if name not in known]:
            parser.error(f"{what}: there is no {unknown[0]!r}. Expected some of {', '.join(known)}.")
    for peer in PEERS:
        if peer in systems and not given.report and find_spec(peer) is None:
            print(f"{peer} is not installed, so it is left out.", flush=True)
            systems.remove(peer)
    for split in range(0 if given.report else given.splits):
        for table in tables:
            for system in systems:
                key = _key(system, table, split)
                if key not in _kept(given.cache):
                    found = run(system, table, split, given.budget, given.processor)
                    _keep(given.cache, key, found)
                    print(key, found, flush=True)
    report(_kept(given.cache), tables)


def _kept(cache: Path) -> dict[str, Any]:
    return json.loads(cache.read_text()) if cache.exists() else {}


def _keep(cache: Path, key: str, found: dict[str, float]) -> None:
    """Read again before it is written, whole or not at all: two runs may fill it, and any may be killed."""
    cache.parent.mkdir(parents=True, exist_ok=True)
    beside = cache.with_name(f"{cache.name}.{os.getpid()}")
    beside.write_text(json.dumps({**_kept(cache), key: found}, indent=0))
    os.replace(beside, cache)


if __name__ == "__main__":
    main()

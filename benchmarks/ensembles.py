"""Ensembles against FLAML, and against their own members: log loss on rows held out of real tables.

    python benchmarks/ensembles.py                                       # all tables, three splits, 30 s for FLAML
    python benchmarks/ensembles.py --budget 10 --tables iris,wine --systems vote,flaml
    python benchmarks/ensembles.py --cache build/ensembles.json --report # what is there so far

Tables are the class tables of `study_tables.py`, those of more than 2000 rows drawn from. Splits are scikit-learn's,
stratified, 70 % to learn from; the log loss is scikit-learn's. What was run stands in the cache and is not run again,
so that it may be stopped at any time. Processor times, those of child processes included, are given beside the losses.
FLAML's budget is time on the clock, or with `--processor` processor time, which is what counts on a busy machine.

"vote" is `VotingClassifier()`, "stack" `StackingClassifier()`, "best ensemble" what `best_ensemble` makes of
`learnt.compare`, which sees the rows to learn from alone; its own nested score stands in the cache beside the loss.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
SYSTEMS = (*MEMBERS, "vote", "stack", "best ensemble", "flaml")


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


def report(cache: dict[str, Any], tables: list[str]) -> None:
    """Mean losses by table, mean ranks of the systems that matter, and stacking against its best member."""
    loss = {
        (t, s): float(np.mean([cache[_key(s, t, i)]["log_loss"] for i in range(SPLITS) if _key(s, t, i) in cache]))
        for t in tables
        for s in SYSTEMS
        if any(_key(s, t, i) in cache for i in range(SPLITS))
    }
    print(f"{'log loss':<14}" + "".join(f"{s:>14}" for s in SYSTEMS))
    for t in tables:
        print(f"{t:<14}" + "".join(f"{loss[t, s]:>14.4f}" if (t, s) in loss else f"{'':>14}" for s in SYSTEMS))
    for chosen in (("vote", "flaml"), ("vote", "stack", "best ensemble", "flaml"), SYSTEMS):
        whole = [t for t in tables if all((t, s) in loss for s in chosen)]
        if whole:
            print(f"\nmean rank over {len(whole)} tables, 1 is best; ± is the 95 % interval of the mean")
            _print_ranks(_ranks(loss, whole, chosen), chosen)
    _stack_against_members(loss, [t for t in tables if all((t, s) in loss for s in (*MEMBERS, "stack"))])
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


def _ranks(loss: dict[tuple[str, str], float], tables: list[str], systems: tuple[str, ...]) -> np.ndarray:
    return np.array([stats.rankdata([loss[t, s] for s in systems]) for t in tables])


def _print_ranks(ranks: np.ndarray, systems: tuple[str, ...]) -> None:
    print("  ".join(f"{s} {m:.2f} ± {e:.2f}" for s, m, e in zip(systems, ranks.mean(0), _reach(ranks), strict=True)))


def _stack_against_members(loss: dict[tuple[str, str], float], tables: list[str]) -> None:
    """The member that is best on most tables is one; the best on each table, known after the fact only, another."""
    if not tables:
        return
    systems = ("stack", *MEMBERS)
    ranks = _ranks(loss, tables, systems)
    print(f"\nmean rank of the stack among its members, {len(tables)} tables")
    _print_ranks(ranks, systems)
    best = 1 + int(ranks[:, 1:].mean(0).argmin())
    less = ranks[:, best] - ranks[:, 0]
    reach = _reach(less[:, None])[0]
    print(f"that of {systems[best]}, the best of them, less the stack's: {less.mean():+.2f} ± {reach:.2f}")
    least = np.array([min(loss[t, m] for m in MEMBERS) for t in tables])
    stack = np.array([loss[t, "stack"] for t in tables])
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
    cache = json.loads(given.cache.read_text()) if given.cache.exists() else {}
    tables = given.tables.split(",")
    for split in range(0 if given.report else given.splits):
        for table in tables:
            for system in given.systems.split(","):
                if _key(system, table, split) in cache:
                    continue
                cache[_key(system, table, split)] = run(system, table, split, given.budget, given.processor)
                given.cache.parent.mkdir(parents=True, exist_ok=True)
                given.cache.write_text(json.dumps(cache, indent=0))
                print(_key(system, table, split), cache[_key(system, table, split)], flush=True)
    report(cache, tables)


if __name__ == "__main__":
    main()

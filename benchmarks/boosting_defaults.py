#!/usr/bin/env python3
"""Boosting and forests with default settings on real tables: learnt, LightGBM, CatBoost, XGBoost, scikit-learn.

python boosting_defaults.py                            all tables, mean ranks at the end
python boosting_defaults.py iris wine --only learnt,lightgbm
python boosting_defaults.py --variant '{"min_samples_leaf": 5}'   learnt with other settings too, as one more library
python boosting_defaults.py --forests                  forests and extra trees beside scikit-learn's
python boosting_defaults.py --classes                  the tables of classes alone
python boosting_defaults.py --drawn 24                 so many tables of numbers that were drawn by chance
python boosting_defaults.py --half 0                   every other table: choose on half 0, confirm on half 1

All have the same folds (of classes stratified; by default ten) and one thread. scikit-learn takes at most 255
categories: columns of more are given to it as numbers, in the order of their names, as all are to its forests. Log loss
and share of errors of classes, RMSE of numbers. What was measured is kept in a file and not measured again; --again
does so for learnt.
"""

import argparse
import json
import os
import time

for pool in ("OMP", "OPENBLAS", "LEARNT"):
    os.environ[pool + ("_THREADS" if pool == "LEARNT" else "_NUM_THREADS")] = "1"

import numpy as np

import study_tables
from workloads import DATA

CACHE = os.path.join(DATA, "boosting_defaults.json")


def learnt(classes, **settings):
    import learnt

    return (learnt.GradientBoostingClassifier if classes else learnt.GradientBoostingRegressor)(**settings)


def lightgbm(classes):
    import lightgbm

    return (lightgbm.LGBMClassifier if classes else lightgbm.LGBMRegressor)(n_jobs=1, verbose=-1)


def xgboost(classes):
    import xgboost

    return (xgboost.XGBClassifier if classes else xgboost.XGBRegressor)(n_jobs=1, enable_categorical=True)


def sklearn(classes):
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    return (HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor)(random_state=0)


def catboost(classes):
    import catboost

    return (catboost.CatBoostClassifier if classes else catboost.CatBoostRegressor)(
        thread_count=1, verbose=False, allow_writing_files=False, random_seed=0
    )


LIBRARIES = {"learnt": learnt, "lightgbm": lightgbm, "xgboost": xgboost, "sklearn": sklearn, "catboost": catboost}


def learnt_forest(classes):
    import learnt

    return (learnt.RandomForestClassifier if classes else learnt.RandomForestRegressor)()


def learnt_extra_trees(classes):
    import learnt

    return (learnt.ExtraTreesClassifier if classes else learnt.ExtraTreesRegressor)()


def sklearn_forest(classes):
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    return (RandomForestClassifier if classes else RandomForestRegressor)(random_state=0)


def sklearn_extra_trees(classes):
    from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor

    return (ExtraTreesClassifier if classes else ExtraTreesRegressor)(random_state=0)


FORESTS = {
    "learnt forest": learnt_forest,
    "learnt extra": learnt_extra_trees,
    "sklearn forest": sklearn_forest,
    "sklearn extra": sklearn_extra_trees,
}


def answers(library, make, classes, X, y, train, test):
    """Probabilities or numbers for the rows of a fold."""
    codes = np.unique(y, return_inverse=True)[1] if classes else y
    X_train, X_test, extra = X.iloc[train], X.iloc[test], {}
    if library == "catboost":
        named = X.select_dtypes("category").columns
        X = X.copy()
        for c in named:
            X[c] = X[c].astype(object).where(X[c].notna(), "missing").astype(str)
        X_train, X_test, extra = X.iloc[train], X.iloc[test], {"cat_features": list(named)}
    if library.startswith("sklearn"):
        X = X.copy()
        for c in X.select_dtypes("category"):
            if library != "sklearn" or X[c].nunique() > 255:  # more than it takes
                X[c] = X[c].cat.codes.astype(float).replace(-1, np.nan)
        X_train, X_test = X.iloc[train], X.iloc[test]
    model = make(classes).fit(X_train, codes[train], **extra)
    return model.predict_proba(X_test) if classes else np.ravel(model.predict(X_test))


def scores(library, make, name, most_rows, n):
    """Log loss and error rate, or RMSE, over all rows, each predicted by the fold that held it out."""
    from sklearn.model_selection import KFold, StratifiedKFold

    X, y, classes = study_tables.load(name, most_rows)
    folds = (StratifiedKFold if classes else KFold)(n, shuffle=True, random_state=0)
    loss, wrong = np.empty(len(y)), np.empty(len(y))
    codes = np.unique(y, return_inverse=True)[1] if classes else y
    began = time.process_time()
    for train, test in folds.split(X, codes):
        found = answers(library, make, classes, X, y, train, test)
        if classes:
            held = np.clip(found[np.arange(len(test)), codes[test]], 1e-15, 1)
            loss[test], wrong[test] = -np.log(held), found.argmax(1) != codes[test]
        else:
            loss[test] = (found - y[test]) ** 2
    spent = round((time.process_time() - began) / n, 3)
    if classes:
        return {"log loss": float(loss.mean()), "error": float(wrong.mean()), "cpu": spent}
    return {"RMSE": float(np.sqrt(loss.mean())), "cpu": spent}


def places(rows):
    """Ranks by measure, tables × libraries: equal scores share a rank."""
    from scipy.stats import rankdata

    found = {}
    for measure in ("log loss", "error", "RMSE"):
        tables = [r for r in rows.values() if all(measure in s for s in r.values())]
        if tables:
            found[measure] = np.array([rankdata([round(s[measure], 6) for s in r.values()]) for r in tables])
    return found


def ranks(rows):
    """Mean rank by library, for each measure and number of tables."""
    libraries = list(next(iter(rows.values())))
    return {(m, len(p)): dict(zip(libraries, p.mean(axis=0), strict=True)) for m, p in places(rows).items()}


def reach(values):
    """Half of the 95 % interval of a mean over tables, by Student's t."""
    from scipy.stats import t

    n = len(values)
    return t.ppf(0.975, n - 1) * np.std(values, ddof=1) / np.sqrt(n) if n > 1 else np.nan


def apart(ranks):
    """How far mean ranks must lie apart, all pairs together, at 95 %: Nemenyi's critical difference."""
    from scipy.stats import studentized_range

    n, k = ranks.shape
    return studentized_range.ppf(0.95, k, np.inf) * np.sqrt(k * (k + 1) / (12 * n))


def report(rows):
    """Mean ranks with 95 % intervals, and how far the first library is ahead of each other, table by table."""
    libraries = list(next(iter(rows.values())))
    for measure, p in places(rows).items():
        print(f"\nmean rank by {measure}, {len(p)} tables, and how far {libraries[0]} is ahead")
        if len(libraries) > 1:
            print(f"  ranks nearer to each other than {apart(p):.2f} are tied (Nemenyi, 95 %)")
        for i in np.argsort(p.mean(axis=0), kind="stable"):
            ahead = p[:, i] - p[:, 0]
            by = (
                f"{ahead.mean():+.2f} ± {reach(ahead):.2f}: better on {(ahead > 0).sum()}, worse on {(ahead < 0).sum()}"
            )
            print(f"  {p[:, i].mean():.2f} ± {reach(p[:, i]):.2f}  {libraries[i]:14} {by if i else ''}")
    print("\nprocessor seconds of a fold, median")
    for one in libraries:
        print(f"  {np.median([r[one]['cpu'] for r in rows.values()]):.3f}  {one}")


def kept():
    if not os.path.exists(CACHE):
        return {}
    with open(CACHE) as f:
        return json.load(f)


def keep(key, score):
    """Read again before writing: two runs may fill the file side by side."""
    found = {**kept(), key: score}
    os.makedirs(DATA, exist_ok=True)
    with open(f"{CACHE}.{os.getpid()}", "w") as f:
        json.dump(found, f, indent=0)
    os.replace(f.name, CACHE)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("tables", nargs="*", help="names of tables; none: all")
    p.add_argument("--classes", action="store_true", help="tables of classes alone")
    p.add_argument("--only", help="libraries, by commas")
    p.add_argument("--variant", action="append", default=[], help="settings of learnt, as JSON")
    p.add_argument("--rows", type=int, default=2000, help="rows of a table, at most")
    p.add_argument("--folds", type=int, default=10)
    p.add_argument("--forests", action="store_true", help="forests in place of boosting")
    p.add_argument("--half", type=int, choices=(0, 1))
    p.add_argument("--drawn", type=int, help="tables of numbers drawn by chance, in place of those chosen")
    p.add_argument("--again", action="store_true", help="measure again what is kept of learnt")
    a = p.parse_args()
    known = FORESTS if a.forests else LIBRARIES
    makers = {one: known[one] for one in (a.only.split(",") if a.only else known)}
    for text in a.variant:
        makers["learnt " + text] = lambda classes, text=text: learnt(classes, **json.loads(text))
    names = study_tables.OF_CLASSES if a.classes else study_tables.NAMES
    if a.drawn:
        drawn = study_tables.draw(a.drawn, seed=0, rows=60, numbers=True)
        study_tables.NUMBERS.update((file, (file, target, [])) for file, target in drawn.items())
        names = list(drawn)
    names = a.tables or names[slice(a.half, None, 1 if a.half is None else 2)]
    rows = {}
    for name in names:
        rows[name] = {}
        for library, make in makers.items():
            key = f"{name}|{library}|{a.rows}|{a.folds}"
            score = None if a.again and library.startswith("learnt") else kept().get(key)
            if score is None:
                score = scores(library, make, name, a.rows, a.folds)
                keep(key, score)
            rows[name][library] = score
        measures = [m for m in ("log loss", "error", "RMSE") if m in score]
        for m in measures:
            print(
                f"{name:16} {m:9}", *(f"{one.split(' {')[0]} {s[m]:<9.4g}" for one, s in rows[name].items()), flush=True
            )
    report(rows)


if __name__ == "__main__":
    main()

"""Whether the learner that a comparison names is the best: its verdict on real tables, repeated by scikit-learn.

    python benchmarks/verdict_tables.py FOLDER                          # ten tables, 10 × 10 folds each
    python benchmarks/verdict_tables.py FOLDER --tables iris,autompg --repeats 1

FOLDER holds NAME.arff or NAME.csv. `learnt.compare` runs as it does without settings. Then its best learner and the
three next are cross-validated anew, by scikit-learn's splitters under other seeds and by scikit-learn's metric of the
same name; learnt's folds, scores and tests take no part. The interval of the repetition is the mean over the repeats
± t standard errors after Nadeau and Bengio, whose variance is (1/k + n_test/n_train) s² over all k folds.

"best" says that the learner named is the best of the repetition; "within", that the best one lies in its interval.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy import stats
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score, root_mean_squared_error
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold

import learnt
from learnt.data.table import Table
from learnt.errors import LearntError

#: Tables and what is to be predicted; the kind is given where numbers stand for classes.
TABLES: dict[str, tuple[str, dict[str, str]]] = {
    "autompg": ("class", {}),
    "bodyfat": ("class", {}),
    "breast-cancer": ("Class", {}),
    "cpu": ("class", {}),
    "glass": ("Type", {}),
    "iris": ("class", {}),
    "labor": ("class", {}),
    "vote": ("Class", {}),
    "wine": ("class", {"class": "nominal"}),
    "zoo": ("type", {}),
}
FOLDS, OTHERS, SEED = 10, 3, 20_000


@dataclass(frozen=True)
class Measure:
    """A metric of scikit-learn, of the true labels or numbers and of a model's answers to rows."""

    name: str
    higher_is_better: bool
    score: Callable[[Any, Table, Any], float]


def _log_loss(model: Any, rows: Table, truth: Any) -> float:
    return float(log_loss(truth, model.predict_proba(rows), labels=model.classes_))


def _auc(model: Any, rows: Table, truth: Any) -> float:
    return float(roc_auc_score(truth == model.classes_[1], model.predict_proba(rows)[:, 1]))


MEASURES = {
    "accuracy": Measure("accuracy", True, lambda m, rows, y: float(accuracy_score(y, m.predict(rows)))),
    "auc": Measure("auc", True, _auc),
    "log_loss": Measure("log_loss", False, _log_loss),
    "rmse": Measure("rmse", False, lambda m, rows, y: float(root_mean_squared_error(y, m.predict(rows)))),
}


@dataclass(frozen=True)
class Repeated:
    """The scores of a learner, repeats × folds."""

    name: str
    scores: np.ndarray
    rows: int

    @property
    def mean(self) -> float:
        return float(np.nanmean(self.scores))

    @property
    def interval(self) -> tuple[float, float]:
        known = self.scores[~np.isnan(self.scores)]
        k = len(known)
        error = known.std(ddof=1) * np.sqrt(1 / k + 1 / (FOLDS - 1))
        reach = float(stats.t.ppf(0.975, k - 1)) * float(error)
        return self.mean - reach, self.mean + reach


def repeated(name: str, learner: Any, given: Any, measure: Measure, repeats: int, jobs: int) -> Repeated:
    """Fitted and scored on every fold of scikit-learn's splitter."""
    table, classes = given.table, given.classes
    target = given.target if classes is None else np.asarray(classes)[given.target]
    splitter = RepeatedKFold if classes is None else RepeatedStratifiedKFold
    folds = splitter(n_splits=FOLDS, n_repeats=repeats, random_state=SEED)

    def score(train: Any, test: Any) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = learnt.clone(learner).fit(table.take(train), target[train])
            try:
                return measure.score(model, table.take(test), target[test])
            except ValueError:  # a fold without a row of some class
                return float("nan")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes of fewer rows than folds
        cuts = list(folds.split(np.zeros(len(target)), target))
    found = Parallel(n_jobs=jobs, prefer="threads")(delayed(score)(train, test) for train, test in cuts)
    return Repeated(name, np.array(found).reshape(repeats, FOLDS), len(target))


def table_at(folder: Path, name: str) -> tuple[Table, str]:
    target, kinds = TABLES[name]
    path = next((p for ending in ("arff", "csv") if (p := folder / f"{name}.{ending}").exists()), None)
    if path is None:
        raise FileNotFoundError(f"There is no {name}.arff or {name}.csv in {folder}.")
    return learnt.read(path, kinds=kinds if path.suffix == ".csv" else None), target


def judged(folder: Path, name: str, repeats: int, jobs: int) -> list[str]:
    """A row of the table: the verdict, and what the repetition says of it."""
    table, target = table_at(folder, name)
    begun = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = learnt.compare(table, target)
    seconds = time.perf_counter() - begun
    measure = MEASURES[found.metric.name]
    # Those next to the one named, by score; learners that may not be recommended are asked as well.
    ranked = [o for o in found.ranked_by(found.metric) if o is not found.best and not o.baseline][:OTHERS]
    again = [repeated(o.name, o.learner, found.problem, measure, repeats, jobs) for o in (found.best, *ranked)]
    sign = 1 if measure.higher_is_better else -1
    named, best = again[0], max(again, key=lambda r: sign * r.mean)
    low, high = named.interval
    verdict = "best" if best is named else "within" if low <= best.mean <= high else "WORSE"
    return [
        name,
        f"{found.problem.n_rows}",
        found.best.name,
        f"{measure.name} {found.best.mean(measure.name):.4f}",
        f"{named.mean:.4f}",
        f"{low:.4f} … {high:.4f}",
        f"{best.name} {best.mean:.4f}",
        verdict,
        f"{seconds:.1f} s",
        found.readable.name if found.readable is not None else "–",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the tables are")
    parser.add_argument("--tables", default=",".join(TABLES), help="names, separated by commas")
    parser.add_argument("--repeats", type=int, default=10, help="of the ten folds")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="folds at once")
    asked = parser.parse_args()
    print(
        "| table | rows | named | its score | repeated | 95 % interval | best repeated | named is | compared in "
        "| most readable |\n" + "|---" * 10 + "|"
    )
    for name in asked.tables.split(","):
        try:
            row = judged(asked.folder, name.strip(), asked.repeats, asked.jobs)
        except (LearntError, OSError) as error:
            row = [name, f"not compared: {error}", *[""] * 8]
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()

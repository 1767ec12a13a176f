"""Write one saved file per learner for the current version, with the predictions it gives beside it.

    python tests/stored/make.py

Run once for every released version and add the files to the repository: from then on
tests/saving/test_saving.py checks that every later version reads them and predicts the same. Files that
exist are left alone; they are what users have on their disks.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import learnt

HERE = Path(__file__).parent

TABLE: dict[str, list[Any]] = {
    "age": [31.0, None, 45.0, 28.5, 60.0, 33.0, 52.0, 19.0],
    "town": ["Bern", "Basel", None, "Bern", "Zürich", "Basel", "Zürich", "Bern"],
    "member": [True, False, True, True, None, False, True, False],
}
TEXTS = ["red apple", "green pear", "Grüne Birne", None, "apple wine", "a pear", "two pears", "red wine"]
TARGETS = {
    "classification": ["no", "yes", "yes", "no", "yes", "yes", "yes", "no"],
    "regression": [1.0, 2.5, 3.0, 0.5, 4.0, 2.0, 3.5, 0.25],
}
SETTINGS: dict[str, dict[str, Any]] = {
    "DBSCAN": {"eps": 1.0, "min_samples": 2},
    "KMeans": {"n_clusters": 2, "random_state": 0},
    "KMedoids": {"n_clusters": 2},
    "ICA": {"n_components": 2, "random_state": 0},
    "RandomProjection": {"n_components": 3, "random_state": 0},
    "GaussianMixture": {"n_components": 2, "random_state": 0},
    "MixtureModel": {"n_components": 2, "random_state": 0},
    "GradientBoostingClassifier": {"min_samples_leaf": 1, "max_iter": 5},
    "GradientBoostingRegressor": {"min_samples_leaf": 1, "max_iter": 5},
} | {
    f"{forest}{kind}": {"n_estimators": 5, "random_state": 0}
    for forest in ("RandomForest", "ExtraTrees")
    for kind in ("Classifier", "Regressor")
}


def main() -> None:
    for entry in learnt.learners():
        file = HERE / f"{entry.name}-{learnt.__version__}.learnt"
        if file.exists():
            print(f"{file.name} is there already")
            continue
        reduces = entry.cls.__module__.startswith("learnt.reduce.")
        if entry.task == "transformation" and not reduces:
            continue  # it has no predictions to compare
        rows: Any = TEXTS if "text" in entry.abilities else TABLE
        if not entry.abilities & {"nominal", "text"}:
            rows = {"age": TABLE["age"]}
        model = entry.cls(**SETTINGS.get(entry.name, {})).fit(rows, TARGETS.get(entry.task))
        answers = np.array(model.transform(rows)) if reduces else model.predict(rows)
        expected = {"table": rows, "predictions": answers.tolist()}
        learnt.save(model, file)
        text = json.dumps(expected, ensure_ascii=False, indent=1) + "\n"
        file.with_suffix(".json").write_text(text, encoding="utf-8")
        print(f"{file.name} written")


if __name__ == "__main__":
    main()

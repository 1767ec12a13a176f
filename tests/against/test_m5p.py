"""ModelTreeRegressor against Weka's M5P: the same number of rules, the same errors, the same predictions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import learnt
from learnt import ModelTreeRegressor, datasets

HERE = Path(__file__).resolve().parent
ELSEWHERE = HERE.parents[2] / "shared"  # data sets whose terms do not let us include them
REFERENCE = json.loads((HERE / "m5p.json").read_text(encoding="utf-8"))

VARIANTS = {
    "M5P": {},
    "M5P-N": {"prune": False},
    "M5P-U": {"smoothing": 0},
    "M5P-N-U": {"prune": False, "smoothing": 0},
    "M5P-R": {"terms": None},
    "M5P-M10": {"min_samples_leaf": 10},
}


def fitted(table, variant):
    y = np.asarray(table[table.target].values)
    features = table.drop(table.target)
    return ModelTreeRegressor(variant="weka", **VARIANTS[variant]).fit(features, y), features, y


@pytest.mark.parametrize("variant", VARIANTS)
def test_rules_and_errors_are_those_of_m5p(variant):
    reference = REFERENCE["configurations"][variant]
    model, features, y = fitted(datasets.load("cpu"), variant)
    answers = model.predict(features)
    assert model.get_n_leaves() == reference["rules"]
    assert np.sqrt(np.mean((answers - y) ** 2)) == pytest.approx(reference["rmse"], rel=1e-9)
    assert np.mean(np.abs(answers - y)) == pytest.approx(reference["mae"], rel=1e-9)
    np.testing.assert_allclose(answers[:20], reference["first"], rtol=1e-8)


@pytest.mark.parametrize("variant", VARIANTS)
def test_ten_folds_err_as_those_of_m5p(variant):
    table = datasets.load("cpu")
    features, y = table.drop(table.target), np.asarray(table[table.target].values)
    fold = np.array([int(digit) for digit in REFERENCE["folds"]])
    answers = np.empty(len(y))
    for f in range(10):
        model = ModelTreeRegressor(variant="weka", **VARIANTS[variant]).fit(features.take(fold != f), y[fold != f])
        answers[fold == f] = model.predict(features.take(fold == f))
    expected = REFERENCE["configurations"][variant]["cv_rmse"]
    assert np.sqrt(np.mean((answers - y) ** 2)) == pytest.approx(expected, rel=1e-6)


@pytest.mark.skipif(not ELSEWHERE.is_dir(), reason="autompg and bodyfat lie beside the repository")
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", ["autompg", "bodyfat"])
def test_rules_and_errors_are_those_of_m5p_on_sets_kept_elsewhere(name, variant):
    table = learnt.read(ELSEWHERE / "datasets" / f"{name}.arff", target="class")
    records = json.loads((ELSEWHERE / "reference" / "weka396_m5p.json").read_text(encoding="utf-8"))["records"]
    (record,) = (r for r in records if (r["dataset"], r["config"]) == (name, variant))
    model, features, y = fitted(table, variant)
    answers = model.predict(features)
    assert model.get_n_leaves() == record["measures"]["measureNumRules"]
    rmse = np.sqrt(np.mean((answers - y) ** 2))
    if (name, variant) == ("autompg", "M5P-N"):
        # In a node of five rows two splits are equal but for rounding, which hangs on the order of two equal cells:
        # Weka's way of sorting does not keep it. The leaves are the same, not all the models above them.
        assert rmse == pytest.approx(record["train"]["rmse"], rel=1e-4)
        return
    assert rmse == pytest.approx(record["train"]["rmse"], rel=1e-9)
    np.testing.assert_allclose(answers[:200], record["train"]["first_pred"], rtol=1e-7)


@pytest.mark.costly
@pytest.mark.skipif(not ELSEWHERE.is_dir(), reason="autompg and bodyfat lie beside the repository")
@pytest.mark.parametrize(("name", "variant"), [("autompg", "M5P"), ("autompg", "M5P-N-U"), ("bodyfat", "M5P")])
def test_folds_err_as_those_of_m5p_on_sets_kept_elsewhere(name, variant):
    """Fold by fold, of the partitions by two seeds; that of seed 2 has splits of autompg that only rounding decides."""
    table = learnt.read(ELSEWHERE / "datasets" / f"{name}.arff", target="class")
    features, y = table.drop(table.target), np.asarray(table[table.target].values)
    records = json.loads((ELSEWHERE / "reference" / "weka396_m5p.json").read_text(encoding="utf-8"))["records"]
    (record,) = (r for r in records if (r["dataset"], r["config"]) == (name, variant))
    partitions = json.loads((ELSEWHERE / "reference" / "weka_folds.json").read_text(encoding="utf-8"))[name]
    for seed in (1, 2):
        fold = np.array([int(digit) for digit in partitions[f"seed{seed}"]])
        answers = np.empty(len(y))
        for f in range(10):
            model = ModelTreeRegressor(variant="weka", **VARIANTS[variant]).fit(features.take(fold != f), y[fold != f])
            answers[fold == f] = model.predict(features.take(fold == f))
        expected = record["cv10_repeats"]["values"][seed - 1]
        assert np.sqrt(np.mean((answers - y) ** 2)) == pytest.approx(expected, rel=1e-6)

"""C45Classifier against Weka's J48: the same trees, from the same rows, in every variant both have."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import learnt
from learnt import C45Classifier, datasets
from learnt.data.table import Column

HERE = Path(__file__).resolve().parent
ELSEWHERE = HERE.parents[2] / "shared"  # data sets whose terms do not let us include them
REFERENCE = json.loads((HERE / "j48.json").read_text(encoding="utf-8"))["sets"]

VARIANTS = {
    "J48": {},
    "J48-U": {"prune": None},
    "J48-R": {"prune": "reduced_error"},
    "J48-S": {"raising": False},
    "J48-B": {"binary": True},
    "J48-A": {"smoothing": "laplace"},
    "J48-J": {"mdl_correction": False},
    "J48-O": {"collapse": False},
    "J48-M1": {"min_samples_leaf": 1},
    "J48-M5": {"min_samples_leaf": 5},
    "J48-C0.1": {"confidence": 0.1},
    "J48-U-O-M1": {"prune": None, "collapse": False, "min_samples_leaf": 1},
}


def assert_grows_the_tree_of(reference, table, variant):
    """Same leaves, same nodes, the same answer for every row, and the same probabilities."""
    column, features = table[table.target], table.drop(table.target)
    declared = Column("y", "ordinal", column.values, column.categories)  # J48 breaks ties by the declared order
    model = C45Classifier(**VARIANTS[variant]).fit(features, declared)
    labels = {label: i for i, label in enumerate(column.categories)}
    answers = np.array([labels[label] for label in model.predict(features).tolist()])
    assert model.get_n_leaves() == reference["leaves"]
    assert model.tree_.node_count == reference["size"]
    assert np.sum(answers != column.values) == reference["errors"]
    assert "".join(np.base_repr(i, 36) for i in answers) == reference["answers"].upper()
    if variant == "J48-A" and len(model.classes_) < len(labels):
        return  # J48 gives declared classes without rows a probability, for which classes_ has no place
    places = {label: c for c, label in enumerate(model.classes_.tolist())}
    truth = [places[label] for label in column.labels()]
    p_true = model.predict_proba(features)[np.arange(len(truth)), truth].sum()
    assert p_true == pytest.approx(reference["sum_p_true"], rel=1e-9)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", sorted(REFERENCE))
def test_trees_are_those_of_j48(name, variant):
    assert_grows_the_tree_of(REFERENCE[name][variant], datasets.load(name), variant)


@pytest.mark.skipif(not ELSEWHERE.is_dir(), reason="wine and zoo may not be copied: they lie beside the repository")
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("name", "target"), [("wine", "class"), ("zoo", "type")])
def test_trees_are_those_of_j48_on_sets_kept_elsewhere(name, target, variant):
    table = learnt.read(ELSEWHERE / "datasets" / f"{name}.arff", target=target)
    records = json.loads((ELSEWHERE / "reference" / "weka396_j48.json").read_text(encoding="utf-8"))["records"]
    (record,) = (r for r in records if (r["dataset"], r["config"]) == (name, variant))
    reference = {
        "leaves": record["measures"]["measureNumLeaves"],
        "size": record["measures"]["measureTreeSize"],
        "errors": record["train"]["incorrect"],
        "answers": record["train"]["pred_index_base36"],
        "sum_p_true": record["train"]["sum_p_true"],
    }
    assert_grows_the_tree_of(reference, table, variant)


@pytest.mark.parametrize("name", sorted(REFERENCE))
def test_with_labels_in_alphabetical_order_the_tree_has_the_same_size_and_errors(name):
    table = datasets.load(name)
    model = C45Classifier().fit(table)
    wrong = int(np.sum(model.predict(table) != np.array(table[table.target].labels())))
    found = {"leaves": model.get_n_leaves(), "size": model.tree_.node_count, "errors": wrong}
    assert found == {key: REFERENCE[name]["J48"][key] for key in found}

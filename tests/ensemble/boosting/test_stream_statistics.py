"""Target statistics of files: the same trees as of a table."""

import numpy as np
import pytest
from tests.ensemble.boosting.test_stream import assert_same_trees, cut
from tests.ensemble.boosting.test_target_statistics import by_thirds, is_of_statistics, towns

from learnt import GradientBoostingClassifier, GradientBoostingRegressor
from learnt.ensemble.boosting import few_rows

pa = pytest.importorskip("pyarrow", reason="scans read Parquet through pyarrow")


@pytest.fixture(autouse=True)
def no_rows_are_few(monkeypatch):
    """Few rows are gathered, and more than a few are slow to test with."""
    monkeypatch.setattr(few_rows, "FEW_ROWS", 1)


CASES = {
    "numbers": (GradientBoostingRegressor, {}),
    "weights by class": (GradientBoostingClassifier, {"class_weight": "balanced"}),
    "three classes": (GradientBoostingClassifier, {"max_leaf_nodes": 8}),
    "held out": (GradientBoostingRegressor, {"early_stopping": True, "n_iter_no_change": 3}),
    "drawn rows": (GradientBoostingRegressor, {"loss": "absolute_error", "subsample": 0.5}),
}


@pytest.mark.parametrize("case", CASES)
def test_files_give_the_trees_of_a_table(tmp_path, case):
    learner, settings = CASES[case]
    columns, y = towns(1500, 260)
    if learner is GradientBoostingClassifier:
        y = by_thirds(y) if case == "three classes" else np.where(y > 0, "yes", "no")
    table = pa.table({**{name: pa.array(cells, from_pandas=True) for name, cells in columns.items()}, "y": pa.array(y)})
    model = learner(max_iter=6, **settings).fit(columns, y)
    assert is_of_statistics(model)
    for pieces in (1, 4):
        assert_same_trees(model, learner(max_iter=6, **settings).fit(cut(table, tmp_path / str(pieces), pieces), "y"))

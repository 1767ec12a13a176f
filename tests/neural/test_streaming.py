"""Files larger than memory: the same steps as in memory where the order is the same, and a good net anyway."""

import numpy as np
import pytest

import learnt
from learnt import MLPClassifier, MLPRegressor
from learnt.errors import InputError
from learnt.neural import streaming

pa = pytest.importorskip("pyarrow", reason="scans read Parquet through pyarrow")


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Numbers with gaps, categories few and many, weights; in three files of several row groups."""
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    n = 900
    a, kind = rng.normal(size=n), rng.integers(0, 3, n)
    code = rng.integers(0, 30, n)
    columns = {
        "a": pa.array(np.where(rng.random(n) < 0.1, np.nan, a), from_pandas=True),
        "b": pa.array(rng.normal(size=n)),
        "kind": pa.array(np.array(["x", "y", "z"])[kind]),
        "code": pa.array(np.char.add("c", code.astype(str))),
        "same": pa.array(np.ones(n)),
        "w": pa.array(rng.integers(1, 3, n).astype(float)),
        "label": pa.array(np.array(["no", "yes"])[(a + kind + 0.2 * code > 4).astype(int)]),
        "number": pa.array(3 + a + kind),
    }
    monkeypatch.setattr(streaming, "CELLS_IN_MEMORY", 100)

    def make(*names):
        table = pa.table({name: columns[name] for name in ("a", "b", "kind", "code", "same", *names)})
        for part in range(3):
            pq.write_table(table.slice(part * 300, 300), tmp_path / f"{part}.parquet", row_group_size=70)
        return learnt.scan(sorted(tmp_path.glob("*.parquet"))), table

    return make


@pytest.mark.parametrize("more", [{}, {"early_stopping": True}, {"class_weight": "balanced"}])
def test_without_shuffling_a_scan_takes_the_steps_of_the_table(files, more):
    source, table = files("label")
    settings = {"shuffle": False, "max_iter": 4, "batch_size": 64, "precision": "double"} | more
    of_table = MLPClassifier(**settings).fit(table, "label")
    of_files = MLPClassifier(**settings).fit(source, "label")
    np.testing.assert_allclose(of_files.loss_curve_, of_table.loss_curve_, rtol=1e-9)
    np.testing.assert_allclose(of_files.validation_curve_, of_table.validation_curve_, rtol=1e-9)
    np.testing.assert_allclose(of_files.predict_proba(table), of_table.predict_proba(table), rtol=1e-7)


def test_weights_and_numbers_too(files):
    source, table = files("number", "w")
    settings = {"shuffle": False, "max_iter": 3, "batch_size": 50, "early_stopping": False, "precision": "double"}
    of_table = MLPRegressor(**settings).fit(table, "number", "w")
    of_files = MLPRegressor(**settings).fit(source, "number", "w")
    np.testing.assert_allclose(of_files.predict(table), of_table.predict(table), rtol=1e-6)


def test_shuffled_by_batches_the_net_is_as_good_and_goes_on(files):
    source, table = files("label")
    model = MLPClassifier().fit(source, "label")
    assert model.score(table, table["label"].to_pylist()) > 0.85
    explanation = model.explain(table.drop_columns("label"))[0]
    total = explanation.base + sum(part.contribution for part in explanation.evidence)
    assert total == pytest.approx(explanation.total, abs=1e-6)
    before = model.loss_curve_[-1]
    model.partial_fit(table.drop_columns("label"), table["label"].to_pylist())
    assert model.loss_curve_[0] < 2 * before + 0.2


def test_solvers_of_all_rows_refuse_files(files):
    source, _ = files("label")
    with pytest.raises(InputError, match="lbfgs"):
        MLPClassifier(solver="lbfgs").fit(source, "label")


def test_rows_that_fit_are_kept_and_the_scan_is_read_once(files, monkeypatch):
    source, table = files("label")
    monkeypatch.setattr(streaming, "CELLS_IN_MEMORY", 10**6)
    one = MLPClassifier(max_iter=2).fit(source, "label")
    two = MLPClassifier(max_iter=2).fit(table, "label")
    np.testing.assert_array_equal(one.predict_proba(table), two.predict_proba(table))

"""Files instead of tables: the same trees however the rows are cut, read twice, with nothing left behind."""

import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import learnt
from learnt.data.files.scan import Scan
from learnt.engine import engines
from learnt.engine.engines import StreamEngine
from learnt.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from learnt.ensemble.boosting import few_rows
from learnt.errors import InputError

pa = pytest.importorskip("pyarrow", reason="scans read Parquet through pyarrow")
pq = pytest.importorskip("pyarrow.parquet", reason="scans read Parquet through pyarrow")


@pytest.fixture(autouse=True)
def no_rows_are_few(monkeypatch):
    """Few rows are gathered, and more than a few are slow to test with."""
    monkeypatch.setattr(few_rows, "FEW_ROWS", 1)


def frame(n=1000, seed=0):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=n), rng.integers(0, 40, n).astype(float)
    town = np.array([f"t{i}" for i in range(9)])[rng.integers(0, 9, n)]
    signal = a + 0.1 * b * np.isin(town, ["t1", "t5", "t7"])
    y = signal + 0.3 * rng.normal(size=n)
    columns = {
        "a": pa.array(np.where(rng.random(n) < 0.1, np.nan, a), from_pandas=True),
        "b": pa.array(b),
        "town": pa.array(np.where(rng.random(n) < 0.1, None, town)),
        "y": pa.array(y),
        "count": pa.array(rng.poisson(np.exp(signal / 3)).astype(float)),
        "two": pa.array(np.where(y > 0.5, "yes", "no")),
        "four": pa.array(np.digitize(y, [-1, 0.5, 2])),
        "w": pa.array(rng.integers(0, 4, n).astype(float)),
    }
    return pa.table(columns)


def cut(table, folder, pieces):
    folder.mkdir()
    cuts = np.linspace(0, table.num_rows, pieces + 1).astype(int)
    for number, (start, stop) in enumerate(pairwise(cuts)):
        pq.write_table(table.slice(start, stop - start), folder / f"{number:02}.parquet")
    return learnt.scan(sorted(folder.glob("*.parquet")))


def columns_of(table, *names):
    return table.select(["a", "b", "town", *names])


def assert_same_trees(one, other):
    for name in ("tree_start", "feature", "threshold", "right", "route_codes", "routes", "missing"):
        np.testing.assert_array_equal(getattr(one.trees_, name), getattr(other.trees_, name), err_msg=name)
    np.testing.assert_allclose(one.trees_.value, other.trees_.value, rtol=1e-12)
    np.testing.assert_allclose(one.feature_importances_, other.feature_importances_, rtol=1e-9)
    np.testing.assert_allclose(one.train_score_, other.train_score_, rtol=1e-9)
    np.testing.assert_allclose(one.validation_score_, other.validation_score_, rtol=1e-9)


CASES = {
    "squared": (GradientBoostingRegressor, "y", {}),
    "absolute": (GradientBoostingRegressor, "y", {"loss": "absolute_error"}),
    "huber": (GradientBoostingRegressor, "y", {"loss": "huber"}),
    "quantile": (GradientBoostingRegressor, "y", {"loss": "quantile", "quantile": 0.8}),
    "poisson": (GradientBoostingRegressor, "count", {"loss": "poisson"}),
    "two classes": (GradientBoostingClassifier, "two", {}),
    "four classes": (GradientBoostingClassifier, "four", {"class_weight": "balanced"}),
    "level by level": (GradientBoostingRegressor, "y", {"growth": "depth", "max_leaf_nodes": 11}),
    "shallow": (GradientBoostingClassifier, "two", {"max_depth": 3, "max_leaf_nodes": None}),
    "held out": (GradientBoostingClassifier, "two", {"early_stopping": True, "n_iter_no_change": 2}),
    "drawn rows": (GradientBoostingClassifier, "four", {"subsample": 0.5}),
    "rows by gradient": (GradientBoostingClassifier, "two", {"subsample": 0.5, "sampling": "gradient"}),
    "drawn columns": (GradientBoostingRegressor, "y", {"max_features": 0.6}),
    "constraints": (GradientBoostingRegressor, "y", {"monotonic_cst": {"a": 1}, "interaction_cst": [["a", "b"]]}),
}


WEIGHTED = {"squared", "absolute", "four classes", "held out", "rows by gradient"}


@pytest.mark.parametrize("case", CASES)
def test_any_cut_of_the_rows_gives_the_trees_of_the_table(case, tmp_path):
    kind, target, settings = CASES[case]
    weighted = case in WEIGHTED
    table = columns_of(frame(), target, *(["w"] if weighted else []))
    weights = "w" if weighted else None
    settings = {"max_iter": 3, "learning_rate": 0.3, **settings}
    expected = kind(**settings).fit(table, target, weights)
    assert expected.trees_.node_count > 30
    for pieces in (1, 4, 13):
        model = kind(**settings).fit(cut(table, tmp_path / str(pieces), pieces), target, weights)
        assert_same_trees(model, expected)


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("kind", [GradientBoostingClassifier, GradientBoostingRegressor])
@pytest.mark.parametrize("n_rows", [60, 300])  # limits that are shares of the rows are shares of their weight
def test_copies_of_rows_are_weights_where_sets_of_categories_are_searched(kind, streamed, n_rows, tmp_path):
    rng = np.random.default_rng(0)
    columns = {c: rng.choice(list("abcdefg"), n_rows) for c in "pqr"}
    columns["y"] = rng.normal(size=n_rows) if kind is GradientBoostingRegressor else rng.choice(["no", "yes"], n_rows)
    columns["w"] = rng.integers(0, 4, n_rows).astype(float)
    copies = np.repeat(np.arange(n_rows), columns["w"].astype(int))
    weighted = pa.table(columns)
    copied = pa.table({name: cells[copies] for name, cells in columns.items() if name != "w"})
    if streamed:
        weighted, copied = (cut(t, tmp_path / n, 3) for t, n in ((weighted, "weighted"), (copied, "copied")))
    one, other = kind(max_iter=20).fit(weighted, "y", "w"), kind(max_iter=20).fit(copied, "y")
    assert one.trees_.node_count > 40
    asked = {c: columns[c] for c in "pqr"}
    ask = (lambda m: m.predict_proba(asked)) if kind is GradientBoostingClassifier else (lambda m: m.predict(asked))
    np.testing.assert_allclose(ask(one), ask(other), rtol=1e-10, atol=1e-12)


def test_many_rows_give_the_trees_of_the_table(tmp_path):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(150_000, 4)).astype(np.float32)
    y = x[:, 0] * x[:, 1] + rng.normal(size=len(x)) > 0
    table = pa.table({f"x{j}": x[:, j] for j in range(4)} | {"y": y})
    settings = {"max_iter": 3, "max_leaf_nodes": 15}
    expected = GradientBoostingClassifier(**settings).fit(table, "y")
    model = GradientBoostingClassifier(**settings).fit(cut(table, tmp_path / "cut", 3), "y")
    assert_same_trees(model, expected)


def test_the_rows_are_read_twice_whatever_the_number_of_trees(tmp_path, monkeypatch):
    source, reads = cut(columns_of(frame(), "y"), tmp_path / "cut", 3), []
    assert source.schema is not None
    genuine = Scan.batches

    def counted(self, *args, **kwargs):
        reads.append(1)
        return genuine(self, *args, **kwargs)

    monkeypatch.setattr(Scan, "batches", counted)
    GradientBoostingRegressor(max_iter=7).fit(source, "y")
    assert len(reads) == 2


def test_passes_grow_with_levels_not_with_leaves(tmp_path, monkeypatch):
    source, passes = cut(columns_of(frame(4000), "y"), tmp_path / "cut", 2), []
    genuine = StreamEngine.answer

    def counted(self, request):
        passes.append(type(request).__name__)
        return genuine(self, request)

    monkeypatch.setattr(StreamEngine, "answer", counted)
    model = GradientBoostingRegressor(max_iter=5, max_leaf_nodes=63, min_samples_leaf=5).fit(source, "y")
    leaves = sum(tree.n_leaves for tree in model.trees_)
    levels = sum(tree.max_depth for tree in model.trees_)
    assert leaves == 5 * 63
    assert passes.count("Grow") <= levels + 2 * 5


def test_a_stream_may_be_warm_started(tmp_path):
    table = columns_of(frame(), "four")
    source = cut(table, tmp_path / "cut", 4)
    model = GradientBoostingClassifier(max_iter=3, warm_start=True).fit(source, "four")
    model.set_params(max_iter=6).fit(source, "four")
    assert_same_trees(model, GradientBoostingClassifier(max_iter=6).fit(table, "four"))


def test_nothing_is_left_behind_by_a_fit_that_fails(tmp_path, monkeypatch):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    monkeypatch.setattr(engines, "STATE_BYTES", 0)  # as if there were more than memory should hold
    source = cut(columns_of(frame(), "y"), tmp_path / "cut", 3)
    model = GradientBoostingRegressor(max_iter=4)

    def stop(step):
        if step.what == "round" and step.iteration == 2:
            assert list(scratch.iterdir())  # the state of the batches
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), learnt.watch(stop):
        model.fit(source, "y")
    assert not list(scratch.iterdir())
    assert not hasattr(model, "trees_")
    model.fit(source, "y")
    assert not list(scratch.iterdir())


def test_counts_below_zero_are_named_by_their_row_in_all_files(tmp_path):
    table = columns_of(frame(300), "count")
    counts = table["count"].to_numpy().copy()
    counts[250] = -1
    table = table.set_column(3, "count", pa.array(counts))
    with pytest.raises(InputError, match="row 250"):
        GradientBoostingRegressor(loss="poisson").fit(cut(table, tmp_path / "cut", 3), "count")


def test_a_scan_is_predicted_as_a_table(tmp_path):
    table = columns_of(frame(), "two")
    source = cut(table, tmp_path / "cut", 4)
    model = GradientBoostingClassifier(max_iter=4).fit(source, "two")
    assert Path(tmp_path / "cut").exists()
    np.testing.assert_array_equal(model.predict_proba(source), model.predict_proba(table))
    assert model.score(source, "two") > 0.7

"""Dask's frames, arrays and lists of delayed frames as scans; without a cluster they are streamed."""

from __future__ import annotations

import time

import numpy as np
import pytest
from tests.engine.cluster.files import assert_same, frame

import learnt
from learnt.data.dask import is_dask, scan_of
from learnt.errors import InputError, KindError

dask = pytest.importorskip("dask", reason="a collection needs dask")
array = pytest.importorskip("dask.array", reason="a collection needs dask.array")
frames = pytest.importorskip("dask.dataframe", reason="a collection needs dask.dataframe")

N_ROWS = 700


@pytest.fixture(scope="module")
def rows():
    return frame(N_ROWS)


def least_squares(X, y="y", sample_weight=None):
    return learnt.LinearRegression().fit(X, y, sample_weight)


def numbers(rows):
    return rows[list("abcd")].to_numpy(), rows["y"].to_numpy()


def test_what_is_of_dask_is_told_without_importing_it(rows):
    collection = frames.from_pandas(rows, npartitions=2)
    assert is_dask(collection)
    assert is_dask(collection["y"])
    assert is_dask(array.ones(3))
    assert is_dask([dask.delayed(rows)])
    for other in (rows, [], [rows], np.ones(3), "dask", None):
        assert not is_dask(other)


@pytest.mark.parametrize("n_partitions", [1, 3, 7])
def test_a_frame_gives_the_model_of_its_rows(rows, n_partitions):
    collection = frames.from_pandas(rows, npartitions=n_partitions)
    model = least_squares(collection)
    assert_same(model, least_squares(rows))
    assert model.feature_names_in_.tolist() == ["a", "b", "c", "d", "town", "t"]


def test_the_schema_is_that_of_the_frame(rows):
    rows = rows.assign(
        day=np.datetime64("2024-01-01") + np.arange(N_ROWS) % 40,
        size=rows["town"].astype("category").cat.set_categories(["Zug", "Bern", "Basel"], ordered=True),
        late=[None] * (N_ROWS - 1) + ["word"],
        flag=rows["a"] > 0,
    )
    scan, _, _ = scan_of(frames.from_pandas(rows, npartitions=5, sort=False))
    assert scan.schema == learnt.Table(rows).schema
    assert scan.kinds == learnt.Table(rows).kinds
    assert scan.n_rows == N_ROWS


def test_targets_and_weights_may_be_series_of_their_own(rows):
    collection = frames.from_pandas(rows.assign(w=np.arange(N_ROWS) % 3), npartitions=4)
    features = collection.drop(columns=["y", "w"])
    model = least_squares(features, collection["y"], collection["w"])
    assert_same(model, least_squares(collection, "y", "w"))
    assert "target" not in model.feature_names_in_


def test_classes_may_be_a_series_of_labels(rows):
    collection = frames.from_pandas(rows, npartitions=4)
    model = learnt.NaiveBayesClassifier().fit(collection.drop(columns="t"), collection["t"])
    assert model.classes_.tolist() == ["no", "yes"]
    assert_same(model, learnt.NaiveBayesClassifier().fit(rows.drop(columns="t"), rows["t"]))


def test_an_array_has_columns_without_names_and_may_be_cut_both_ways(rows):
    x, y = numbers(rows)
    model = least_squares(array.from_array(x, chunks=(200, 3)), array.from_array(y, chunks=200))
    assert_same(model, least_squares(x, y))
    assert not hasattr(model, "feature_names_in_")
    np.testing.assert_allclose(model.predict(x), least_squares(x, y).predict(x), rtol=1e-10)


def test_a_target_cut_otherwise_is_cut_as_the_rows_are(rows):
    x, y = numbers(rows)
    for chunks in (130, ((100, 200, 200, 200),)):  # fewer rows in each, as many chunks
        model = least_squares(array.from_array(x, chunks=(200, 4)), array.from_array(y, chunks=chunks))
        assert_same(model, least_squares(x, y))


def test_delayed_frames_of_any_library_make_a_table(rows):
    import polars as pl
    import pyarrow as pa

    parts = [rows.iloc[:100], pl.from_pandas(rows.iloc[100:400]), pa.Table.from_pandas(rows.iloc[400:])]
    model = least_squares([dask.delayed(part) for part in parts])
    assert_same(model, least_squares(rows))
    assert_same(least_squares(dask.delayed(rows)), least_squares(rows))


def test_partitions_without_rows_do_no_harm(rows):
    parts = [rows.iloc[:0], rows.iloc[:300], rows.iloc[300:300], rows.iloc[300:]]
    assert_same(least_squares([dask.delayed(part) for part in parts]), least_squares(rows))


def test_labels_that_come_late_are_found(rows):
    ordered = rows.sort_values("town")  # each partition has other labels, the last ones none
    scan, _, _ = scan_of(frames.from_pandas(ordered, npartitions=6, sort=False))
    assert scan.schema["town"].categories == ("Basel", "Bern", "Zug")


def test_a_target_in_memory_beside_a_collection_is_refused(rows):
    with pytest.raises(KindError, match=r"y is 'ndarray', while X is of Dask"):
        least_squares(frames.from_pandas(rows, npartitions=2), rows["y"].to_numpy())


def test_collections_that_are_cut_otherwise_are_refused(rows):
    features = frames.from_pandas(rows.drop(columns="y"), npartitions=3)
    with pytest.raises(InputError, match="X has 3 partitions, y 5"):
        least_squares(features, frames.from_pandas(rows["y"], npartitions=5))
    x, y = numbers(rows)
    with pytest.raises(InputError, match="partition 0 of X has 600 rows, that of the target 500"):
        least_squares(array.from_array(x, chunks=(600, 4)), frames.from_delayed(
            [dask.delayed(rows["y"].iloc[:500]), dask.delayed(rows["y"].iloc[500:])], meta=rows["y"]
        ))  # fmt: skip
    with pytest.raises(InputError, match="X has 4 partitions, y 3"):
        least_squares(array.from_array(x, chunks=(200, 4)), array.from_array(y[:600], chunks=200))


def test_partitions_of_other_columns_are_refused(rows):
    for there, lacks in ((0, 1), (1, 0)):
        parts = [rows, rows]
        parts[lacks] = rows.drop(columns="a")
        said = f"'a' is missing from partition {lacks}. Partition {there} has it"
        with pytest.raises(InputError, match=said):
            least_squares([dask.delayed(part) for part in parts])


def test_columns_may_stand_in_any_order(rows):
    turned = rows[rows.columns[::-1]]
    model = least_squares([dask.delayed(rows[:300]), dask.delayed(turned[300:])])
    assert_same(model, least_squares(rows))


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (lambda a: a.astype(str), "'a' is nominal in partition 1, but numeric in those before it"),
        (lambda a: np.datetime64("2024-01-01"), "'a' is a date in partition 1, but numeric in those before it"),
    ],
)
def test_partitions_of_other_kinds_are_refused(rows, cells, said):
    with pytest.raises(KindError, match=said):
        least_squares([dask.delayed(rows[:300]), dask.delayed(rows[300:].assign(a=cells(rows["a"][300:])))])


def test_a_learner_that_needs_all_rows_says_how_to_bring_them_together(rows):
    with pytest.raises(InputError, match=r"given a Dask collection\. .* by compute\(\)"):
        learnt.KNeighborsClassifier().fit(frames.from_pandas(rows, npartitions=2), "t")


def test_a_collection_is_no_table(rows):
    with pytest.raises(KindError, match="spread over partitions"):
        learnt.Table(frames.from_pandas(rows, npartitions=2))


@pytest.mark.timeout(300)
@pytest.mark.xdist_group("cluster")
def test_partitions_stay_at_their_workers(small_cluster, rows):
    x, y = numbers(rows)
    sources = {
        "frame": (frames.from_pandas(rows, npartitions=5), "y"),
        "array": (array.from_array(x, chunks=(200, 2)), array.from_array(y, chunks=200)),
        "delayed": ([dask.delayed(rows.iloc[i : i + 250]) for i in range(0, N_ROWS, 250)], "y"),
    }
    for name, (X, target) in sources.items():
        alone = least_squares(x, y) if name == "array" else least_squares(rows)
        with learnt.cluster(small_cluster), pytest.MonkeyPatch.context() as patch:
            patch.setattr("learnt.data.dask.frames.Frames.load", None)  # no partition comes here
            assert_same(least_squares(X, target), alone)
    import gc

    gc.collect()
    assert not small_cluster.futures


@pytest.mark.timeout(300)
@pytest.mark.xdist_group("cluster")
def test_no_partition_is_held_by_an_error_that_is_kept_or_by_a_fit_that_was_watched(small_cluster, rows):
    """As notebooks keep the last error, with all that its traceback knows."""
    wrong = rows.assign(b=np.where(np.arange(N_ROWS) == 500, np.inf, rows["b"]))
    with learnt.cluster(small_cluster), pytest.raises(InputError, match="infinite") as kept:
        least_squares(frames.from_pandas(wrong, npartitions=3))
    until_free(small_cluster)
    assert kept.value.__traceback__ is not None
    with learnt.cluster(small_cluster), learnt.watch():
        least_squares(frames.from_pandas(rows, npartitions=3))
    until_free(small_cluster)


def until_free(client):
    """Wait until no data is held; letting go of it takes a moment."""
    deadline = time.monotonic() + 250
    while client.futures:
        assert time.monotonic() < deadline
        time.sleep(0.02)

"""Tables of a network from files, batch by batch: those of the same rows in memory."""

import numpy as np
import pandas as pd
import pytest

import learnt
from learnt.errors import InputError, ParameterError

STRUCTURE = {"a": [], "b": ["a"], "c": ["a", "b"]}


@pytest.fixture
def rows(tmp_path):
    rng = np.random.default_rng(0)
    a = rng.choice(list("xyz"), 3000)
    b = np.where(rng.random(3000) < 0.7, a, rng.choice(list("xyz"), 3000)).astype(object)
    b[::40] = None
    frame = pd.DataFrame({"a": a, "b": b, "c": rng.choice(["no", "yes"], 3000), "w": rng.integers(0, 4, 3000)})
    for i in range(3):
        frame[i * 1000 : (i + 1) * 1000].to_parquet(tmp_path / f"{i}.parquet")
    return frame, learnt.scan(tmp_path / "*.parquet", batch_rows=700)


@pytest.mark.parametrize("prior", [None, "bdeu", "k2", 0.5])
@pytest.mark.parametrize("weight", [None, "w"])
def test_tables_are_those_of_the_rows_in_memory(rows, prior, weight):
    frame, scan = rows
    whole = learnt.BayesianNetwork(STRUCTURE).fit(frame, prior=prior, sample_weight=weight)
    scanned = learnt.BayesianNetwork(STRUCTURE).fit(scan, prior=prior, sample_weight=weight)
    for name in STRUCTURE:
        assert scanned.states(name) == whole.states(name)
        np.testing.assert_allclose(scanned.table(name).values, whole.table(name).values, rtol=1e-12)


def test_rows_of_weight_zero_neither_stretch_intervals_nor_have_labels(tmp_path):
    frame = pd.DataFrame({"x": np.arange(100.0), "y": np.where(np.arange(100) < 50, "low", "high"), "w": 1})
    frame.iloc[[3, 70], 0], frame.iloc[[3, 70], 1], frame.iloc[[3, 70], 2] = 1e7, "ghost", 0
    frame.to_parquet(tmp_path / "all.parquet")
    frame[frame["w"] > 0].to_parquet(tmp_path / "counted.parquet")
    one, two = (
        learnt.BayesianNetwork({"x": [], "y": ["x"]}).fit(learnt.scan(path, batch_rows=30), n_bins=4, sample_weight="w")
        for path in (tmp_path / "all.parquet", tmp_path / "counted.parquet")
    )
    for name in "xy":
        assert one.states(name) == two.states(name)
        np.testing.assert_array_equal(one.table(name).values, two.table(name).values)


def test_numbers_are_cut_into_intervals_of_equal_width(tmp_path):
    frame = pd.DataFrame({"x": np.arange(100.0), "y": np.where(np.arange(100) < 50, "low", "high")})
    frame.to_parquet(tmp_path / "x.parquet")
    network = learnt.BayesianNetwork({"x": [], "y": ["x"]}).fit(
        learnt.scan(tmp_path / "x.parquet", batch_rows=30), n_bins=4
    )
    np.testing.assert_allclose(network.table("x").values, [0.25] * 4, atol=0.011)
    assert len(network.states("x")) == 4


def test_learnt_from_files_from_beginning_to_end(rows):
    _, scan = rows
    network = learnt.BayesianNetwork(learnt.learn_structure(scan, bins="width")).fit(scan)
    assert network.infer("b", {"a": "x"}).probabilities.argmax() == list(network.states("b")).index("x")


def test_what_a_scan_cannot_do_is_told(rows):
    _, scan = rows
    with pytest.raises(ParameterError, match="again and again, in memory"):
        learnt.BayesianNetwork(STRUCTURE).fit(scan, method="em")
    with pytest.raises(InputError, match="no column 'snow'"):
        learnt.BayesianNetwork({"snow": []}).fit(scan)

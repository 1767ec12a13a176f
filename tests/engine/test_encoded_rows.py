"""Blocks of a design's matrix put together are the matrix."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from learnt.data.table import Table
from learnt.engine.encoded_rows import dense, encoded_rows
from learnt.engine.first_look import look_at
from learnt.engine.passes import Batch

N = 23


@pytest.fixture
def batch():
    rng = np.random.default_rng(0)
    table = Table({"x": rng.normal(size=N), "town": rng.choice(["Bern", "Chur", "Genf"], N).tolist()})
    return Batch(table, 100, rng.normal(size=N), rng.random(N))


@pytest.mark.parametrize("step", [1, 7, 23, 1000])
def test_blocks_add_up_to_all_rows_each_with_its_target_and_weight(batch, step):
    design = look_at(batch.table, None, drop_reference=False).design
    parts = list(encoded_rows(batch, design, step))
    assert [part.n_rows for _, part in parts] == [min(step, N - start) for start in range(0, N, step)]
    assert [part.first_row for _, part in parts] == list(range(100, 100 + N, step))
    x = np.vstack([dense(x) for x, _ in parts])
    towns = np.array(batch.table["town"].labels())
    by_name = dict(zip(design.names, x.T, strict=True))
    np.testing.assert_array_equal(by_name["x"], batch.table["x"].values)
    for town in ("Bern", "Chur", "Genf"):
        np.testing.assert_array_equal(by_name[f"town={town}"], towns == town)
    np.testing.assert_array_equal(np.concatenate([part.target for _, part in parts]), batch.target)
    np.testing.assert_array_equal(np.concatenate([part.weights for _, part in parts]), batch.weights)


def test_no_rows_are_one_empty_block(batch):
    design = look_at(batch.table, None, drop_reference=False).design
    ((x, part),) = encoded_rows(batch.rows(0, 0), design)
    assert (dense(x).shape, part.n_rows) == ((0, design.n_columns), 0)


def test_without_a_design_the_matrix_is_taken_as_it_is():
    x = np.random.default_rng(1).normal(size=(5, 2))
    table = Table(x)
    ((found, part),) = encoded_rows(Batch(table, 0, None, None), None, 2)
    assert found is table.matrix
    assert part.n_rows == 5


def test_dense_shows_all_zeros():
    x = np.diag([1.0, 2.0])
    np.testing.assert_array_equal(dense(csr_matrix(x)), x)
    assert dense(x) is x

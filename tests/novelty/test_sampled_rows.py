"""Forests of files: a sample that does not depend on how the rows were cut."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.novelty.tables import mixed_table

import learnt
from learnt import NoveltyDetector, Table
from learnt.engine.passes import Batch
from learnt.errors import InputError
from learnt.novelty.sampled_rows import TakeRows, sampled_table


def test_the_sample_is_the_same_however_rows_are_cut():
    x = np.random.default_rng(0).normal(size=(500, 2))
    weights = (np.arange(500) % 3).astype(float)
    take = TakeRows(seed=5, limit=60)
    whole = sampled_table(take.summarize(Batch(Table(x), 0, None, weights)))
    parts = [take.summarize(Batch(Table(x[a:b]), a, None, weights[a:b])) for a, b in ((0, 7), (7, 300), (300, 500))]
    cut = sampled_table(parts[0] + parts[1] + parts[2])
    np.testing.assert_array_equal(np.asarray(cut.table), np.asarray(whole.table))
    assert cut.rows == 60
    assert (cut.weights > 0).all()


def test_the_forest_of_a_small_file_is_that_of_the_table(tmp_path):
    table = mixed_table(300, 1)
    pq.write_table(pa.table(table), tmp_path / "rows.parquet")
    scan = learnt.scan(tmp_path / "rows.parquet", batch_rows=64)
    of_file, in_memory = (
        NoveltyDetector(n_estimators=20).fit(rows) for rows in (scan, learnt.read(tmp_path / "rows.parquet"))
    )
    new = mixed_table(40, 2)
    np.testing.assert_array_equal(of_file.p_values(new), in_memory.p_values(new))
    np.testing.assert_array_equal(of_file.predict(scan), in_memory.predict(table))
    assert len(of_file.held_out_p_values_) == 0


def test_other_methods_say_why_they_take_no_scan(tmp_path):
    pq.write_table(pa.table(mixed_table(30, 3)), tmp_path / "rows.parquet")
    with pytest.raises(InputError, match='method="forest"'):
        NoveltyDetector("density").fit(learnt.scan(tmp_path / "rows.parquet"))

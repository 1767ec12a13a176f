"""Files instead of tables: the same model, however the rows are cut."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from tests.conformance.checks import check
from tests.conformance.subject import Subject, answers, assert_same_answers
from tests.conformance.tables import as_arrow, mixed, numbers

import learnt
from learnt.errors import InputError

TOLERANCE = 1e-8


def frame(subject: Subject, n_rows: int = 500):
    import pyarrow as pa

    table = as_arrow(mixed(n_rows)).append_column("w", pa.array(np.arange(n_rows) % 4))
    y = subject.target(n_rows)
    return table if y is None else table.append_column("goal", pa.array(y))


def write_parquet(table, folder, pieces: int):
    """`table` in so many files, several row groups each."""
    import pyarrow.parquet as pq

    cuts = np.linspace(0, table.num_rows, pieces + 1).astype(int)
    paths = []
    for number, (start, stop) in enumerate(pairwise(cuts)):
        paths.append(folder / f"part{number}.parquet")
        pq.write_table(table.slice(start, stop - start), paths[-1], row_group_size=70)
    return paths


def goal(subject: Subject):
    return "goal" if subject.supervised else None


def fixed(subject: Subject, table):
    return {"init": table.slice(0, 3)} if subject.can("random") else {}


@check("passes", "nominal", "missing", expensive=True)
def a_scan_of_parquet_gives_the_model_of_the_table(subject: Subject, tmp_path) -> None:
    """Fitting a scan of one, two or seven Parquet files gives the answers of fitting the table."""
    table = frame(subject)
    names = [n for n in table.column_names if n not in ("w", "goal")]
    expected = subject.fitted(table, goal(subject), "w")
    for pieces in (1, 2, 7):
        folder = tmp_path / str(pieces)
        folder.mkdir()
        source = learnt.scan(write_parquet(table, folder, pieces))
        model = subject.fitted(source, goal(subject), "w")
        assert list(model.feature_names_in_) == names
        assert_same_answers(answers(model, table), answers(expected, table), TOLERANCE)
        assert_same_answers(answers(model, source), answers(expected, table), TOLERANCE)


@check("passes", "nominal", "missing", expensive=True)
def a_scan_of_csv_gives_the_model_of_the_table(subject: Subject, tmp_path) -> None:
    """Fitting a scan of CSV files gives the answers of fitting what `read` reads."""
    import pyarrow as pa
    import pyarrow.csv

    table = frame(subject)
    table = table.set_column(3, "size", table["size"].cast(pa.string()))
    pa.csv.write_csv(table.slice(0, 100), tmp_path / "0.csv")
    pa.csv.write_csv(table.slice(100), tmp_path / "1.csv")
    pa.csv.write_csv(table, tmp_path / "whole.csv")
    read = learnt.read(tmp_path / "whole.csv", target=goal(subject))
    source = learnt.scan([tmp_path / "0.csv", tmp_path / "1.csv"], target=goal(subject))
    one, two = subject.fitted(read, None, "w"), subject.fitted(source, None, "w")
    assert_same_answers(answers(two, read), answers(one, read), TOLERANCE)


@check("passes", task="classification", by_thirds=True)
def classes_of_a_scan_are_those_of_the_table(subject: Subject, tmp_path) -> None:
    """Labels of any type, declared orders too, come out of a scan as out of a table."""
    import pandas as pd
    import pyarrow as pa

    codes = np.arange(300) // 100  # each file sees other classes
    targets = {
        "text": np.array(["b", "a", "c"])[codes],
        "whole": np.array([10, -3, 7])[codes],
        "truth": codes == 1,
        "ordered": pd.Categorical.from_codes(codes, ["low", "mid", "high"], ordered=True),
    }
    for name, y in targets.items():
        table = pa.Table.from_pandas(pd.DataFrame({"x": numbers(300, 1)[:, 0], "goal": y}), preserve_index=False)
        folder = tmp_path / name
        folder.mkdir()
        one = subject.fitted(table, "goal")
        two = subject.fitted(learnt.scan(write_parquet(table, folder, 3)), "goal")
        assert two.classes_.tolist() == one.classes_.tolist(), name
        assert two.classes_.dtype == one.classes_.dtype, name
        assert_same_answers(answers(two, table), answers(one, table))


@check("passes", "weights", "nominal", by_thirds=True)
def a_batch_of_zero_weights_does_no_harm(subject: Subject, tmp_path) -> None:
    """A file whose rows all weigh nothing changes nothing; if all do, that is an error."""
    import pyarrow as pa

    table = frame(subject, 210)
    half = table.set_column(table.column_names.index("w"), "w", pa.array(np.arange(210) >= 70, pa.int64()))
    start = fixed(subject, table.drop_columns([n for n in ("w", "goal") if n in table.column_names]))
    one = subject.fitted(half, goal(subject), "w", **start)
    two = subject.fitted(learnt.scan(write_parquet(half, tmp_path, 3)), goal(subject), "w", **start)
    assert_same_answers(answers(two, table), answers(one, table), TOLERANCE)
    none = table.set_column(table.column_names.index("w"), "w", pa.array(np.zeros(210)))
    with pytest.raises(InputError, match="zero"):
        subject.fitted(learnt.scan(write_parquet(none, tmp_path, 3)), goal(subject), "w")


@check("passes")
def infinities_in_a_scan_are_named(subject: Subject, tmp_path) -> None:
    """An infinite cell of a later file is an error that names column and row, counted over all files."""
    import pyarrow as pa

    x = numbers(300, 2)
    x[250, 1] = np.inf
    columns = {"a": x[:, 0], "b": x[:, 1]} | ({"goal": subject.target(300)} if subject.supervised else {})
    with pytest.raises(InputError, match=r"'b' has 1 infinite .*row 250\b"):
        subject.fitted(learnt.scan(write_parquet(pa.table(columns), tmp_path, 3)), goal(subject))


@check("passes", "nominal", expensive=True)
def a_scan_is_watched(subject: Subject, tmp_path) -> None:
    """Each batch of a scan reports the rows read so far."""
    table = frame(subject)
    source = learnt.scan(write_parquet(table, tmp_path, 3))
    with learnt.watch() as log:
        subject.fitted(source, goal(subject))
    rows = [step.iteration for step in log if step.facts.get("unit") == "rows"]
    assert max(rows) == 500
    assert all(step.learner == subject.name for step in log)


@check("passes", task="supervised")
def the_target_of_a_scan_is_a_column(subject: Subject, tmp_path) -> None:
    """With a scan, targets and weights are names; arrays are refused."""
    source = learnt.scan(write_parquet(frame(subject), tmp_path, 2))
    with pytest.raises(InputError, match="name of one of its columns"):
        subject.fitted(source, subject.target(500))
    with pytest.raises(InputError, match="'gaol'"):
        subject.fitted(source, "gaol")

"""A problem on disk, mapped by any number of processes: none of them holds a copy of its own."""

from __future__ import annotations

import pickle
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any

import numpy as np

from learnt.data.table import Array, Column, Table
from learnt.evaluate.closing import Closing
from learnt.evaluate.problem import Problem


class SharedProblem(Closing):
    """Writes a problem's arrays as plain .npy files into a new folder, in the system's temporary directory unless told.

    `open_problem(folder)` maps them in another process, read-only. The folder is removed by `close`, at the end of
    a `with` block, or with the object.
    """

    def __init__(self, problem: Problem, inside: Path | None = None) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="learnt-", dir=inside))
        self._remove = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        try:
            write_problem(problem, self.folder)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Remove the folder."""
        self._remove()


def write_problem(problem: Problem, folder: Path) -> None:
    table, declared = problem.table, problem.declared
    small: dict[str, Any] = {
        "schema": table.schema,
        "n_rows": table.n_rows,
        "target": table.target,
        "classes": problem.classes,
        "task": problem.task,
        "target_name": problem.target_name,
        "declared": None if declared is None else declared.schema,
    }
    arrays: dict[str, Array | None] = {
        "problem_target": problem.target,
        "problem_weights": problem.weights,
        "problem_groups": problem.groups,
        "problem_declared": None if declared is None else declared.values,
        "matrix": table.matrix,
    }
    if table.sparse is not None:
        arrays |= {f"sparse_{part}": getattr(table.sparse, part) for part in ("data", "indices", "indptr")}
        small["sparse"] = (type(table.sparse), table.sparse.shape)
    for name, array in arrays.items():
        if array is not None:
            np.save(folder / f"{name}.npy", array)
    if table.matrix is None and table.sparse is None:
        small["columns"] = _write_columns(table, folder)
    (folder / "small.pickle").write_bytes(pickle.dumps(small))


def _write_columns(table: Table, folder: Path) -> list[tuple[str, int]]:
    """Columns of one type as the rows of one file, lest a thousand columns be as many files; and where each is."""
    width: dict[str, int] = {}
    places = []
    for column in table.columns:
        kind = column.values.dtype.str
        places.append((kind, width.get(kind, 0)))
        width[kind] = width.get(kind, 0) + 1
    files = {
        kind: np.lib.format.open_memmap(
            folder / f"columns_{i}.npy", mode="w+", dtype=np.dtype(kind), shape=(count, table.n_rows)
        )
        for i, (kind, count) in enumerate(width.items())
        if table.n_rows
    }
    for (kind, place), column in zip(places, table.columns, strict=True):
        files[kind][place] = column.values
    return [(f"columns_{list(width).index(kind)}", place) for kind, place in places]


def open_problem(folder: Path | str) -> Problem:
    """The problem in a folder that a `SharedProblem` wrote, its arrays mapped read-only."""
    folder = Path(folder)
    small = pickle.loads((folder / "small.pickle").read_bytes())
    declared = small["declared"]
    target = _mapped_array(folder, "problem_target")
    assert target is not None
    codes = _mapped_array(folder, "problem_declared")
    return Problem(
        _table(folder, small),
        target,
        small["classes"],
        small["task"],
        small["target_name"],
        _mapped_array(folder, "problem_weights"),
        _mapped_array(folder, "problem_groups"),
        None if declared is None or codes is None else Column.like(declared, codes),
    )


def _table(folder: Path, small: dict[str, Any]) -> Table:
    schema = small["schema"]
    matrix = _mapped_array(folder, "matrix")
    if matrix is not None:
        return Table.of_matrix(matrix, schema.names, target=small["target"], named=schema.named)
    if "sparse" in small:
        cls, shape = small["sparse"]
        parts = tuple(_mapped_array(folder, f"sparse_{part}") for part in ("data", "indices", "indptr"))
        return Table.of_matrix(cls(parts, shape=shape), schema.names, target=small["target"], named=schema.named)
    files: dict[str, Any] = {file: _mapped_array(folder, file) for file, _ in small["columns"]}
    columns = [Column.like(c, files[file][place]) for c, (file, place) in zip(schema, small["columns"], strict=True)]
    return Table.of_columns(columns, n_rows=small["n_rows"], target=small["target"], named=schema.named)


def _mapped_array(folder: Path, name: str) -> Array | None:
    path = folder / f"{name}.npy"
    if not path.exists():
        return None
    # As a plain array: a memmap object would be carried into every view of it.
    return np.asarray(np.load(path, mmap_mode="r"))

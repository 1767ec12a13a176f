"""A problem on disk, mapped by any number of processes: none of them holds a copy of its own."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np

from learnt.data.table import Array, Column, Table
from learnt.evaluate.closing import Closing
from learnt.evaluate.problem import Problem
from learnt.leftovers import ROOM_FOR_TEMPORARY_FILES, ScratchFolder
from learnt.unwritable import write_errors

_AT_ONCE = 1 << 16  # rows


class SharedProblem(Closing):
    """Writes a problem's arrays as plain .npy files into a new folder, in the system's temporary directory unless told.

    `open_problem(folder)` maps them in another process, read-only. The folder is removed by `close`, at the end of
    a `with` block, or with the object.
    """

    def __init__(self, problem: Problem, inside: Path | None = None) -> None:
        self._scratch = ScratchFolder(inside)
        self.folder = self._scratch.path
        try:
            with write_errors("Temporary files", self.folder.parent, advice=ROOM_FOR_TEMPORARY_FILES):
                write_problem(problem, self.folder)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Remove the folder."""
        self._scratch.close()


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
            columns_first = array.flags.f_contiguous and not array.flags.c_contiguous
            _write_rows(folder / f"{name}.npy", array.shape, [array.T if columns_first else array], columns_first)
    if table.matrix is None and table.sparse is None:
        small["columns"] = _write_columns(table, folder)
    (folder / "small.pickle").write_bytes(pickle.dumps(small))


def _write_columns(table: Table, folder: Path) -> list[tuple[str, int]]:
    """Columns of one type as the rows of one file, lest a thousand columns be as many files; and where each is."""
    of_kind: dict[str, list[Array]] = {}
    places = []
    for column in table.columns:
        alike = of_kind.setdefault(column.values.dtype.str, [])
        places.append((column.values.dtype.str, len(alike)))
        alike.append(column.values)
    for i, rows in enumerate(of_kind.values()):
        if table.n_rows:
            _write_rows(folder / f"columns_{i}.npy", (len(rows), table.n_rows), rows)
    return [(f"columns_{list(of_kind).index(kind)}", place) for kind, place in places]


def _write_rows(path: Path, shape: tuple[int, ...], parts: list[Array], columns_first: bool = False) -> None:
    """Arrays of one type, one after the other as one. Written and not mapped, where a full disk would be a crash."""
    about = {
        "descr": np.lib.format.dtype_to_descr(parts[0].dtype),
        "fortran_order": columns_first,
        "shape": shape,
    }
    with open(path, "wb") as file:
        np.lib.format.write_array_header_2_0(file, about)
        for part in parts:
            for start in range(0, len(part), _AT_ONCE):  # arrays in any strides, without a copy of the whole
                file.write(np.ascontiguousarray(part[start : start + _AT_ONCE]).data)


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

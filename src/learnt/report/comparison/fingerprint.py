"""A hash of the data that was compared on, the same on every machine and however it was stored."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import numpy as np

from learnt.data.table import Array
from learnt.show.words import plain

if TYPE_CHECKING:
    from learnt.evaluate.problem import Problem


def fingerprint(problem: Problem) -> str:
    """SHA-256 of names, kinds, categories and cells of all columns in order, the target, weights and groups."""
    digest = hashlib.sha256()

    def hash_json(what: object) -> None:
        digest.update(json.dumps(what, default=str, ensure_ascii=True).encode() + b"\0")

    def hash_cells(values: Array) -> None:
        if values.dtype.kind == "f":  # one NaN, one zero
            values = np.where(np.isnan(values), np.nan, values.astype("<f8") + 0.0)
        else:
            values = values.astype("<i8")
        digest.update(np.ascontiguousarray(values).tobytes())

    for column in problem.table.columns:
        hash_json([column.name, column.kind, [plain(c) for c in column.categories]])
        hash_cells(column.values)
    hash_json([problem.target_name, problem.task, None if problem.classes is None else problem.classes.tolist()])
    for values in (problem.target, problem.weights, problem.groups):
        hash_json(values is not None)
        if values is not None:
            hash_cells(values)
    return digest.hexdigest()


def file_hash(path: str) -> str | None:
    """SHA-256 of a file; None if there is none to be read."""
    try:
        with open(path, "rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None

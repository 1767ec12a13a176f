"""Stored values are checked like shapes: an array of another type, a count or a number that cannot be, is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.conformance.subject import Subject, answers
from tests.conformance.tables import counts_only, numbers
from tests.rotation import by_turns
from tests.saving.saving_box import edited, pack, unpack, write

import learnt
from learnt.errors import LearntError, SavedModelError
from learnt.saving import load, save

TYPES = {"F64": np.float64, "F32": np.float32, "I64": np.int64, "I32": np.int32, "U8": np.uint8, "BOOL": np.bool_}


def arrays(node: Any, where: str = "") -> Any:
    """The nodes of all arrays in a document."""
    if isinstance(node, dict) and node.get("$") == "array":
        yield where, node
    for key, part in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield from arrays(part, f"{where}.{key}")


def retyped(content: bytes, where: str, code: str) -> bytes:
    """The file with the cells of one array in another type."""
    header, document, data = unpack(content)
    node = dict(arrays(document))[where]
    entry = header[node["tensor"]]
    start, stop = entry["data_offsets"]
    with np.errstate(invalid="ignore"):
        cells = np.frombuffer(data[start:stop], node["dtype"]).astype(TYPES[code]).tobytes()
    for other in header.values():
        if other["data_offsets"][0] >= stop:
            other["data_offsets"] = [place + len(cells) - (stop - start) for place in other["data_offsets"]]
    entry.update(dtype=code, data_offsets=[start, start + len(cells)])
    node["dtype"] = np.dtype(TYPES[code]).name
    return pack({"__metadata__": {"learnt": json.dumps(document)}, **header}, data[:start] + cells + data[stop:])


OF_TABLES = [entry for entry in learnt.learners() if "text" not in entry.abilities]


@pytest.mark.costly
@pytest.mark.parametrize("entry", by_turns("types of arrays", OF_TABLES))
def test_arrays_of_another_type_are_refused_or_answer(entry: Any, tmp_path: Path) -> None:
    """Never is a kernel's own error about its arguments what the user sees."""
    subject, path = Subject(entry), tmp_path / "model.learnt"
    with counts_only(subject.can("counts")):
        rows = numbers(30)
        save(subject.fitted(rows), path)
    content = path.read_bytes()
    for where, node in arrays(unpack(content)[1]):
        for code in ("F32", "I32", "F64") if node["dtype"] in TYPES_BY_NAME else ():
            if TYPES_BY_NAME[node["dtype"]] == code:
                continue
            try:
                twin = load(write(path, retyped(content, where, code)))
            except SavedModelError:
                continue
            try:
                answers(twin, rows)
            except LearntError:
                continue
            except Exception as error:
                pytest.fail(f"{entry.name}{where} as {code}: {error}")


TYPES_BY_NAME = {np.dtype(kind).name: code for code, kind in TYPES.items()}


def model_file(model: Any, tmp_path: Path) -> bytes:
    save(model, tmp_path / "model.learnt")
    return (tmp_path / "model.learnt").read_bytes()


@pytest.mark.parametrize("count", [2**31, 3, 0, -1])
@pytest.mark.parametrize(
    "learner",
    [learnt.RandomForestClassifier(n_estimators=3), learnt.C45Classifier(), learnt.GradientBoostingClassifier()],
)
def test_a_count_of_columns_that_are_not_there_is_refused(learner: Any, count: int, tmp_path: Path) -> None:
    """2³¹ columns made `feature_importances_` ask for 16 GiB."""
    content = model_file(learnt.clone(learner).fit(numbers(30), np.arange(30) % 2), tmp_path)
    path = write(
        tmp_path / "other", edited(content, lambda _, told: told["model"]["attributes"].update(n_features_in_=count))
    )
    with pytest.raises(SavedModelError, match="n_features_in_"):
        load(path)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("field", ["root", "mean", "size"])
def test_an_infinity_in_what_errors_are_computed_from_is_refused(field: str, value: float, tmp_path: Path) -> None:
    """An infinity in the stored triangle made `collinearity()` hang."""
    rows = numbers(30)
    content = model_file(learnt.LinearRegression().fit(rows, rows[:, 0] * 2 + 1), tmp_path)
    header, document, data = unpack(content)
    node = next(node for where, node in arrays(document) if where.endswith(f".fields.{field}") and "ooting" in where)
    start = header[node["tensor"]]["data_offsets"][0]
    changed = data[:start] + np.array([value]).tobytes() + data[start + 8 :]
    path = write(tmp_path / "other", pack({"__metadata__": {"learnt": json.dumps(document)}, **header}, changed))
    with pytest.raises(SavedModelError, match=f"Footing.{field}"):
        load(path)


def test_names_of_columns_that_are_not_there_are_refused(tmp_path: Path) -> None:
    content = model_file(learnt.MeanRegressor().fit({"a": [1.0, 2.0], "b": [1.0, 2.0]}, [1.0, 2.0]), tmp_path)

    def rename(_: Any, told: Any) -> None:
        told["model"]["attributes"]["feature_names_in_"]["items"] = ["a", "c"]

    with pytest.raises(SavedModelError, match="feature_names_in_"):
        load(write(tmp_path / "other", edited(content, rename)))


def test_a_refusal_spells_what_was_expected_for_people():
    from learnt.saving.typecheck import spelled
    from learnt.storable import Codes, FiniteNumbers

    assert spelled(FiniteNumbers) == "array of finite float64"
    assert spelled(tuple[Codes, ...]) == "tuple of array of int32"
    assert spelled(int) == "int"
    assert spelled(dict[str, int]) == "dict[str, int]"

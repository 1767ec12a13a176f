"""What is saved comes back the same; what cannot be saved is named."""

from __future__ import annotations

import errno
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from scipy import sparse
from tests.saving.saving_box import Box, holding, same, unpack

import learnt
from learnt.data.schema import ColumnSchema, Schema
from learnt.errors import LearntError, ParameterError, SavedModelError, WriteError
from learnt.saving import load, save
from learnt.saving.container import write_container
from learnt.storable import storable


def round_trip(content: Any, path: Path) -> Any:
    save(holding(content), path)
    return vars(load(path))["content_"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.learnt"


VALUES = {
    "nothing": None,
    "booleans": [True, False, np.bool_(True)],
    "whole numbers": [0, -1, 2**53 + 1, 2**63 - 1, -(2**63), 2**63, -(2**200), 10**300],
    "floats": [0.1, -0.0, 1e-320, 1.7976931348623157e308, float("nan"), float("inf"), float("-inf"), 3.0],
    "text": ["", "a", "日本語", "\0", '"\\', "\ud800", "$", "<&>"],
    "bytes": [b"", b"\xff\x00"],
    "tuples in lists": [(1, ("a", [])), [], ((),)],
    "dicts of odd keys": {1: "a", None: 2, (1, "x"): 3, False: 4.5, "$": {"$": "tuple"}, b"k": [], -0.5: ()},
    "long lists": [list(range(500)), [0.5] * 99 + [float("nan")], [True] * 40, ["é"] * 50, [1] * 40 + [2**70]],
    "long tuples": (tuple(range(500)), ("ab", "", "日本") * 40, tuple([1, 2.0] * 40), ((),) * 50),
    "long dict": {f"key {i}": i for i in range(200)},
    "NumPy scalars": [np.float32(0.1), np.int8(-3), np.uint64(2**64 - 1), np.float16("nan"), np.str_("x")],
    "more NumPy scalars": [np.bytes_(b"y"), np.datetime64("2024-02-29", "D"), np.timedelta64(5, "ns")],
    "missing time": [np.datetime64("NaT", "s")],
    "empty arrays": [np.empty(0), np.empty((0, 3), np.float32), np.empty((2, 0), "<U4"), np.empty(0, object)],
    "single numbers": [np.array(3.5), np.array("abc"), np.array(None, dtype=object)],
    "text arrays": [np.array(["a", "日本語", ""]), np.array([[b"x", b"yz"]]), np.array(["ab"], "<U9")],
    "object arrays": [np.array([1, "a", None, 2.5, True, np.int64(3)], dtype=object)],
    "long text objects": np.array([f"name {i}" for i in range(100)], dtype=object).reshape(10, 10),
    "times": [np.array(["2024-01-01", "NaT"], "M8[ns]"), np.arange(3).astype("m8[h]")],
    "columns first": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "columns first text": np.asfortranarray(np.array([["a", "b"], ["cc", "d"]])),
}
DTYPES = ["bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]


@pytest.mark.parametrize("name", VALUES)
def test_values_come_back_equal_in_value_and_type(name: str, path: Path) -> None:
    assert same(VALUES[name], round_trip(VALUES[name], path))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (5,), (2, 3), (2, 0, 3), (1, 1, 1, 1)])
def test_arrays_keep_dtype_shape_and_bits(dtype: str, shape: tuple[int, ...], path: Path) -> None:
    array = np.random.default_rng(0).integers(0, 2, shape).astype(dtype)
    assert same(array, round_trip(array, path))


def test_strided_and_big_endian_arrays_come_back_with_their_values(path: Path) -> None:
    strided = np.arange(24.0).reshape(4, 6)[::2, 1::2]
    foreign = np.array([1, 2, 3], dtype=">i4")
    back = round_trip([strided, foreign, strided[::-1].T], path)
    np.testing.assert_array_equal(back[0], [[1, 3, 5], [13, 15, 17]])
    np.testing.assert_array_equal(back[1], [1, 2, 3])
    np.testing.assert_array_equal(back[2], [[13, 1], [15, 3], [17, 5]])
    assert back[1].dtype == np.int32


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary(max_size=8),
    st.integers(-128, 127).map(np.int8), st.floats(width=32).map(np.float32),
)  # fmt: skip
NESTED = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3),
    ),
    max_leaves=20,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=NESTED)
def test_any_nesting_of_scalars_comes_back(value: Any, path: Path) -> None:
    assert same(value, round_trip(value, path))


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csr_array])
def test_sparse_rows_come_back(form: Any, path: Path) -> None:
    dense = np.array([[0, 1.5, 0], [0, 0, 0], [2, 0, 3]])
    back = round_trip(form(dense), path)
    assert type(back) is form
    np.testing.assert_array_equal(back.toarray(), dense)


def test_unsorted_sparse_rows_are_put_in_order_and_left_alone_in_memory(path: Path) -> None:
    matrix = sparse.csr_matrix((np.array([1.0, 2.0, 4.0]), np.array([2, 0, 0]), np.array([0, 3])), shape=(1, 3))
    np.testing.assert_array_equal(round_trip(matrix, path).toarray(), [[6, 0, 1]])
    assert matrix.indices.tolist() == [2, 0, 0]


def test_schemas_come_back(path: Path) -> None:
    towns = ColumnSchema("town", "nominal", ("Bern", "Zürich", 3, None))
    schema = Schema((ColumnSchema("age", "numeric"), towns, ColumnSchema("ok", "boolean", (False, True))))
    back = round_trip(schema, path)
    assert back == schema
    assert back.place("ok") == 2


def test_a_schema_of_many_columns_does_not_fill_the_header(path: Path) -> None:
    schema = Schema.unnamed(20_000)
    assert round_trip(schema, path) == schema
    assert int.from_bytes(path.read_bytes()[:8], "little") < 40 * 20_000


@storable
@dataclass(frozen=True)
class Interval:
    low: float
    high: float
    name: str = "interval"

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError("low is above high")


def test_storable_dataclasses_come_back_and_fields_added_later_get_their_defaults(path: Path) -> None:
    assert round_trip(Interval(1, 2.5, "x"), path) == Interval(1, 2.5, "x")
    save(holding(Interval(0.0, 1.0)), path)
    from tests.saving.saving_box import edited

    def forget_the_name(header: Any, document: Any) -> None:
        del document["model"]["attributes"]["content_"]["fields"]["name"]

    path.write_bytes(edited(path.read_bytes(), forget_the_name))
    assert vars(load(path))["content_"] == Interval(0.0, 1.0, "interval")


def test_learners_inside_learners_come_back(path: Path) -> None:
    model = holding([holding(np.arange(3)), Box(setting=2)], inner=Box(setting="deep"))
    assert same(model, _saved_and_loaded(model, path))


def _saved_and_loaded(model: Any, path: Path) -> Any:
    save(model, path)
    return load(path)


def test_an_unfitted_learner_keeps_its_settings(path: Path) -> None:
    model = _saved_and_loaded(Box(setting=(1, "a")), path)
    assert model.setting == (1, "a")
    assert not model.__sklearn_is_fitted__()


def test_cached_properties_are_not_part_of_the_file(path: Path) -> None:
    model = holding(1)
    assert model.derived_ is model.derived_
    assert set(vars(_saved_and_loaded(model, path))) == {"setting", "inner", "content_"}


# What cannot be saved

UNSAVABLE = {
    "Generator": (np.random.default_rng(0), "whole number"),
    "RandomState": (np.random.RandomState(0), "whole number"),
    "function": (len, "holds no code"),
    "lambda": (lambda x: x, "holds no code"),
    "class": (int, "holds no code"),
    "set": ({1}, "can be saved"),
    "complex": (1j, "can be saved"),
    "complex array": (np.array([1j]), "real numbers"),
    "structured array": (np.zeros(2, "i4,f8"), "real numbers"),
    "array of lists": (np.array([None, [1]], dtype=object), "scalars"),
    "CSC matrix": (sparse.csc_matrix(np.eye(2)), "tocsr"),
    "unregistered dataclass": (object(), "can be saved"),
    "huge number": (10**100_000, "smaller"),
}


@pytest.mark.parametrize("name", UNSAVABLE)
def test_a_setting_that_cannot_be_saved_is_named_with_advice(name: str, path: Path) -> None:
    value, advice = UNSAVABLE[name]
    with pytest.raises(ParameterError, match=r"Box\.setting\[1\] .* cannot be saved\.") as caught:
        save(Box(setting=[0, value]), path)
    assert advice in str(caught.value)
    assert not path.exists()


def test_an_attribute_that_cannot_be_saved_is_named(path: Path) -> None:
    with pytest.raises(SavedModelError, match=r"Box\.content_\[0\] is a function"):
        save(holding([print]), path)


def test_a_value_that_contains_itself_is_refused(path: Path) -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(SavedModelError, match="contains itself"):
        save(holding(endless), path)


@pytest.mark.parametrize("name", ["__class__", "predict", "content", "task"])
def test_attributes_that_loading_would_refuse_are_refused_by_saving(name: str, path: Path) -> None:
    model = holding(1)
    vars(model)[name] = 1
    with pytest.raises(SavedModelError, match=name):
        save(model, path)


def test_an_attribute_of_another_type_than_annotated_is_refused(path: Path) -> None:
    model = holding("abc")
    vars(model)["size_"] = "3"
    with pytest.raises(SavedModelError, match="size_"):
        save(model, path)


@pytest.mark.parametrize("thing", [5, None, {"a": 1}, object(), Box])
def test_only_learners_are_saved(thing: Any, path: Path) -> None:
    with pytest.raises(LearntError, match="Expected a learner"):
        save(thing, path)


def test_a_class_that_only_borrows_a_learners_name_is_not_saved(path: Path) -> None:
    impostor = type("Box", (Box,), {})
    with pytest.raises(SavedModelError):
        save(impostor(), path)


# The file itself


def test_the_official_package_reads_the_file(path: Path) -> None:
    from safetensors import safe_open
    from safetensors.numpy import load_file

    save(holding([np.arange(6, dtype=np.float32).reshape(2, 3), ("a", "bc") * 20]), path)
    arrays = load_file(path)
    assert sorted(a.shape for a in arrays.values()) == [(2, 3), (41,), (60,)]
    (matrix,) = (a for a in arrays.values() if a.ndim == 2)
    np.testing.assert_array_equal(matrix, [[0, 1, 2], [3, 4, 5]])
    with safe_open(path, framework="np") as file:
        document = json.loads(file.metadata()["learnt"])
    assert document["format"] == "learnt model"
    assert document["learnt_version"] == learnt.__version__


def test_the_same_model_gives_the_same_bytes(tmp_path: Path) -> None:
    model = holding([np.arange(5), np.float32(1), {"a": np.ones(3)}, ("x",) * 50])
    save(model, tmp_path / "a")
    save(model, tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_the_bytes_are_those_of_the_official_package(tmp_path: Path) -> None:
    from safetensors.numpy import save as official

    tensors = {}
    for number, dtype in enumerate(DTYPES):
        tensors[f"t{number}"] = np.arange(6).reshape(2, 3).astype(dtype)
        tensors[f'{number} "é" \x1f'] = np.ones((number % 3, 2), dtype)
        tensors[f"z{number}"] = np.array(1, dtype)
    document = json.dumps({"a": ["é", "\x7f", "\\", 1.5]})
    write_container(tmp_path / "a", tensors, document)
    assert (tmp_path / "a").read_bytes() == official(tensors, {"learnt": document})


def test_category_names_are_kept_out_of_the_header(path: Path) -> None:
    save(holding(tuple(f"category {i}" for i in range(10_000))), path)
    header, document, _ = unpack(path.read_bytes())
    assert len(json.dumps(header)) + len(json.dumps(document)) < 1000


def test_paths_may_be_strings_or_path_objects(tmp_path: Path) -> None:
    save(holding(1), str(tmp_path / "a"))
    save(holding(2), tmp_path / "b")
    assert vars(load(tmp_path / "a"))["content_"] == 1
    assert vars(load(str(tmp_path / "b")))["content_"] == 2


def test_a_failed_save_leaves_the_old_file_and_no_other(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(holding("old"), path)
    before = path.read_bytes()

    def breaks(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", breaks)
    with pytest.raises(WriteError, match=r"The model cannot be written: the disk is full\. Make room"):
        save(holding("new"), path)
    with pytest.raises(ParameterError):
        save(Box(setting=print), path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_an_absent_file_is_said_to_be_absent(path: Path) -> None:
    with pytest.raises(SavedModelError, match=r"There is no file .*model\.learnt"):
        load(path)


# The learners of the package

MIXED = {
    "age": [31.0, None, 45.0, 28.5, 60.0, 33.0],
    "town": ["Bern", "Basel", None, "Bern", "Zürich", "Basel"],
    "member": [True, False, True, True, None, False],
}
TEXTS = ["red apple", "green pear", "Grüne Birne", "red red wine", None, "a pear"]
TARGETS = {"classes": ["a", "b", "b", "a", "b", "b"], "numbers": [1.0, 2.5, 3.0, 0.5, 4.0, 2.0]}


@pytest.mark.parametrize("entry", learnt.learners(), ids=lambda entry: entry.name)
def test_every_learner_predicts_the_same_after_loading(entry: Any, path: Path) -> None:
    model = entry.cls()
    assert same_settings(_saved_and_loaded(model, path), model)
    few = {"n_clusters": 2, "random_state": 0} if entry.task == "clustering" else {}
    model.set_params(**{name: value for name, value in few.items() if name in model.get_params()})
    rows: Any = TEXTS if "text" in entry.abilities else MIXED
    if not entry.abilities & {"nominal", "text"}:
        rows = {"age": MIXED["age"]}
    model.fit(rows, TARGETS.get(model.needs))
    twin = _saved_and_loaded(model, path)
    assert set(vars(twin)) == set(vars(model))
    if entry.task == "transformation":
        again, before = twin.transform(rows), model.transform(rows)
        if "text" in entry.abilities:
            np.testing.assert_array_equal(again.toarray(), before.toarray())
        else:
            assert again.to_dict() == before.to_dict()
        return
    np.testing.assert_array_equal(twin.predict(rows), model.predict(rows))
    assert twin.predict(rows).dtype == model.predict(rows).dtype
    assert [str(e) for e in twin.explain(rows)] == [str(e) for e in model.explain(rows)]


def same_settings(a: Any, b: Any) -> bool:
    return bool(a.get_params() == b.get_params())


# Files of released versions stay readable; tests/stored/make.py writes them.

STORED = sorted((Path(__file__).parents[1] / "stored").glob("*.learnt"))


@pytest.mark.parametrize("file", STORED, ids=lambda file: file.stem)
def test_files_of_earlier_versions_give_the_predictions_they_gave_then(file: Path) -> None:
    expected = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    model = load(file)
    found = (
        model.predict(expected["table"]) if hasattr(model, "predict") else np.array(model.transform(expected["table"]))
    )
    predictions = found.tolist()
    if found.dtype.kind == "f":
        np.testing.assert_allclose(predictions, expected["predictions"], rtol=1e-9, atol=1e-12)
    else:
        assert predictions == expected["predictions"]

"""Values as JSON plus tensors. What `decode` accepts is exactly what is written here.

JSON's own null, true, text, whole numbers of 64 bits, finite numbers and lists stand for themselves;
everything else is an object with its kind under "$":

    float     nan, inf, -inf                            value
    int       beyond 64 bits, in hexadecimal            value
    bytes     in hexadecimal                            value
    tuple                                               items
    texts     long list or tuple of str                 as, bytes, offsets: tensors
    numbers   long list or tuple of one number type     as, tensor
    records   long list or tuple of one storable class  as, class, fields: one list each
    dict                                                keys, values: lists
    scalar    of NumPy                                  dtype, value
    array                                               dtype, order, tensor
    objects   array of Python scalars                   shape, items
    csr       SciPy sparse                              array, shape, data, indices, indptr
    object    storable dataclass                        class, fields
    learner                                             class, params, attributes
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from learnt.errors import ParameterError, SavedModelError
from learnt.lazy import is_cached
from learnt.saving.state import check_attribute, field_hints, is_learner, written_fields
from learnt.saving.typecheck import conforms
from learnt.storable import is_storable

Array = np.ndarray[Any, Any]

MAX_DEPTH = 40
LONG = 32  # lists from here on become tensors, where they may
MAX_HEX_DIGITS = 4096

PLAIN_DTYPES = frozenset(
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split()  # noqa: SIM905
)


class Encoder:
    """Collects tensors while values become JSON. `where` names the place for error messages."""

    def __init__(self) -> None:
        self.tensors: dict[str, Array] = {}

    def value(self, value: Any, where: str, depth: int = 0) -> Any:
        if depth > MAX_DEPTH:
            raise _unsavable(where, "is nested too deeply, or contains itself", "Save its parts separately.")
        if value is None or type(value) in (bool, str):
            return value
        if type(value) is int:
            return value if -(2**63) <= value < 2**63 else _big(value, where)
        if type(value) is float:
            return value if math.isfinite(value) else {"$": "float", "value": repr(value)}
        if type(value) is bytes:
            return {"$": "bytes", "value": value.hex()}
        if type(value) in (list, tuple):
            return self._sequence(value, where, depth)
        if type(value) is dict:
            keys = self._sequence(list(value), f"{where}, keys", depth)
            return {"$": "dict", "keys": keys, "values": self._sequence(list(value.values()), where, depth)}
        if isinstance(value, np.generic):
            return self._scalar(value, where)
        if type(value) is np.ndarray:
            return self._array(value, where, depth)
        if is_learner(value):
            return self.learner(value, where, depth)
        if is_storable(type(value)):
            return self._object(value, where, depth)
        if type(value).__name__ in ("csr_matrix", "csr_array"):
            return self._csr(value, where)
        raise _unsavable(where, *_why_not(value))

    def learner(self, model: Any, where: str, depth: int = 0) -> dict[str, Any]:
        cls = type(model)
        params = model.get_params(deep=False)
        attributes = {name: v for name, v in vars(model).items() if name not in params and not is_cached(cls, name)}
        for name, v in attributes.items():
            check_attribute(cls, name, v)
        return {
            "$": "learner",
            "class": cls.__name__,
            "params": {name: self._setting(v, f"{where}.{name}", depth) for name, v in params.items()},
            "attributes": {n: self.value(v, f"{where}.{n}", depth + 1) for n, v in attributes.items()},
        }

    def _setting(self, value: Any, where: str, depth: int) -> Any:
        try:
            return self.value(value, where, depth + 1)
        except SavedModelError as error:
            raise ParameterError(str(error)) from None

    def _object(self, value: Any, where: str, depth: int) -> dict[str, Any]:
        cls: Any = type(value)
        fields = {
            name: self.value(_field(value, name), f"{where}.{name}", depth + 1) for name in written_fields(cls, [value])
        }
        return {"$": "object", "class": cls.__name__, "fields": fields}

    def _sequence(self, items: list[Any] | tuple[Any, ...], where: str, depth: int) -> Any:
        form = type(items).__name__
        kinds = {type(item) for item in items[:LONG]}
        if len(items) >= LONG and len(kinds) == 1 and len({type(item) for item in items}) == 1:
            (kind,) = kinds
            if kind is str:
                return {"$": "texts", "as": form, **self._texts(items)}
            if kind in (bool, float) or (kind is int and all(-(2**63) <= item < 2**63 for item in items)):
                dtype = {bool: np.bool_, float: np.float64, int: np.int64}[kind]
                return {"$": "numbers", "as": form, "tensor": self._tensor(np.array(items, dtype=dtype))}
            if is_storable(kind):
                return self._records(items, kind, where, depth)
        encoded = [self.value(item, f"{where}[{i}]", depth + 1) for i, item in enumerate(items)]
        return encoded if form == "list" else {"$": "tuple", "items": encoded}

    def _records(self, items: Any, cls: type, where: str, depth: int) -> dict[str, Any]:
        """Field by field, so that a hundred thousand columns do not repeat their field names."""
        fields = {
            name: self._sequence([_field(item, name) for item in items], f"{where}.{name}", depth + 1)
            for name in written_fields(cls, items)
        }
        return {"$": "records", "as": type(items).__name__, "class": cls.__name__, "fields": fields}

    def _texts(self, items: Any) -> dict[str, str]:
        # surrogatepass: a label read from a badly encoded file must survive, too.
        pieces = [item.encode("utf-8", "surrogatepass") for item in items]
        offsets = np.zeros(len(pieces) + 1, dtype=np.int64)
        np.cumsum([len(piece) for piece in pieces], out=offsets[1:])
        content = np.frombuffer(b"".join(pieces), dtype=np.uint8)
        return {"bytes": self._tensor(content), "offsets": self._tensor(offsets)}

    def _scalar(self, value: np.generic, where: str) -> dict[str, Any]:
        dtype = value.dtype
        if dtype.kind in "mM":
            return {"$": "scalar", "dtype": dtype.str[1:], "value": int(value.astype(np.int64))}
        if dtype.kind in "US":
            return {"$": "scalar", "dtype": dtype.kind, "value": self.value(value.item(), where)}
        if dtype.name not in PLAIN_DTYPES:
            raise _unsavable(where, f"is a NumPy {dtype.name}", "Use a real number of at most 64 bits.")
        return {"$": "scalar", "dtype": dtype.name, "value": self.value(value.item(), where)}

    def _array(self, array: Array, where: str, depth: int) -> dict[str, Any]:
        if array.dtype.kind == "O":
            return self._object_array(array, where, depth)
        # The layout is kept, so that a loaded model computes in the same order, to the last bit.
        order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
        rows = array.T if order == "F" else array
        rows = rows.astype(rows.dtype.newbyteorder("<"), order="C", copy=False)
        kind, name = rows.dtype.kind, rows.dtype.name
        if kind in "mM":
            name, rows = rows.dtype.str[1:], rows.view("<i8")
        elif kind in "US":  # code points, or bytes, as a last axis: exact width, no trust needed
            name, width = rows.dtype.str[1:], rows.dtype.itemsize // (4 if kind == "U" else 1)
            units = rows.reshape(-1).view("<u4" if kind == "U" else "u1")
            rows = units.reshape(*rows.shape, width)
        elif name not in PLAIN_DTYPES:
            raise _unsavable(where, f"is an array of {name}", "Use real numbers of at most 64 bits.")
        return {"$": "array", "dtype": name, "order": order, "tensor": self._tensor(rows)}

    def _object_array(self, array: Array, where: str, depth: int) -> dict[str, Any]:
        items = array.ravel().tolist()
        for item in items:
            if item is not None and not isinstance(item, (bool, int, float, str, bytes, np.generic)):
                raise _unsavable(where, f"is an object array with a {type(item).__name__}", "Use scalars.")
        return {"$": "objects", "shape": list(array.shape), "items": self._sequence(items, where, depth)}

    def _csr(self, matrix: Any, where: str) -> dict[str, Any]:
        matrix = matrix.copy()
        matrix.sum_duplicates()  # sorts, too
        return {
            "$": "csr",
            "array": type(matrix).__name__ == "csr_array",
            "shape": [int(n) for n in matrix.shape],
            **{part: self._array(getattr(matrix, part), where, 0) for part in ("data", "indices", "indptr")},
        }

    def _tensor(self, array: Array) -> str:
        name = f"t{len(self.tensors)}"
        self.tensors[name] = array
        return name


def _field(value: Any, name: str) -> Any:
    """A field, checked as it will be on loading: a wrong annotation should be found by whoever wrote it."""
    cls: Any = type(value)
    part, hint = getattr(value, name), field_hints(cls)[name]
    if not conforms(part, hint):
        what = f"is a {type(part).__name__}, but annotated as {hint}"
        raise _unsavable(f"{type(value).__name__}.{name}", what, "Correct the annotation or the value.")
    return part


def _big(value: int, where: str) -> dict[str, str]:
    digits = hex(value)
    if len(digits) > MAX_HEX_DIGITS:
        raise _unsavable(where, "is a whole number of thousands of digits", "Use a smaller one.")
    return {"$": "int", "value": digits}


def _why_not(value: Any) -> tuple[str, str]:
    """What a value is, in words, and what to do instead."""
    name = type(value).__name__
    if isinstance(value, (np.random.Generator, np.random.RandomState)):
        return f"is a random {name}", "Use a whole number, or None, before saving."
    scipy_sparse = sys.modules.get("scipy.sparse")
    if scipy_sparse is not None and scipy_sparse.issparse(value):
        return f"is a {name}", "Only CSR matrices can be saved: call .tocsr() on it."
    if callable(value):
        return (
            f"is a function or class ({name})",
            "A saved model holds no code: name one of learnt's own instead.",
        )
    return f"is a {name}", "Numbers, text, lists, dicts, arrays and learners can be saved."


def _unsavable(where: str, what: str, advice: str) -> SavedModelError:
    return SavedModelError(f"{where} {what}, which cannot be saved. {advice}")

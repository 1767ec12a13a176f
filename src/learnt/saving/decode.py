"""JSON plus tensors as values again. Every kind checks what it reads; see `encode` for the list."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import Any

import numpy as np

from learnt.learner import registry
from learnt.saving.container import Container, Refused
from learnt.saving.encode import MAX_DEPTH, MAX_HEX_DIGITS, PLAIN_DTYPES
from learnt.saving.pipeline import build_pipeline
from learnt.saving.state import check_attribute, field_hints
from learnt.saving.typecheck import conforms, spelled
from learnt.storable import find_storable

Array = np.ndarray[Any, Any]

FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
SCALARS = (bool, int, float, str, bytes, np.generic, type(None))
_TIME = re.compile(r"[mM]8(\[\d{0,4}(Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\])?")
_TEXT = re.compile(r"[US]\d{1,9}")
_HEX = re.compile(r"-?0x[0-9a-f]+")


class Decoder:
    """Rebuilds values from a container; classes come from the registries, by name, or not at all."""

    def __init__(self, container: Container):
        self._container = container
        self._kinds = {
            "float": self._float,
            "int": self._int,
            "bytes": self._bytes,
            "tuple": self._tuple,
            "texts": self._texts,
            "numbers": self._numbers,
            "records": self._records,
            "dict": self._dict,
            "scalar": self._scalar,
            "array": self._array,
            "objects": self._objects,
            "csr": self._csr,
            "object": self._object,
            "learner": self._learner,
            "pipeline": self._pipeline,
        }

    def value(self, node: Any, depth: int = 0) -> Any:
        if depth > MAX_DEPTH:
            raise Refused(f"Its values are nested more than {MAX_DEPTH} deep")
        if isinstance(node, list):
            return [self.value(item, depth + 1) for item in node]
        if not isinstance(node, dict):
            return node
        kind = node.get("$")
        if not isinstance(kind, str) or kind not in self._kinds:
            raise Refused(f"It has a value of the unknown kind {str(kind)[:40]!r}")
        return self._kinds[kind](node, depth)

    # Scalars

    def _float(self, node: dict[str, Any], depth: int) -> float:
        (text,) = _parts(node, value=str)
        if text not in FLOATS:
            raise Refused(f"It has the unknown number {text[:40]!r}")
        return FLOATS[text]

    def _int(self, node: dict[str, Any], depth: int) -> int:
        (text,) = _parts(node, value=str)
        if len(text) > MAX_HEX_DIGITS or not _HEX.fullmatch(text):
            raise Refused("It has a whole number that is not hexadecimal, or too long")
        return int(text, 16)

    def _bytes(self, node: dict[str, Any], depth: int) -> bytes:
        (text,) = _parts(node, value=str)
        return bytes.fromhex(text)

    def _scalar(self, node: dict[str, Any], depth: int) -> Any:
        name, inner = _parts(node, dtype=str, value=object)
        value = self.value(inner, depth + 1)
        if name in PLAIN_DTYPES:
            kind = np.dtype(name).kind
            wanted = bool if kind == "b" else float if kind == "f" else int
            with np.errstate(over="ignore"):
                number = np.array(value).astype(name)[()] if type(value) is wanted else None
            if number is None or (number.item() != value and value == value):
                raise Refused(f"It has a scalar that is not a {name}")
            return number
        if name in ("U", "S") and isinstance(value, str if name == "U" else bytes):
            return np.str_(value) if name == "U" else np.bytes_(value)
        if _TIME.fullmatch(name) and type(value) is int:
            return np.array(value, dtype=np.int64).view(name)[()]
        raise Refused(f"It has a scalar of the unknown dtype {name[:40]!r}")

    # Collections

    def _tuple(self, node: dict[str, Any], depth: int) -> tuple[Any, ...]:
        (items,) = _parts(node, items=list)
        return tuple(self.value(item, depth + 1) for item in items)

    def _texts(self, node: dict[str, Any], depth: int) -> Any:
        form, content, places = _parts(node, **{"as": str, "bytes": str, "offsets": str})
        raw, offsets = self._container.take(content), self._container.take(places)
        if raw.dtype != np.uint8 or raw.ndim != 1 or offsets.dtype != np.int64 or offsets.ndim != 1:
            raise Refused("It has texts that are not bytes and 64-bit offsets")
        if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(raw) or (offsets[1:] < offsets[:-1]).any():
            raise Refused("It has texts whose offsets are out of order or out of range")
        self._container.spend(len(raw) * 4 + 100 * len(offsets))
        joined, ends = raw.tobytes(), offsets.tolist()
        texts = (joined[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(ends))
        return _as(form, texts)

    def _numbers(self, node: dict[str, Any], depth: int) -> Any:
        form, name = _parts(node, **{"as": str, "tensor": str})
        numbers = self._container.take(name)
        if numbers.ndim != 1 or numbers.dtype not in (np.bool_, np.int64, np.float64):
            raise Refused("It has numbers of the wrong shape or type")
        self._container.spend(50 * len(numbers))
        return _as(form, numbers.tolist())

    def _dict(self, node: dict[str, Any], depth: int) -> dict[Any, Any]:
        keys, values = self._list(node.get("keys"), depth), self._list(node.get("values"), depth)
        _parts(node, keys=object, values=object)
        if len(keys) != len(values) or not all(isinstance(key, (*SCALARS, tuple)) for key in keys):
            raise Refused("It has a dict whose keys and values do not fit")
        result = dict(zip(keys, values, strict=True))
        if len(result) < len(keys):
            raise Refused("It has a dict with a key twice")
        return result

    def _list(self, node: Any, depth: int) -> list[Any]:
        value = self.value(node, depth + 1)
        if not isinstance(value, list):
            raise Refused("It has something else where a list must be")
        return value

    # Arrays

    def _array(self, node: dict[str, Any], depth: int) -> Array:
        name, order, tensor = _parts(node, dtype=str, order=str, tensor=str)
        values = self._container.take(tensor)
        if _TIME.fullmatch(name):
            values = _expect(values, np.int64).view(name)
        elif _TEXT.fullmatch(name):
            values = _fixed_width(values, name)
        elif name not in PLAIN_DTYPES or values.dtype.name != name:
            raise Refused(f"It has an array of the dtype {name[:40]!r} in a tensor of another")
        if order not in ("C", "F"):
            raise Refused("It has an array of unknown layout")
        return values.T if order == "F" else values

    def _objects(self, node: dict[str, Any], depth: int) -> Array:
        shape, inner = _parts(node, shape=list, items=object)
        items = self._list(inner, depth)
        whole = len(shape) <= 32 and all(type(n) is int and 0 <= n < 2**63 for n in shape)
        if not whole or math.prod(shape) != len(items) or not all(isinstance(v, SCALARS) for v in items):
            raise Refused("It has an array of objects whose shape and items do not fit")
        array = np.empty(len(items), dtype=object)
        for i, item in enumerate(items):  # one by one, or NumPy would look into the items
            array[i] = item
        return array.reshape(shape)

    def _csr(self, node: dict[str, Any], depth: int) -> Any:
        is_array, shape, *nodes = _parts(node, array=bool, shape=list, data=dict, indices=dict, indptr=dict)
        data, indices, indptr = (self.value(part, depth + 1) for part in nodes)
        if len(shape) != 2 or not all(type(n) is int and 0 <= n < 2**63 for n in shape):
            raise Refused("It has a sparse matrix without a shape")
        for part in (data, indices, indptr):
            if not isinstance(part, np.ndarray) or part.ndim != 1 or part.dtype.kind not in "biuf":
                raise Refused("It has a sparse matrix whose parts are not rows of numbers")
        if indices.dtype != indptr.dtype or indices.dtype not in (np.int32, np.int64):
            raise Refused("It has a sparse matrix with indices of the wrong type")
        n_rows, n_columns = shape
        if len(indptr) != n_rows + 1 or indptr[0] != 0 or (indptr[1:] < indptr[:-1]).any():
            raise Refused("It has a sparse matrix whose rows are out of order")
        if not indptr[-1] == len(indices) == len(data):
            raise Refused("It has a sparse matrix whose parts differ in length")
        if len(indices) and (indices.min() < 0 or indices.max() >= n_columns):
            raise Refused("It has a sparse matrix with columns out of range")
        falls = np.flatnonzero(np.diff(indices) <= 0) + 1
        if not np.isin(falls, indptr).all():
            raise Refused("It has a sparse matrix whose columns are out of order")
        from scipy import sparse

        made = (sparse.csr_array if is_array else sparse.csr_matrix)((data, indices, indptr), shape=tuple(shape))
        made.has_canonical_format = True
        return made

    # Classes of ours

    def _object(self, node: dict[str, Any], depth: int) -> Any:
        name, nodes = _parts(node, **{"class": str, "fields": dict})
        cls = self._storable(name, nodes)
        fields = {field: self.value(part, depth + 1) for field, part in nodes.items()}
        return _build(cls, fields)

    def _records(self, node: dict[str, Any], depth: int) -> Any:
        form, name, nodes = _parts(node, **{"as": str, "class": str, "fields": dict})
        cls = self._storable(name, nodes)
        columns = {field: self._list(part, depth) for field, part in nodes.items()}
        lengths = {len(column) for column in columns.values()}
        if len(lengths) != 1:
            raise Refused(f"It has records of {name} whose fields differ in length")
        self._container.spend(200 * lengths.pop())
        return _as(
            form,
            (_build(cls, dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)),
        )

    def _storable(self, name: str, nodes: dict[str, Any]) -> type:
        cls = find_storable(name)
        if cls is None:
            raise Refused(f"It has an object of the unknown class {name[:80]!r}")
        unknown = set(nodes) - set(field_hints(cls))
        if unknown:
            raise Refused(f"It has a {name} with the unknown field {min(unknown)[:80]!r}")
        return cls

    def _learner(self, node: dict[str, Any], depth: int) -> Any:
        name, param_nodes, attribute_nodes = _parts(node, **{"class": str, "params": dict, "attributes": dict})
        cls: Any = registry.find(name)
        if cls is None:
            raise Refused(f"It holds a {name[:80]!r}, which is not a learner of this version or of your own")
        params = {key: self.value(part, depth + 1) for key, part in param_nodes.items()}
        model = cls(**params)
        attributes = {key: self.value(part, depth + 1) for key, part in attribute_nodes.items()}
        for key, value in attributes.items():
            if key in params:
                raise Refused(f"It sets {name}.{key} twice")
            check_attribute(cls, key, value)
        vars(model).update(attributes)
        if model.__sklearn_is_fitted__():
            model._check_fitted_state()
        return model

    def _pipeline(self, node: dict[str, Any], depth: int) -> Any:
        return build_pipeline(self, node, depth)


def _parts(node: dict[str, Any], **kinds: type) -> list[Any]:
    """The entries of a node beside its kind: exactly these, each of its type."""
    if set(node) != {"$", *kinds} or not all(isinstance(node[name], kind) for name, kind in kinds.items()):
        raise Refused(f"It has a {node['$']} with entries other than {', '.join(kinds)}")
    return [node[name] for name in kinds]


def _as(form: str, items: Any) -> Any:
    if form not in ("list", "tuple"):
        raise Refused("It has a sequence that is neither list nor tuple")
    return list(items) if form == "list" else tuple(items)


def _expect(values: Array, dtype: Any) -> Array:
    if values.dtype != dtype:
        raise Refused(f"It has a tensor of {values.dtype} where {np.dtype(dtype)} must be")
    return values


def _fixed_width(values: Array, name: str) -> Array:
    """Code points or bytes along the last axis, as NumPy's fixed-width text."""
    values = _expect(values, np.uint32 if name[0] == "U" else np.uint8)
    width = int(name[1:])
    if not values.ndim or values.shape[-1] != width or width == 0:
        raise Refused("It has an array of texts of another width")
    if name[0] == "U" and values.size and values.max() > 0x10FFFF:
        raise Refused("It has an array of texts with impossible characters")
    return values.reshape(-1).view(name).reshape(values.shape[:-1])


def _build(cls: type, fields: dict[str, Any]) -> Any:
    for name, value in fields.items():
        hint = field_hints(cls)[name]
        if not conforms(value, hint):
            raise Refused(f"{cls.__name__}.{name} is a {type(value).__name__}, not a {spelled(hint)}")
    return cls(**fields)

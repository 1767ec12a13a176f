"""Models whose probabilities are given as tables: by names, as on paper, or as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.schema import ColumnSchema, Kind, Schema
from learnt.data.table import Array
from learnt.errors import InputError
from learnt.graphical.hmm.chain import Chain
from learnt.graphical.hmm.columns import StateColumns
from learnt.graphical.hmm.emissions import Emissions
from learnt.graphical.hmm.full import FullGaussian
from learnt.graphical.hmm.layout import Layout
from learnt.show.words import spell

_ARRAYS = {"means", "variances", "covariances", "rates", "probabilities"}
_NUMBERS = {"mean", "sd", "rate"}


@dataclass(frozen=True)
class GivenModel:
    """What tables say."""

    states: tuple[Any, ...]
    chain: Chain
    schema: Schema
    layout: Layout
    emissions: Emissions
    kinds: Any


def read_tables(start: Any, transition: Any, emission: Any) -> GivenModel:
    """A model of a start, transitions and emissions by name or as arrays."""
    states = tuple(start) if isinstance(start, Mapping) else None
    if states is None and isinstance(transition, Mapping):
        states = tuple(transition)
    first = _vector("start", start, states)
    states = tuple(range(len(first))) if states is None else states
    rows = [_vector("transition", _of_state("transition", transition, s, i), states) for i, s in enumerate(states)]
    chain = Chain(first, np.array(rows))
    if not isinstance(emission, Mapping) or not emission:
        raise InputError(
            "emission is a dict: of states, or of columns, or of arrays such as {'means': …, 'variances': …}."
        )
    if set(emission) <= _ARRAYS:
        return _of_arrays(states, chain, emission)
    by_column = {"observation": emission} if set(emission) == set(states) else emission
    return _of_columns(states, chain, by_column)


def _of_state(name: str, table: Any, state: Any, i: int) -> Any:
    if isinstance(table, Mapping):
        if state not in table:
            raise InputError(f"{name} has no entry for the state {spell(state)}. It has {spell(list(table)[:6])}.")
        return table[state]
    return np.asarray(table)[i]


def _vector(name: str, given: Any, keys: tuple[Any, ...] | None) -> Array:
    """Numbers in the order of the keys; a key that a dict lacks is 0."""
    if isinstance(given, Mapping):
        extra = [key for key in given if keys is not None and key not in keys]
        if extra:
            raise InputError(f"{name} names {spell(extra[0])}, which is not one of {spell(list(keys or ())[:6])}.")
        given = [given.get(key, 0.0) for key in keys or ()]
    try:
        found = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name}={spell(given)} is not a list of numbers.") from None
    if found.ndim != 1 or not np.isfinite(found).all() or (keys is not None and len(found) != len(keys)):
        raise InputError(f"{name} has the shape {found.shape}. Expected a number for each of {len(keys or ())}.")
    return found


def _of_columns(states: tuple[Any, ...], chain: Chain, emission: Mapping[str, Any]) -> GivenModel:
    k = len(states)
    columns: list[ColumnSchema] = []
    kinds: dict[str, str] = {}
    mean, variance, rate, tables, levels = [], [], [], [np.zeros((0, k))], []
    for name, by_state in emission.items():
        specs = [_of_state(f"emission[{name!r}]", by_state, s, i) for i, s in enumerate(states)]
        if not all(isinstance(spec, Mapping) and spec for spec in specs):
            raise InputError(
                f"emission of {name!r} is a dict for each state: labels and probabilities, or mean and sd."
            )
        keys = {key for spec in specs for key in spec}
        if keys == {"mean", "sd"}:
            mean.append(_vector(name, [spec["mean"] for spec in specs], states))
            spread = _vector(name, [spec["sd"] for spec in specs], states)
            if not (spread > 0).all():
                raise InputError(f"emission of {name!r} has a standard deviation that is not above 0.")
            variance.append(spread**2)
            kinds[name] = "gaussian"
        elif keys == {"rate"}:
            rate.append(_vector(name, [spec["rate"] for spec in specs], states))
            kinds[name] = "poisson"
        else:
            labels = tuple(sorted(keys, key=lambda v: (str(type(v)), v)))
            tables.append(_table(name, [_vector(name, spec, labels) for spec in specs]))
            levels.append(len(labels))
            kinds[name] = "categorical"
            kind: Kind = "boolean" if labels == (False, True) and isinstance(labels[0], bool) else "nominal"
            columns.append(ColumnSchema(name, kind, labels))
            continue
        columns.append(ColumnSchema(name, "numeric"))
    schema = Schema(tuple(columns))
    parts = StateColumns(
        np.array(mean).reshape(-1, k),
        np.array(variance).reshape(-1, k),
        np.array(rate).reshape(-1, k),
        np.array(levels, np.int64),
        np.ascontiguousarray(np.concatenate(tables)),
    )
    return GivenModel(states, chain, schema, Layout.of(schema, kinds), Emissions(parts), kinds)


def _table(name: str, rows: list[Array]) -> Array:
    for row in rows:
        if (row < 0).any() or abs(row.sum() - 1) > 1e-6:
            raise InputError(
                f"Probabilities of {name!r} in a state add up to {row.sum():.6g}, or one is below 0. Expected 1."
            )
    return np.array(rows).T


def _of_arrays(states: tuple[Any, ...], chain: Chain, emission: Mapping[str, Any]) -> GivenModel:
    k = len(states)
    given = {name: np.array(values, dtype=np.float64) for name, values in emission.items()}
    for name, values in given.items():
        if len(values) != k or values.ndim != (3 if name == "covariances" else 2) or not np.isfinite(values).all():
            raise InputError(f"emission[{name!r}] has the shape {values.shape}. Expected a row for each of {k} states.")
    none = np.zeros((0, k))
    levels = np.zeros(0, np.int64)
    full = None
    if set(given) == {"means", "variances"}:
        if given["variances"].shape != given["means"].shape or not (given["variances"] > 0).all():
            raise InputError("emission['variances'] are as many as the means, and above 0.")
        parts = StateColumns(_by_column(given["means"]), _by_column(given["variances"]), none, levels, none)
        kind, p = "gaussian", given["means"].shape[1]
    elif set(given) == {"means", "covariances"}:
        p = given["means"].shape[1]
        if given["covariances"].shape != (k, p, p):
            raise InputError(
                f"emission['covariances'] has the shape {given['covariances'].shape}. Expected {(k, p, p)}."
            )
        parts, full, kind = (
            StateColumns(none, none, none, levels, none),
            FullGaussian(given["means"], given["covariances"]),
            "full",
        )
    elif set(given) == {"rates"}:
        parts = StateColumns(none, none, _by_column(given["rates"]), levels, none)
        kind, p = "poisson", given["rates"].shape[1]
    elif set(given) == {"probabilities"}:
        table = _table("x0", list(given["probabilities"]))
        labels = tuple(range(len(table)))
        schema = Schema((ColumnSchema("x0", "nominal", labels),), named=False)
        parts = StateColumns(none, none, none, np.array([len(table)], np.int64), np.ascontiguousarray(table))
        return GivenModel(
            states, chain, schema, Layout.of(schema, {"x0": "categorical"}), Emissions(parts), "categorical"
        )
    else:
        raise InputError(
            f"emission has the arrays {spell(sorted(given))}. Expected means with variances or covariances, rates, or "
            "probabilities."
        )
    schema = Schema.unnamed(p)
    layout = Layout.of(schema, dict.fromkeys(schema.names, kind))
    return GivenModel(states, chain, schema, layout, Emissions(parts, full), kind)


def _by_column(rows: Array) -> Array:
    return np.ascontiguousarray(rows.T)

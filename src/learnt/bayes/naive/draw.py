"""New rows from naive Bayes: a class by its prior, then each cell by its column's likelihood in that class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array, Column, Table
from learnt.errors import ParameterError
from learnt.learner.parameters import Seed, Whole, check_parameters, seed_from

if TYPE_CHECKING:
    from learnt.bayes.naive.naive_bayes import NaiveBayesClassifier


def generator(owner: str, n: int, random_state: Any) -> np.random.Generator:
    """A source of numbers for `sample`, its arguments checked."""
    check_parameters(f"{owner}.sample", {"n": Whole(1), "random_state": Seed()}, {"n": n, "random_state": random_state})
    return np.random.default_rng(seed_from(random_state))


def draw_codes(rng: np.random.Generator, log_probability: Array) -> Array:
    """One code for each row of log-probabilities (rows × codes)."""
    upto = np.cumsum(np.exp(log_probability), axis=1)
    spot = rng.random((len(upto), 1)) * upto[:, -1:]
    codes: Array = (spot >= upto).sum(axis=1).astype(np.int32)
    return codes


def naive_rows(model: NaiveBayesClassifier, n: int, random_state: Any) -> tuple[Table, Array]:
    rng = generator(type(model).__name__, n, random_state)
    prior = model.class_log_prior_
    codes = draw_codes(rng, np.tile(prior, (n, 1)))
    gaussian = {model._schema.names[j]: g for g, j in enumerate(model._places("gaussian"))}
    columns = []
    for column in model._schema:
        if column.name in gaussian:
            g = gaussian[column.name]
            values = rng.normal(model.theta_[codes, g], np.sqrt(model.var_[codes, g]))
        elif column.name in model.kernels_:
            values = _from_kernels(rng, model, column.name, codes)
        else:
            values = _from_levels(rng, model, column.name, codes, column.coded)
        columns.append(Column.like(column, values))
    return Table.of_columns(columns, named=model._schema.named), model.classes_[codes]


def _from_levels(rng: np.random.Generator, model: NaiveBayesClassifier, name: str, codes: Array, coded: bool) -> Array:
    table = model.feature_log_prob_[name]
    if table.shape[1] == 0:  # a column without a single category has nothing to draw
        return np.full(len(codes), -1, np.int32)
    levels = np.full(len(codes), -1, np.int32)
    for c in np.unique(codes):  # class by class: a table of thousands of categories is not repeated for every row
        rows = np.flatnonzero(codes == c)
        p = np.exp(table[c])
        if 0 < p.sum() < np.inf:  # else the class has no cell there that could be drawn
            levels[rows] = rng.choice(len(p), size=len(rows), p=p / p.sum())
    if coded:
        return levels
    if name not in model.edges_:
        return np.where(levels < 0, np.nan, levels)  # above 0, or 0
    edges = model.edges_[name]
    if len(edges) < 2:
        return np.full(len(codes), np.nan)
    return np.where(levels < 0, np.nan, drawn_between(rng, edges[levels], edges[levels + 1]))


def drawn_between(rng: np.random.Generator, low: Array, high: Array) -> Array:
    """A number between each pair, evenly; by halves, for the way from one to the other may be beyond all numbers."""
    found: Array = 2 * rng.uniform(low / 2, high / 2)
    return found


def _from_kernels(rng: np.random.Generator, model: NaiveBayesClassifier, name: str, codes: Array) -> Array:
    kernels = model.kernels_[name]
    values = np.full(len(codes), np.nan)
    if kernels is None:
        return values
    for c in np.unique(codes):
        centres, weights, width = kernels.of_class(int(c))
        rows = np.flatnonzero(codes == c)
        values[rows] = rng.choice(centres, size=len(rows), p=weights / weights.sum()) + width * rng.normal(
            size=len(rows)
        )
    return values


def only_numbers(model: Any) -> None:
    """Raise where a model of counts was fitted on columns that are none."""
    odd = next((c for c in model._schema if c.coded), None)
    if odd is not None:
        raise ParameterError(
            f"{type(model).__name__} draws counts, but column {odd.name!r} is {odd.kind}. "
            "Expected numeric columns only. Use NaiveBayesClassifier for mixed tables."
        )

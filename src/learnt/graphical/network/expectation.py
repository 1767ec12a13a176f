"""EM for the tables of a network: expected counts by the junction tree, tables from them, until nothing is gained.

The log-likelihood of the rows (with a prior, plus its log-density) never falls from step to step.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError, convergence_warning
from learnt.graphical.inference.compiled import Compiled
from learnt.graphical.inference.evidence import distinct_rows
from learnt.graphical.network.counting import table_from_counts
from learnt.learner.parameters import seed_from
from learnt.show.numbers import number
from learnt.watch import report


def fit_by_em(
    model: Compiled,
    codes: Array,
    weights: Array | None,
    added: Sequence[float],
    max_iter: int,
    tol: float,
    n_starts: int,
    random_state: Any,
    memory: float,
) -> tuple[list[Array], list[float]]:
    """The tables, and what the objective was before each step and at the end."""
    rows, place = distinct_rows(codes)
    weight = np.bincount(place, weights, len(rows)).astype(np.float64)
    if not weight.sum() > 0:
        raise InputError("All rows have the weight 0. Expected some that count.")
    rows, weight = np.ascontiguousarray(rows[weight > 0]), weight[weight > 0]
    rng = np.random.default_rng(seed_from(random_state))
    best: tuple[list[Array], list[float]] | None = None
    for start in range(n_starts):
        tables = _start(model, rows, weight, rng, keep=start == 0)
        found = _climb(model, rows, weight, tables, added, max_iter, tol, memory)
        if best is None or found[1][-1] > best[1][-1]:
            best = found
    assert best is not None
    return best


def _start(model: Compiled, rows: Array, weight: Array, rng: np.random.Generator, keep: bool) -> list[Array]:
    """Tables given before, or random ones near what the cells seen say: hidden variables must not begin symmetric."""
    tables = []
    hidden = np.asarray((rows < 0).all(axis=0))
    for scope, known in zip(model.scopes, model.values, strict=True):
        if keep and not np.isnan(known).any():
            # A zero would stay one for ever.
            tables.append(0.999 * known + 0.001 / known.shape[-1])
            continue
        own = scope[-1]
        shape = tuple(int(model.counts[v]) for v in scope)
        if hidden[list(scope)].any() or not keep:
            made = rng.dirichlet(np.full(shape[-1], 2.0), size=shape[:-1])
        else:
            seen = rows[:, own] >= 0
            share = np.bincount(rows[seen, own], weight[seen], shape[-1]) + 1.0
            made = np.broadcast_to(share / share.sum(), shape).copy()
        tables.append(np.ascontiguousarray(made.reshape(shape)))
    return tables


def _climb(
    model: Compiled,
    rows: Array,
    weight: Array,
    tables: list[Array],
    added: Sequence[float],
    max_iter: int,
    tol: float,
    memory: float,
) -> tuple[list[Array], list[float]]:
    total = weight.sum()
    tree = model.with_values(tables).tree((), memory)
    sizes = [t.size for t in tables]
    history: list[float] = []
    for iteration in range(max_iter + 1):
        flat = np.concatenate([*(t.reshape(-1) for t in tables), np.ones(1)])  # and the factor of the empty set
        tree.set_factors(flat)
        counts, log_evidence = np.zeros(len(flat)), np.empty(len(rows))
        tree.expected_counts(rows, weight, counts, log_evidence)
        if not np.isfinite(log_evidence[weight > 0]).all():
            raise InputError(
                "A row has the probability 0 under the tables that EM began with. Give tables without zeros."
            )
        history.append((float(weight @ log_evidence) + _log_prior(tables, added)) / total)
        report("EM step", learner="BayesianNetwork", iteration=iteration, total=max_iter, objective=history[-1])
        gained = history[-1] - history[-2] if len(history) > 1 else np.inf
        if gained <= tol:
            break
        if iteration == max_iter:
            warnings.warn(
                convergence_warning(
                    f"EM still gained {number(gained)} in step {max_iter} (tol is {number(tol)}). Raise max_iter."
                ),
                stacklevel=4,
            )
            break
        parts = np.split(counts, np.cumsum(sizes))[: len(sizes)]
        tables = [
            table_from_counts(part.reshape(t.shape), more) for part, t, more in zip(parts, tables, added, strict=True)
        ]
    return tables, history


def _log_prior(tables: Sequence[Array], added: Sequence[float]) -> float:
    """Σ α log θ: what the added counts make EM climb, but for a constant."""
    with np.errstate(divide="ignore"):
        return float(sum(more * np.log(table).sum() for table, more in zip(tables, added, strict=True) if more > 0))

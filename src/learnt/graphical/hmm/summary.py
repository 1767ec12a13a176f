"""A model in words: what its states emit, how long stays last, what follows what."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from learnt.data.value_text import spread_text, value_text
from learnt.graphical.hmm.layout import KINDS
from learnt.graphical.hmm.wording import name_text
from learnt.show.numbers import number, percent
from learnt.show.text_table import aligned, crop
from learnt.show.words import count_of, list_of

if TYPE_CHECKING:
    from learnt.graphical.hmm.answers import Answers

MOST_COLUMNS = 12
MOST_LABELS = 3


def model_summary(model: Answers) -> str:
    """Three parts: the states with their typical rows, how long they last, and the transitions."""
    states, chain = [name_text(s) for s in model._states], model._chain
    kinds = {kind: len(getattr(model._layout, kind)) for kind in KINDS}
    emitted = list_of([f"{count_of(n, 'column')} as {kind}" for kind, n in kinds.items() if n])
    head = f"Hidden Markov model of {count_of(len(states), 'state')}, emitting {emitted}."
    parts = [head, aligned(_typical(model, states), left=range(1 + len(states)))]
    rows = [["from \\ to", *states, "long run", "stay lasts"]]
    stays, share = chain.expected_stays(), chain.long_run()
    for k, name in enumerate(states):
        shown = number(float(stays[k]))
        lasting = "for ever" if stays[k] > 1e12 else f"{shown} row{'' if shown == '1' else 's'}"
        cells = [_share_text(p) for p in chain.transition[k].tolist()]
        rows.append([name, *cells, percent(float(share[k])), lasting])
    rows.append(["start", *map(_share_text, chain.start.tolist()), "", ""])
    parts.append(aligned(rows, left={0}))
    if math.isfinite(model.log_likelihood_):
        steps = f" after {count_of(model.n_iter_, 'step')}" if model.n_iter_ else ""
        parts.append(
            f"log-likelihood {number(model.log_likelihood_)}{steps}, {count_of(model.n_parameters_, 'parameter')}."
        )
    return "\n\n".join(parts)


def _share_text(p: float) -> str:
    """A dot for what never happens, or not in a life-time."""
    return "·" if p < 1e-9 else percent(p)


def _typical(model: Answers, states: list[str]) -> list[list[str]]:
    rows = [["state", *states]]
    for j in _telling_columns(model)[:MOST_COLUMNS]:
        column = model._schema.columns[j]
        rows.append([crop(column.name, 28), *(_cell(model, j, k) for k in range(len(states)))])
    more = len(model._schema) - MOST_COLUMNS
    if more > 0:
        rows.append([f"… {count_of(more, 'more column')}", *[""] * len(states)])
    return rows


def _telling_columns(model: Answers) -> list[int]:
    """Columns in the order of the table; where there are many, those that set the states apart first."""
    if len(model._schema) <= MOST_COLUMNS:
        return list(range(len(model._schema)))
    share = model._chain.long_run()
    apart = []
    for j, column in enumerate(model._schema):
        if column.coded:
            p = model._emissions.probabilities(model._layout, j)
            apart.append(float(np.abs(p - (p @ share)[:, None]).sum(axis=0) @ share) if len(p) else 0.0)
        else:
            mean, variance = model._emissions.moments(model._layout, j)
            apart.append(float(share @ (mean - share @ mean) ** 2 / max(share @ variance, 1e-300)))
    return [int(j) for j in np.argsort(-np.array(apart), kind="stable")]


def _cell(model: Answers, j: int, k: int) -> str:
    """What a state emits in a column."""
    column, emissions, layout = model._schema.columns[j], model._emissions, model._layout
    if column.coded:
        p = emissions.probabilities(layout, j)[:, k]
        best = [int(i) for i in np.argsort(-p, kind="stable")[:MOST_LABELS] if p[i] >= 0.01]
        return ", ".join(f"{name_text(column.categories[i])} {percent(float(p[i]), 0)}" for i in best)
    mean, variance = emissions.moments(layout, j)
    if layout.kind(j) == "poisson":
        return f"{value_text(column.form, float(mean[k]))} a row"
    spread = math.sqrt(variance[k])
    if layout.kind(j) == "mixture" and emissions.mixture is not None:
        at = layout.mixture.index(j)
        middles = emissions.mixture.mean[k, :, at]
        shown = [value_text(column.form, float(m), spread) for m in sorted(middles.tolist())]
        return "around " + list_of(shown, "or")
    return f"{value_text(column.form, float(mean[k]), spread)} ± {spread_text(column.form, spread)}"

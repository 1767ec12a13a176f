"""What each member contributes to a stack: how far its terms in the final sum spread over the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.ensemble.stacking.pool import LogarithmicPool
from learnt.linear import WeightedSum
from learnt.show.numbers import number
from learnt.show.text_table import aligned

#: What the table's own columns are called beside the members.
COLUMNS = "columns"


def contributions_of(
    final: Any, table: Table, places: Mapping[str, list[int]], weights: Array | None
) -> dict[str, float] | None:
    """The standard deviation of each member's terms in the scores, as shares; None of a final learner that does not
    add up. What columns passed through add is under "columns"."""
    if isinstance(final, LogarithmicPool):
        by_member = final.terms(table)  # what all classes have in common moves none
        apart = by_member - by_member.mean(axis=2, keepdims=True)
        return _shares({name: apart[:, m] for m, name in enumerate(places)}, weights)
    if not isinstance(final, WeightedSum):
        return None
    x = np.column_stack([c.values for c in table.columns[: sum(map(len, places.values()))]])
    slopes = answer_slopes(final, x.shape[1])
    terms = {name: x[:, here] @ slopes[:, here].T for name, here in places.items()}
    if x.shape[1] < table.n_columns:
        terms[COLUMNS] = final._scores(table).reshape(len(x), -1) - x @ slopes.T
    return _shares(terms, weights)


def _shares(terms: Mapping[str, Array], weights: Array | None) -> dict[str, float]:
    spread = {name: float(np.sqrt(_variance(term, weights)).mean()) for name, term in terms.items()}
    whole = sum(spread.values())
    return {name: s / whole if whole > 0 else 0.0 for name, s in spread.items()}


def answer_slopes(final: Any, count: int) -> Array:
    """By score and for the first `count` columns, which are answers of members: what one unit more of it adds."""
    design = final._design
    slopes: Array = np.atleast_2d(final.coef_)[:, design.starts[:count]] * design.scale[:count]
    return slopes


def _variance(term: Array, weights: Array | None) -> Array:
    mean = np.average(term, axis=0, weights=weights)
    found: Array = np.average((term - mean) ** 2, axis=0, weights=weights)
    return found


def contributions_text(shares: Mapping[str, float] | None, final: Any, names: Sequence[str]) -> str:
    """A line for each member, largest first, with what it is taken off by; and the final sum, unless it is many, one
    for each class. A share is of movements up and down alike, so a member of a negative weight has one as well."""
    if shares is None:
        return str(final)
    many = not isinstance(final, LogarithmicPool) and np.atleast_2d(final.coef_).shape[0] > 1
    against = set() if many or isinstance(final, LogarithmicPool) else _taken_off(final, names)
    order = sorted(shares, key=lambda name: -shares[name])
    rows = [
        (name, f"{number(round(100 * shares[name], 1))} %", "against its answer" if name in against else "")
        for name in order
    ]
    table = aligned([("member", "moves the sum by", ""), *rows], left=(0, 2))
    return table if many else f"{table}\n\n{final}"


def _taken_off(final: Any, names: Sequence[str]) -> set[str]:
    """The members whose answers lower the only score as they rise."""
    return {name for name, slope in zip(names, answer_slopes(final, len(names))[0], strict=True) if slope < 0}

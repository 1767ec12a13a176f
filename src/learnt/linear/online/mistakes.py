"""Learners that change only when they are wrong: how they go through the rows, and what they report."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import SavedModelError, convergence_warning
from learnt.show.words import label
from learnt.watch import report, watching


def visits(weights: Array | None) -> Array | None:
    """How often each row is shown: whole weights as they are, others relative to the smallest above 0."""
    if weights is None or bool((weights == np.floor(weights)).all()):
        return weights
    smallest = weights[weights > 0].min()
    whole: Array = weights / smallest
    return whole


def unit_codes(codes: Array, n_classes: int) -> Array:
    """Codes such that unit u scores code u: of two classes one unit, which scores the second."""
    if n_classes == 2:
        codes = codes != 1
    return np.ascontiguousarray(codes, np.int32)


def unit_count(n_classes: int) -> int:
    return n_classes if n_classes > 2 else n_classes - 1


def by_unit(values: Array) -> Any:
    """A number where there is one unit, else one per class."""
    return values[0].item() if len(values) == 1 else values


def check_by_unit(n_classes: int, *values: Any) -> None:
    """Raise unless each of these, of a model from a file, is as `by_unit` makes it."""
    units = unit_count(n_classes)
    for value in values if units else ():  # of a single class nothing is told
        if np.asarray(value).dtype.kind not in "biuf" or np.shape(value) != (() if units == 1 else (units,)):
            raise SavedModelError("The mistakes or margins do not fit the classes.")


def report_pass(name: str, epoch: int, total: int, mistakes: int) -> None:
    if watching():
        report("pass", learner=name, iteration=epoch, total=total, objective=float(mistakes), mistakes=mistakes)


def warn_if_not_separated(
    name: str, done: Array, classes: Array, epochs: int, advice: str, separable: list[bool | None] | None = None
) -> None:
    """A clear word where passes ran out before one was free of mistakes, and whether more of them would help."""
    if done.all():
        return
    labels = classes.tolist()
    known = [None] if separable is None else [separable[u] for u in np.flatnonzero(~done).tolist()]
    if all(known):
        by_it = f"can be separated, but not in so few (max_iter={epochs}). Raise it."
    elif all(can is False for can in known):
        by_it = f"cannot be separated by it, however many passes it makes. {advice}"
    else:
        by_it = f"cannot be separated by it, or only with more passes (max_iter). {advice}"
    if len(done) == 1:
        which = f"{label(labels[0])} and {label(labels[1])} {by_it}"
    else:
        left = [label(labels[c]) for c in np.flatnonzero(~done)]
        more = f" and {len(left) - 4} more" if len(left) > 4 else ""
        which = f"{', '.join(left[:4])}{more}, each against all others, {by_it}"
    passes = "its only pass" if epochs == 1 else f"each of {epochs} passes"
    warnings.warn(convergence_warning(f"{name} made mistakes in {passes}: {which}"), stacklevel=3)

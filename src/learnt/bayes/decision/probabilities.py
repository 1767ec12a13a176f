"""Probabilities and odds: checked, turned into each other, and what the evidence alone says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError, ParameterError
from learnt.show.words import label, plain


def odds(proba: Any, of: Any = None, against: Any = None, *, classes: Sequence[Any] | None = None) -> Any:
    """How many times as probable one thing is as another.

        odds = p / (1 − p),   or p(of) / p(against) for two classes of several

    >>> odds(0.4), odds([[0.2, 0.3, 0.5]], of=2, against=0).tolist()
    (0.6666666666666667, [2.5])

    A number or a row of numbers are probabilities of one event each; with `of`, rows × classes are expected.
    """
    if of is None:
        p = numbers(proba, "odds were asked of")
        if not ((p >= 0) & (p <= 1)).all():
            raise InputError("odds were asked of numbers outside 0 … 1. Expected probabilities.")
        return _unpacked_number(_ratio(p, 1 - p))
    p = checked_probabilities(proba)
    names = tuple(range(p.shape[1])) if classes is None else tuple(map(plain, classes))
    one = class_place(of, names)
    if against is not None:
        return _ratio(p[:, one], p[:, class_place(against, names)])
    return _ratio(p[:, one], np.delete(p, one, axis=1).sum(axis=1))


def from_odds(odds: Any) -> Any:
    """The probability behind odds: o / (1 + o), and 1 for infinite odds.

    >>> from_odds(1 / 6 * 4 * 3)
    0.6666666666666666
    """
    o = numbers(odds, "A probability was asked of")
    if not (o >= 0).all():
        raise InputError("Odds below 0, or none at all, came. Expected numbers from 0 on.")
    with np.errstate(invalid="ignore"):
        return _unpacked_number(np.where(np.isinf(o), 1.0, o / (1 + o)))


def likelihood_ratio(
    proba: Any, priors: Any, of: Any = None, against: Any = None, *, classes: Sequence[Any] | None = None
) -> Any:
    """What the evidence alone says: posterior odds divided by prior odds.

        p(x | of) / p(x | against) = [p(of | x) / p(against | x)] / [p(of) / p(against)]

    >>> likelihood_ratio([[0.6, 0.4]], [6 / 7, 1 / 7]).round(6).tolist()
    [4.0]

    `of` is the second of two classes unless it is given; `against` all others.
    """
    p = checked_probabilities(proba)
    names = tuple(range(p.shape[1])) if classes is None else tuple(map(plain, classes))
    if of is None:
        if len(names) != 2:
            raise ParameterError(f"There are {len(names)} classes. Expected two, or of= to say which is asked about.")
        of = names[1]
    before = divisible_priors(priors, names, "A likelihood ratio")
    posterior = odds(p, of, against, classes=names)
    return posterior / odds(before[None] / before.sum(), of, against, classes=names)[0]


def checked_probabilities(proba: Any) -> Array:
    """Rows × classes, finite, not negative, each row adding up to 1."""
    try:
        p = np.asarray(proba, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"Probabilities came as {type(proba).__name__}. Expected numbers, rows × classes. "
            "Of a classifier, give what its predict_proba returns."
        ) from None
    p = p[None] if p.ndim == 1 else p
    if p.ndim != 2 or p.shape[1] == 0:
        raise InputError(f"Probabilities have shape {p.shape}. Expected rows × classes.")
    bad = ~(np.isfinite(p).all(axis=1) & (p >= 0).all(axis=1))
    bad |= ~(np.abs(np.where(np.isfinite(p), p, 0).sum(axis=1) - 1) <= 1e-6)
    if bad.any():
        i = int(np.flatnonzero(bad)[0])
        raise InputError(
            f"Row {i} holds {p[i].tolist()[:6]}, which are not probabilities. Expected numbers from 0 to 1 that add up "
            "to 1, a column per class."
        )
    return p


def numbers(values: Any, what: str) -> Array:
    """Values as floats, or an error that begins with `what`."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{what} {values!r:.60}. Expected numbers.") from None


def checked_priors(priors: Any, classes: Sequence[Any], what: str = "priors") -> Array:
    """Prior probabilities in the order of the classes, from a sequence or a dict by class."""
    if isinstance(priors, Mapping):
        absent = [c for c in classes if plain(c) not in priors]
        if absent or len(priors) != len(classes):
            raise ParameterError(
                f"{what} name {', '.join(map(label, list(priors)[:8]))}. Expected a probability for each of "
                f"{', '.join(map(label, list(classes)[:8]))}."
            )
        priors = [priors[plain(c)] for c in classes]
    try:
        p = np.asarray(priors, dtype=np.float64)
    except (TypeError, ValueError):
        p = np.full(0, np.nan)
    if p.shape != (len(classes),) or not (p >= 0).all() or not abs(p.sum() - 1) <= 1e-6:
        raise ParameterError(
            f"{what}={priors!r} are not probabilities of {len(classes)} classes. Expected numbers from 0 to 1 that add "
            "up to 1, in the order of the classes, or a dict by class."
        )
    return p


def class_place(name: Any, classes: Sequence[Any]) -> int:
    known = [plain(c) for c in classes]
    if plain(name) not in known:
        raise ParameterError(f"There is no class {label(name)}. The classes are {', '.join(map(label, known[:8]))}.")
    return known.index(plain(name))


def divisible_priors(priors: Any, names: tuple[Any, ...], what: str) -> Array:
    if priors is None:
        raise ParameterError(
            f"{what} came without priors. Dividing them out of the probabilities gives the likelihood. Give "
            "priors=, a probability for each class."
        )
    p = checked_priors(priors, names)
    if (p == 0).any():
        raise ParameterError(f"The prior of {label(names[int(p.argmin())])} is 0. Dividing by it says nothing.")
    return p


def _unpacked_number(x: Array) -> Any:
    """A number where a number was asked about, else an array."""
    return x if x.ndim else float(x)


def _ratio(above: Array, below: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.divide(above, below)

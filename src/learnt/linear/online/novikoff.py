"""Novikoff's theorem in numbers: the radius of the rows, the margin of a separator, the bound on mistakes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array
from learnt.errors import SavedModelError
from learnt.linear.online.mistakes import by_unit, check_by_unit, unit_count
from learnt.show.numbers import number
from learnt.show.words import count_of, label

#: Up to this many cells, the largest margin is computed; beyond, that of the separator found has to do.
FEW_CELLS = 100_000
#: A hull this near to the origin, of rows no longer than 1, holds it.
_TOUCHES = 1e-9


@dataclass(frozen=True)
class Margin:
    """`value` is a margin that some separator has, `largest` whether no separator has a larger one.

    Not above 0: no separator is known, and if it is `largest`, none exists.
    """

    value: float
    largest: bool

    @property
    def separates(self) -> bool | None:
        """Whether the rows can be separated; None if that is not known."""
        return True if self.value > 0 else False if self.largest else None


def radius(rows: Array) -> float:
    """R, the length of the longest row, without overflow."""
    size = float(np.abs(rows).max()) if rows.size else 0.0
    return size * float(np.sqrt(((rows / size) ** 2).sum(axis=1).max())) if size > 0 else 0.0


def margin(rows: Array, signs: Array, weights: Array) -> Margin:
    """γ = max_w min_i y_i w·x_i / |w|: exactly if that is cheap, else that of the given separator.

    The largest margin is the distance of the origin from the convex hull of the rows y_i x_i. The nearest point of the
    hull is found by non-negative least squares; its length is an upper bound on γ, and its direction a separator
    whose own margin is a lower one, so that the answer checks itself.
    """
    signed = rows * signs[:, None]
    size = radius(signed)
    if size == 0:
        return Margin(0.0, largest=True)
    signed = signed / size
    found = _margin_of(signed, weights)
    if signed.size <= FEW_CELLS:
        from scipy.optimize import nnls

        system = np.vstack([signed.T, np.ones(len(signed))])
        target = np.append(np.zeros(signed.shape[1]), 1.0)
        try:
            shares, _ = nnls(system, target)
        except RuntimeError:  # too many iterations
            return Margin(found * size, largest=False)
        nearest = signed.T @ (shares / shares.sum()) if shares.any() else np.zeros(signed.shape[1])
        above, best = float(np.linalg.norm(nearest)), max(found, _margin_of(signed, nearest))
        return Margin(best * size, largest=bool(best >= (1 - 1e-6) * above or above <= _TOUCHES))
    return Margin(found * size, largest=False)


def _margin_of(signed: Array, weights: Array) -> float:
    size = float(np.abs(weights).max()) if weights.size else 0.0
    if size == 0:
        return 0.0
    unit = weights / size
    return float((signed @ unit).min() / np.linalg.norm(unit))


class MistakeBound:
    """Of a learner that counts its mistakes: Novikoff's bound on them, and both in words."""

    classes_: Array
    n_iter_: int
    n_mistakes_: Any
    radius_: float
    margin_: Any
    margin_is_largest_: Any
    _separated: Array  # which units made a pass without mistakes

    def _keep_margins(self, found: list[Margin], done: Array) -> None:
        self._separated = done
        self.margin_ = by_unit(np.array([m.value if m.value > 0 else np.nan for m in found]))
        self.margin_is_largest_ = by_unit(np.array([m.largest for m in found]))

    def _check_mistakes(self) -> None:
        """Part of `_check_fitted_state`."""
        check_by_unit(len(self.classes_), self.n_mistakes_, self.margin_, self.margin_is_largest_)
        done: Any = getattr(self, "_separated", None)
        if np.shape(done) != (unit_count(len(self.classes_)),):
            raise SavedModelError("What is separated does not fit the classes.")

    if TYPE_CHECKING:

        def _fitted_schema(self) -> Schema: ...

    @property
    def mistake_bound_(self) -> Any:
        """(R/γ)², which no perceptron on these rows exceeds; NaN where no separator is known.

        Where γ is that of the separator found (`margin_is_largest_` is False), the largest margin may be larger and
        the bound smaller.
        """
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            bound = np.square(np.divide(self.radius_, self.margin_))
        return float(bound) if np.ndim(bound) == 0 else bound

    def summary(self) -> str:
        """What happened, in a line per class: mistakes, and the bound where there is one."""
        self._fitted_schema()
        labels = self.classes_.tolist()
        if len(labels) == 1:
            return f"{label(labels[0])} is the only class: nothing to separate"
        mistakes, margins, bounds, largest = (
            np.atleast_1d(v) for v in (self.n_mistakes_, self.margin_, self.mistake_bound_, self.margin_is_largest_)
        )
        lines = []
        for u, count in enumerate(mistakes.tolist()):
            who, others = (label(labels[u]), "the rest") if len(mistakes) > 1 else (label(labels[-1]), label(labels[0]))
            made = count_of(count, "mistake")
            if np.isnan(margins[u]):
                passes = count_of(self.n_iter_, "pass")
                why = ", nor ever" if largest[u] else ""
                lines.append(f"{who} against {others}: {made}, not separated in {passes}{why}")
                continue
            size, limit = ("=", "=") if largest[u] else ("≥", "≤")
            found = f"separated after {made}" if self._separated[u] else f"{made} and not yet separated"
            lines.append(
                f"{who} against {others}: {found}; Novikoff's bound (R/γ)² {limit} "
                f"{number(bounds[u])} (R = {number(self.radius_)}, γ {size} {number(margins[u])})"
            )
        return "\n".join(lines)

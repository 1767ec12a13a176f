"""The columns of a table as numbers, in units whose squares neither overflow nor vanish."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.first_look import first_look, standardizes
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.engine.survey import Survey, TakeSurvey
from learnt.engine.training import Training
from learnt.reduce.scatter import Scatter, TakeScatter

#: Variances between these are sums of squares that kept their digits.
_SAFE = 1e-280, 1e280


@dataclass(frozen=True)
class Encoding:
    """How rows become numbers: `design` for use, `working` the same times `unit`, a power of two, for arithmetic.

    `mean` and `variance` (over n) are those of the working columns. `scatter` is there if it was found on the way.
    """

    design: Design
    working: Design
    unit: float
    mean: Array
    variance: Array
    rows_with_weight: int
    weight: float
    sparse: bool
    scatter: Scatter | None = None

    @property
    def n_columns(self) -> int:
        return self.design.n_columns

    @property
    def n_rows(self) -> int:
        """Rows, counting those of weight 2 twice; small weights do not make rows fewer than they are."""
        return max(self.rows_with_weight, int(self.weight))


class _TakeSurvey(TakeSurvey):
    """A survey in which squares may overflow: that is looked at afterwards."""

    def summarize(self, batch: Batch) -> Survey:
        with np.errstate(over="ignore", invalid="ignore"):
            return super().summarize(batch)


class _TakeSpread(Pass):
    def summarize(self, batch: Batch) -> Statistic:
        from learnt.prepare import column_spread

        return column_spread(batch)


def encoding(training: Training, standardize: Any, *, scatter: bool) -> Generator[Pass, Any, Encoding]:
    """One look at the columns; at a matrix of numbers, with `scatter`, the look that gives the scatter is enough."""
    scaled = standardizes(standardize, training.schema)
    quick = TakeScatter(None) if scatter and not scaled and training.is_matrix else None
    look = yield from first_look(
        training,
        drop_reference=False,
        quick=quick,
        trusted=_is_safe,
        slow=_TakeSurvey(),
        any_size=True,
        reads_left=1 if scatter else None,
    )
    design = look.design
    if look.survey is None:
        found: Scatter = look.quick
        return Encoding(design, design, 1.0, *look.moments, found.rows_with_weight, found.weight, False, found)
    survey = look.survey
    spread = np.sqrt(survey.variance)
    if _extreme(survey, scaled):
        numeric = np.array([c.kind == "numeric" for c in training.schema])
        spread = np.where(numeric, (yield _TakeSpread()).spread, spread)
    if scaled:
        ranked = np.array([c.kind in ("numeric", "ordinal") for c in training.schema])
        with np.errstate(divide="ignore", over="ignore"):
            inverse = 1 / spread
        design = replace(design, scale=np.where(ranked & np.isfinite(inverse), inverse, 1.0))
    return _in_safe_units(design, survey, spread, training.is_sparse)


def _is_safe(found: Scatter) -> bool:
    return found.finite and bool(_SAFE[0] < found.products.diagonal().max() < _SAFE[1])


def _extreme(survey: Survey, scaled: bool) -> bool:
    """Whether squares overflowed, or vanished where that matters."""
    variance = survey.variance
    largest = float(variance.max(initial=0.0))
    if not largest < _SAFE[1]:
        return True
    if not scaled:
        return largest < _SAFE[0] and bool(np.any(survey.mean != 0))
    small = (variance < _SAFE[0]) & ((variance > 0) | ((survey.mean != 0) & (np.abs(survey.mean) < _SAFE[0] ** 0.5)))
    return bool(small.any())


def _in_safe_units(design: Design, survey: Survey, spread: Array, sparse: bool) -> Encoding:
    numeric = np.array([c.kind in ("numeric", "ordinal") for c in design.schema])
    size = float(np.max(np.where(numeric, spread * design.scale, 1.0), initial=0.0))
    unit = (
        1.0 if _SAFE[0] ** 0.5 < size < _SAFE[1] ** 0.5 or size == 0 else float(np.ldexp(1.0, -int(np.frexp(size)[1])))
    )
    working = design if unit == 1 else replace(design, scale=design.scale * unit)
    with np.errstate(invalid="ignore", over="ignore"):
        mean, variance = working.moments(survey)
    there = survey.weight / max(survey.row_weight, np.finfo(np.float64).tiny)
    variance[working.starts[numeric]] = ((spread * working.scale) ** 2 * there)[numeric]
    return Encoding(
        design, working, unit, mean, variance, survey.rows_with_weight, survey.row_weight, sparse or design.sparse
    )

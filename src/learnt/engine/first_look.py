"""The first look at the rows: how they become a matrix, and where its columns lie.

A matrix of numbers may be looked at by a quick pass, which gives sums that the learner needs anyway and hopes that no
cell is missing: if one is, the sums show it, and a survey looks closer. The `Design` comes from either.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from learnt.data.design import Design
from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.engine.passes import Pass
from learnt.engine.sizes import check_columns, check_sums, vanishing_columns
from learnt.engine.survey import Survey, TakeSurvey, survey
from learnt.engine.training import Training
from learnt.lazy import cached_property


class QuickSums(Protocol):
    """The statistic of a quick pass over a matrix of numbers."""

    @property
    def finite(self) -> bool:
        """False when a cell was missing or infinite, or too large for its sums."""

    def column_moments(self) -> tuple[Array, Array]:
        """Mean and variance (over n) of each column of the table."""


@dataclass(frozen=True, eq=False)
class FirstLook:
    """The design, and what it was made from: a survey, or quick sums."""

    design: Design
    survey: Survey | None
    quick: Any = None

    @classmethod
    def of(cls, found: Survey, *, drop_reference: bool, standardize: Any = False, any_size: bool = False) -> FirstLook:
        found.check_finite()
        check_sums(found.schema.names, found.mean, found.row_weight)
        if not any_size and found.rows_with_weight > 1:
            check_columns(found.schema.names, found.mean, found.variance)
        scaled = standardizes(standardize, found.schema)
        return cls(Design.of(found, drop_reference=drop_reference, standardize=scaled), found)

    @property
    def surveyed(self) -> Survey:
        """The survey of a look that had no quick pass to try."""
        assert self.survey is not None
        return self.survey

    @cached_property
    def moments(self) -> tuple[Array, Array]:
        """Mean and variance (over n) of each column of the matrix."""
        found: tuple[Array, Array]
        found = self.quick.column_moments() if self.survey is None else self.design.moments(self.survey)
        return found


def first_look(
    training: Training,
    *,
    drop_reference: bool,
    standardize: Any = False,
    quick: Pass | None = None,
    trusted: Callable[[Any], bool] = lambda sums: bool(sums.finite),
    slow: Pass | None = None,
    any_size: bool = False,
    reads_left: int | None = None,
) -> Generator[Pass, Any, FirstLook]:
    """One pass, or two where the quick one is not `trusted`. `standardize` "auto" scales tables not all of numbers.

    `quick` is a pass that gives `QuickSums`, where the table suits one; `slow` the survey, if not the usual one. A
    learner of `any_size` looks itself after numbers whose squares overflow or vanish; for others they are refused.
    `reads_left`: how many passes over the rows usually come after the look, where they are few.
    """
    if quick is not None:
        quick.reads_left = reads_left
        sums: QuickSums = yield quick
        if trusted(sums) and (any_size or not vanishing_columns(*sums.column_moments()).any()):
            return FirstLook(plain_design(training.schema, sums.column_moments()[0]), None, sums)
    slow = TakeSurvey() if slow is None else slow
    slow.reads_left = reads_left
    found: Survey = yield slow
    return FirstLook.of(found, drop_reference=drop_reference, standardize=standardize, any_size=any_size)


def look_at(
    table: Table, weights: Array | None, *, drop_reference: bool, standardize: Any = False, any_size: bool = False
) -> FirstLook:
    """The same for a table at hand, by a survey."""
    found = survey(table, weights)
    return FirstLook.of(found, drop_reference=drop_reference, standardize=standardize, any_size=any_size)


def plain_design(schema: Schema, mean: Array) -> Design:
    """Numbers as they are; cells missing only when predicting count as the mean."""
    m = len(schema)
    return Design(schema, mean, np.zeros(m), np.ones(m), np.full(m, -1, np.int32), sparse=False)


def standardizes(asked: Any, schema: Schema) -> bool:
    """What the setting `standardize` comes to: "auto" is for tables that are not all numbers in units of their own."""
    return not schema.all_numeric if isinstance(asked, str) else bool(asked)

"""The table as the comparison saw it, target included, and its description."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from learnt.data.schema import Kind
from learnt.data.table import Column, Table
from learnt.describe import describe_table
from learnt.lazy import cached_property

if TYPE_CHECKING:
    from learnt.describe.description import Description
    from learnt.evaluate.problem import Problem


class Understood:
    """`table` holds the columns and, last, the target."""

    def __init__(self, problem: Problem):
        self.problem = problem
        self.target = target_column(problem)
        self.columns = problem.table.columns  # once: of a sparse table each asking makes them anew
        self.table = Table.of_columns([*self.columns, self.target], target=self.target.name)

    @cached_property
    def description(self) -> Description:
        from learnt.engine.blas import one_blas_thread

        with one_blas_thread():
            return describe_table(self.table, self.problem.weights, 0.95)


def target_column(problem: Problem) -> Column:
    name = problem.target_name
    while name in problem.table:  # a target that came as an array may share its name with a column
        name += " (target)"
    if problem.classes is None:
        return Column(name, "numeric", problem.target.astype(np.float64))
    kind: Kind = "nominal"
    return Column(name, kind, problem.target.astype(np.int32), tuple(problem.classes.tolist()))

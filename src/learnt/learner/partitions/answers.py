"""What is asked of each partition, where it lies, and the form its answer takes."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from learnt.data.convert.out import cells_of, to_pandas
from learnt.data.table import Table
from learnt.engine.cluster.machine import Machine
from learnt.explain import Explanations
from learnt.lazy import optional_package
from learnt.learner.partitions.sent import Sent

Form = Literal["frame", "array", "as it is"]


@dataclass(frozen=True, eq=False)
class Question:
    """A method of a learner with what it is given beside rows.

    Called with a partition and the learner, which Dask hands over: so it is sent once, not with each partition.
    """

    method: str
    form: Form
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    meta: Any = None  # an answer without rows, whose types all answers take

    def __call__(self, part: Any, sent: Sent) -> Any:
        meta, learner = self.meta, sent.learner
        if meta is not None and len(part) == 0:
            return meta
        with own_cores():
            answer = getattr(learner, self.method)(part, *self.args, **self.kwargs)
        if isinstance(answer, Explanations):
            return lines_of(answer, part)
        if self.form == "frame":
            return in_types(self.framed(answer, part, learner), meta)
        if self.form == "array":
            return in_array(answer) if meta is None else in_array(answer).astype(meta.dtype, copy=False)
        return answer

    def framed(self, answer: Any, part: Any, learner: Any) -> Any:
        """A series or a frame with the index of the partition."""
        pd = optional_package("pandas")

        if isinstance(answer, pd.DataFrame | pd.Series):
            return answer
        if isinstance(answer, Table):
            return to_pandas(answer, part.index)
        if hasattr(answer, "tocsr"):
            return pd.DataFrame.sparse.from_spmatrix(answer, index=part.index)
        cells = np.asarray(answer)
        if cells.ndim == 1:
            return pd.Series(cells, index=part.index)
        return pd.DataFrame(cells, index=part.index, columns=self.names(learner, cells.shape[1]))

    def names(self, learner: Any, width: int) -> list[str]:
        """What the columns of a matrix are called."""
        if self.method == "predict_interval":
            return ["low", "high"]
        classes = getattr(learner, "classes_", None)
        if self.method == "transform" and hasattr(learner, "get_feature_names_out"):
            names = [str(name) for name in learner.get_feature_names_out()]
        else:
            names = [] if classes is None or self.method == "apply" else [str(label) for label in classes.tolist()]
        return names if len(names) == width else [str(j) for j in range(width)]


def in_array(answer: Any) -> Any:
    """A block of an array, dense or sparse."""
    if hasattr(answer, "tocsr"):
        return answer
    return cells_of(answer) if isinstance(answer, Table) else np.asarray(answer)


def in_types(answer: Any, meta: Any) -> Any:
    """The columns in the types that were promised, where partitions by themselves would have others.

    Categories are left as they are, and so are booleans with gaps, which plain ones cannot hold.
    """
    if meta is None:
        return answer
    pd = optional_package("pandas")

    def cast(cells: Any, dtype: Any) -> Any:
        kept = (pd.CategoricalDtype, pd.BooleanDtype, pd.SparseDtype)
        return cells if cells.dtype == dtype or isinstance(cells.dtype, kept) else cells.astype(dtype)

    if answer.ndim == 1:
        return cast(answer, meta.dtype)
    if list(answer.dtypes) == list(meta.dtypes):
        return answer
    columns = [cast(answer.iloc[:, j], dtype) for j, dtype in enumerate(meta.dtypes)]
    return pd.concat(columns, axis=1)


def lines_of(told: Explanations, part: Any) -> Any:
    """A line for each row and column; the index says which row, and is that of a frame's rows."""
    lines = told.to_frame(long=True)
    rows = lines.pop("row").to_numpy(dtype=np.int64)
    lines.index = part.index[rows] if hasattr(part, "index") and hasattr(part, "iloc") else rows
    return lines.astype({"value": object})


@contextmanager
def own_cores() -> Iterator[None]:
    """On a worker of a cluster, kernels use no more threads than it has: others may share the machine."""
    try:
        machine = Machine.this() if "distributed" in sys.modules else None
    except ValueError:  # Dask's own threads or processes
        machine = None
    with nullcontext() if machine is None else machine.threads():
        yield


def numbered_from(lines: Any, first: int) -> Any:
    """The lines of a block whose first row has this number."""
    lines.index = lines.index + first
    return lines

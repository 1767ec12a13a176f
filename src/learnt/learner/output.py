"""What `transform` returns: the kind of frame that came in, or the one chosen by `set_output`, as in scikit-learn."""

from __future__ import annotations

import sys
from collections.abc import Collection
from typing import Any, Self

import numpy as np

from learnt.data.convert import is_a
from learnt.data.convert.alike import frame_of
from learnt.data.table import Table
from learnt.errors import InputError, ParameterError
from learnt.lazy import optional_package

CHOICES = ("default", "pandas", "polars")


class OutputChoice:
    """`set_output`. The setting's attribute is named as scikit-learn's `clone` expects it, so that it survives
    cross-validation and pipelines there."""

    _sklearn_output_config: dict[str, str]

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose the frame that `transform`, or `predict_proba` of a classifier, returns: "pandas" or "polars", with
        named columns; or "default"; None leaves it.

        By default `transform` gives back what it was given, a frame, a `Table` or an array, and `predict_proba` an
        array.
        """
        if transform is None:
            return self
        if transform not in CHOICES:
            raise ParameterError(f"transform={transform!r} is not allowed. Expected 'default', 'pandas' or 'polars'.")
        self._sklearn_output_config = {"transform": transform}
        return self


class FrameOutput(OutputChoice):
    """`set_output` for learners with `transform`."""

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:
        raise NotImplementedError

    def _framed(self, values: Any, X: Any, passed: Collection[str] = ()) -> Any:
        """`values`, an array, a CSR matrix or a table, in the container asked for, else in that of `X`, with its index.

        Columns of the names in `passed` are those of `X`: a frame gives them back as they came, dates as dates.
        """
        if is_a(X, "narwhals", "DataFrame"):
            framed = self._framed(values, X.to_native(), passed)
            return framed if isinstance(framed, np.ndarray) else optional_package("narwhals").from_native(framed)
        chosen, given = chosen_output(self), container_of(X)
        wanted = given if chosen == "default" else chosen
        if wanted == "default":
            return values
        if isinstance(values, Table):
            table = values
        else:
            names = [str(name) for name in self.get_feature_names_out()]
            table = Table.of_matrix(values, names, named=wanted != "table" or X.schema.named)
        if chosen == "default" and table.sparse is not None and wanted != "pandas":
            return table  # polars and Arrow know no sparse columns: thousands of indicators would fill the memory
        if wanted == "table":
            return table
        return frame_of(wanted, table, X if wanted == given else None, passed)


def chosen_output(learner: Any) -> str:
    """What a learner shall return: as set on it, else as scikit-learn is set, if that is loaded."""
    own = getattr(learner, "_sklearn_output_config", {}).get("transform")
    sklearn = sys.modules.get("sklearn")
    if own or sklearn is None:
        return str(own or "default")
    return str(sklearn.get_config()["transform_output"])


def container_of(X: Any) -> str:
    """Whose frame `X` is: "table", "pandas", "polars" or "arrow"; "default" for all else, such as arrays and dicts."""
    if isinstance(X, Table):
        return "table"
    for name, classes in _CONTAINERS.items():
        if any(is_a(X, name, cls) for cls in classes):
            return "arrow" if name == "pyarrow" else name
    return "default"


_CONTAINERS = {
    "pandas": ("DataFrame", "Series"),
    "polars": ("DataFrame", "LazyFrame", "Series"),
    "pyarrow": ("Table", "RecordBatch"),
}


def framed_classes(learner: Any, values: np.ndarray[Any, Any], X: Any) -> Any:
    """Numbers by class in the frame that was chosen for this learner, columns called after its `classes_`.

    What scikit-learn is set to for all transformers does not count here: whoever averages probabilities adds arrays.
    """
    chosen = getattr(learner, "_sklearn_output_config", {}).get("transform", "default")
    if chosen == "default":
        return values
    table = Table.of_matrix(values, [str(label) for label in learner.classes_.tolist()])
    return frame_of(chosen, table, X if container_of(X) == chosen else None)


MOST_NAMES = 10_000_000  # 1 GB of them


def check_name_count(count: int) -> None:
    """Raise where names of columns, numbered ones, would fill the memory."""
    if count > MOST_NAMES:
        raise InputError(f"{count:,} columns have no names: at most {MOST_NAMES:,} are given. Ask for fewer columns.")

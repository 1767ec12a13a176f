"""What `transform` returns: an array or a table, or a pandas or polars frame, as scikit-learn's `set_output` has it."""

from __future__ import annotations

import sys
from typing import Any, Self

import numpy as np

from learnt.data.convert.out import to_pandas, to_polars
from learnt.data.table import Table
from learnt.errors import ParameterError
from learnt.lazy import optional_package


class FrameOutput:
    """`set_output` for learners with `transform`. The setting's attribute is named as scikit-learn's
    `clone` expects it, so that it survives cross-validation and pipelines there."""

    _sklearn_output_config: dict[str, str]

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose what `transform` returns: "default" (an array or a `Table`), "pandas" or "polars"; None leaves it."""
        if transform is None:
            return self
        if transform not in ("default", "pandas", "polars"):
            raise ParameterError(f"transform={transform!r} is not allowed. Expected 'default', 'pandas' or 'polars'.")
        self._sklearn_output_config = {"transform": transform}
        return self

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:
        raise NotImplementedError

    def _framed(self, values: Any, X: Any) -> Any:
        """`values`, an array, a CSR matrix or a table, in the container asked for, with the index of `X` if that is a
        pandas frame."""
        wanted = chosen_output(self)
        if wanted == "default":
            return values
        names = [str(name) for name in self.get_feature_names_out()]
        if not isinstance(values, np.ndarray | Table):
            values = Table.of_matrix(values, names)
        if wanted == "pandas":
            pd = optional_package("pandas")

            index = X.index if isinstance(X, pd.DataFrame) else None
            if isinstance(values, Table):
                return to_pandas(values, index)
            return pd.DataFrame(values, columns=names, index=index, copy=False)
        if isinstance(values, Table):
            return to_polars(values)
        pl = optional_package("polars")

        return pl.DataFrame(values, schema=names, orient="row")


def chosen_output(learner: Any) -> str:
    """What a learner shall return: as set on it, else as scikit-learn is set, if that is loaded."""
    own = getattr(learner, "_sklearn_output_config", {}).get("transform")
    sklearn = sys.modules.get("sklearn")
    if own or sklearn is None:
        return str(own or "default")
    return str(sklearn.get_config()["transform_output"])

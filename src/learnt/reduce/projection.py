"""What learners have in common whose columns are weighted sums of the user's columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt import _core
from learnt.data.design import Design
from learnt.data.files.scan import Scan
from learnt.data.table import Array, Table
from learnt.engine.blas import one_blas_thread
from learnt.engine.encoded_rows import ENCODED_ROWS, dense
from learnt.engine.sizes import sums_beyond
from learnt.engine.survey import check_finite
from learnt.errors import InputError, SavedModelError
from learnt.explain import Evidence, Explanation, Explanations
from learnt.learner.base import Transformer
from learnt.learner.fields import attribute
from learnt.learner.output import container_of
from learnt.show.numbers import number
from learnt.show.words import printable


class Projection(Transformer, abstract=True):
    """scores = (x − mean) · weights, with x a row in the columns of the design.

    Members set `_design`, `mean_` and `components_` (one row per new column), and say by `_weights` what a column of
    the design counts in each score.
    """

    finds_infinities = True
    takes_text = "left out"

    components_: Array = attribute()
    mean_: Array = attribute()
    _design: Design = attribute()

    @property
    def _prefix(self) -> str:
        return type(self).__name__.lower()

    def _weights(self) -> Array:
        """Columns of the design × scores."""
        return np.ascontiguousarray(self.components_.T)

    # Transforming

    def transform(self, X: Any) -> Any:
        """The scores of the rows of `X`: in a frame, a `Table` or an array as `X` is, or the frame chosen by
        `set_output`."""
        still = self._still()
        schema = still._fitted_schema()
        if schema.named or not schema.all_numeric or isinstance(X, Scan):
            return super().transform(X)
        return still._framed(still._scores(still._matched(X)), X)

    def _transform(self, table: Table) -> Table:
        names = [str(name) for name in self.get_feature_names_out()]
        return Table.of_matrix(self._scores(table), names, named=self._schema.named or not self._schema.all_numeric)

    def _scores(self, table: Table) -> Array:
        weights = self._weights()
        out = np.empty((table.n_rows, weights.shape[1]))
        if table.matrix is not None and self._design.plain:
            _core.project_rows(table.matrix, self.mean_, weights, out)
            if _core.all_finite(out):  # missing and infinite cells show in it, so that looking for them costs nothing
                return out
        check_finite(table)
        with one_blas_thread():
            for start in range(0, table.n_rows, ENCODED_ROWS):
                x = self._design.encode(table.rows(start, start + ENCODED_ROWS))
                part = out[start : start + ENCODED_ROWS]
                if isinstance(x, np.ndarray):
                    _core.project_rows(x, self.mean_, weights, part)
                else:  # centred after the product: rows stay sparse
                    part[:] = x @ weights - self.mean_ @ weights
                lost = ~np.isfinite(part).all(axis=1)
                if lost.any():
                    part[lost] = sums_beyond(dense(x[lost]), weights, -sums_beyond(self.mean_, weights))
        return out

    def _given_scores(self, X: Any) -> Array:
        """Scores handed back by the user, in the order of the components."""
        return given_scores(X, [str(name) for name in self.get_feature_names_out()])

    def _rows_of_scores(self, scores: Array, axes: Array, scale: Array | float = 1.0) -> Array:
        """Rows of the design: their mean, and along each axis as far as the scores say, in units of its `scale`."""
        with np.errstate(over="ignore", invalid="ignore"):
            rows: Array = (scores * scale) @ axes + self.mean_
        if np.isfinite(scores).all() and not np.isfinite(rows).all():
            raise InputError(
                "The scores are so large that their rows are beyond all numbers. Expected scores like those of the "
                "fitted rows."
            )
        return rows

    def in_fitted_columns(self, encoded: Array, X: Any) -> Any:
        """Rows of the design in the user's units: an array, or a table of the columns `get_design_names` lists, or a
        frame if `X` is one."""
        found = rows_in_units(self._design, encoded, X)
        return found if isinstance(found, np.ndarray) else self._framed(found, X)

    # Names

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the scores: pca0, pca1, … and the like."""
        super().get_feature_names_out(input_features)
        return np.array([f"{self._prefix}{c}" for c in range(self._n_scores)], dtype=object)

    @property
    def _n_scores(self) -> int:
        return len(self.components_)

    def get_design_names(self) -> tuple[str, ...]:
        """Names of the columns of `components_`: `age`, `town=Bern`, …"""
        self._fitted_schema()
        return self._design.names

    def component(self, c: int = 0, most: int = 5) -> str:
        """A component as a sum of the user's columns, the largest loadings first: `0.86·petal_length + …`"""
        self._fitted_schema()
        loadings = self.components_[self._place(c)]
        sizes = np.abs(loadings) / max(float(np.abs(loadings).max(initial=0.0)), 1.0)
        order = [j for j in np.argsort(-sizes.round(9), kind="stable") if abs(loadings[j]) > 5e-4]
        text = ""
        for j in order[:most]:
            size = number(float(f"{abs(loadings[j]):.2g}"))
            sign = (" − " if text else "−") if loadings[j] < 0 else " + " if text else ""
            text += f"{sign}{size}·{printable(self._design.names[j])}"
        return (text or "0") + (f" + {len(order) - most} more" if len(order) > most else "")

    def _place(self, c: int) -> int:
        if not 0 <= c < self._n_scores:
            raise InputError(f"There is no component {c}. There are {self._n_scores}, counted from 0.")
        return c

    # Explaining

    def explain(self, X: Any, component: int = 0) -> Explanations:
        """What each column adds to the score of each row along one component."""
        still = self._still()
        still._fitted_schema()
        c, table = still._place(component), still._matched(X)
        check_finite(table)
        return explained_sums(
            table, still._design, still.mean_, still._weights()[:, c], str(still.get_feature_names_out()[c])
        ).like(X)

    # Saving

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        p = self._design.n_columns
        if self._design.schema != self._schema:
            raise SavedModelError("The design is not that of the columns.")
        if self.components_.ndim != 2 or self.components_.shape[1] != p or self.mean_.shape != (p,):
            raise SavedModelError("The components do not fit the columns.")
        self._check_numbers("components_", "mean_")

    def _check_numbers(self, *names: str) -> None:
        for name in names:
            values = getattr(self, name)
            if values.dtype != np.float64 or not np.isfinite(values).all():
                raise SavedModelError(f"{name} holds what are not finite numbers.")


def given_scores(X: Any, names: list[str]) -> Array:
    """Scores handed back by a user, in the order of their names."""
    table = X if isinstance(X, Table) else Table(X)
    if table.schema.named and set(names) <= set(table.names):
        table = table.select(names)
    if table.n_columns != len(names) or not table.schema.all_numeric:
        raise InputError(f"X has {table.n_columns} columns. Expected the {len(names)} scores of each row.")
    scores = np.array(table, dtype=np.float64)
    if not np.isfinite(scores).all():
        row, column = (int(v[0]) for v in np.nonzero(~np.isfinite(scores)))
        raise InputError(f"Score {names[column]!r} of row {row} is missing or infinite. Expected numbers.")
    return scores


def rows_in_units(design: Design, encoded: Array, X: Any) -> Array | Table:
    """Rows of a design in the user's units: an array where rows were arrays and `X` is one, else a table."""
    with np.errstate(over="ignore"):  # of scores that no row has
        encoded = encoded / design.scale[design.owner] + design.center[design.owner]
    plain = not design.schema.named and design.schema.all_numeric
    if plain and container_of(X) == "default":
        return encoded
    return Table.of_matrix(encoded, design.names, named=not plain)


def explained_sums(table: Table, design: Design, mean: Array, weights: Array, name: str) -> Explanations:
    """What each column of the table adds to Σ_j (x_j − mean_j) weights_j, a sum over the columns of the design."""

    def explain_row(i: int) -> Explanation:
        row = table.rows(i, i + 1)
        x = design.encode(row)
        cells = np.asarray(x if isinstance(x, np.ndarray) else x.todense(), dtype=np.float64)
        parts = design.fold((cells - mean) * weights)[0]
        total = float(parts.sum())
        return Explanation(total, "sum", 0.0, "", _evidence(row, parts), total, name)

    return Explanations(table.n_rows, explain_row)


def _evidence(row: Table, parts: Array) -> tuple[Evidence, ...]:
    """What each column adds; of a sparse row each stored cell, and all others together."""
    if row.sparse is None:
        return tuple(Evidence(c.name, c.labels()[0], float(v)) for c, v in zip(row.columns, parts, strict=True))
    places, names = row.sparse.indices.tolist(), row.names
    stored = [Evidence(names[j], float(v), float(parts[j])) for j, v in zip(places, row.sparse.data, strict=True)]
    rest = float(np.delete(parts, places).sum())
    return (*stored, *([Evidence("all other columns", 0.0, rest)] if len(places) < len(names) else []))

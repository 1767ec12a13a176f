"""Rows through a code of few numbers, and back."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Column, Table
from learnt.engine.encoded_rows import ENCODED_ROWS
from learnt.engine.training import prepare
from learnt.errors import InputError, SavedModelError
from learnt.explain import Evidence, Explanation, Explanations
from learnt.learner.base import Transformer
from learnt.learner.text.counting import TextUse
from learnt.neural.autoencoder.errors import cell_errors, column_parts
from learnt.neural.autoencoder.fitting import LearnsReconstruction
from learnt.neural.net import NetRows
from learnt.reduce import given_scores
from learnt.show.numbers import number, percent
from learnt.show.text_table import aligned
from learnt.show.words import printable


class Autoencoder(LearnsReconstruction, Transformer):
    """A net that gives back its own row through a code of few numbers: dimensionality reduction that may bend.

        code = encoder(z),   f = decoder(code),   error = mean over the cells that are there,   z the scaled row
        of a number ½(f − z)²,   of a category −log softmax(f)

    >>> x = np.linspace(-1, 1, 40)
    >>> model = Autoencoder(1, encoder_sizes=(), tied_weights=True, solver="lbfgs")
    >>> model = model.fit({"x": x, "twice": 2 * x, "less": 1 - x})
    >>> table = model.inverse_transform(model.transform({"x": [0.5], "twice": [1.0], "less": [0.5]}))
    >>> [round(float(table[name].values[0]), 2) for name in table.names]
    [0.5, 1.0, 0.5]
    >>> model.explain({"x": [0.5], "twice": [-1.0], "less": [0.5]})[0].by_size()[0].column
    'twice'

    Any table goes in, and the same comes back: numbers in their units, categories by their names. Missing cells count
    neither as errors nor as anything to learn. Rows that are given back badly are unlike those fitted:
    `score_samples` is the error, negated, and `explain` shares it among the columns. Without hidden layers and with
    `standardize=True` the code spans the same space as that of `PCA`.

    {settings}

    Attributes: `coefs_`, `intercepts_`; `reconstruction_error_`, the mean of the rows fitted; `column_errors_`,
    `average_errors_`, the mean of each column, and that of giving back the average row; `loss_curve_`,
    `validation_curve_`, epoch by epoch; `n_iter_`, `best_iter_`, `converged_`.

    Reference: G. Hinton, R. Salakhutdinov, Reducing the dimensionality of data with neural networks, 2006; P. Vincent
    et al., Extracting and composing robust features with denoising autoencoders, 2008.
    """

    abilities = frozenset({"missing", "nominal", "weights", "sparse"})
    fit_cost = 200.0
    simplicity = 90.0
    readable = True
    takes_text: ClassVar[TextUse] = "left out"

    # Using

    def _transform(self, table: Table) -> Table:
        names = [str(name) for name in self.get_feature_names_out()]
        codes = self._by_parts(table, lambda part: self._net.codes(self._cells, self._rows(part)))
        self._check_reach(codes)
        return Table.of_matrix(codes, names, named=self._schema.named or not self._schema.all_numeric)

    def inverse_transform(self, X: Any) -> Any:
        """Rows from their codes, in the columns of the fitted table: numbers in their units, of categories the most
        probable one."""
        still = self._still()
        still._fitted_schema()
        codes = given_scores(X, [str(name) for name in still.get_feature_names_out()])
        return still._given_back(still._net.decoded(codes), X)

    def reconstruct(self, X: Any) -> Any:
        """The rows of `X` as they come back from their codes; missing cells are filled."""
        still = self._still()
        return still._given_back(still._scores(still._matched(X)), X)

    def _given_back(self, f: Array, X: Any) -> Any:
        self._check_reach(f)
        table = self._cells.decode(f)
        for column in table.columns:
            if column.kind == "numeric":
                self._check_reach(np.where(column.missing, 0.0, column.values)[:, None])
        return self._in_container(table, X)

    def _check_reach(self, values: Array) -> None:
        if not np.isfinite(values).all():
            row = int((~np.isfinite(values)).any(axis=1).argmax())
            raise InputError(
                f"Row {row} lies so far from the rows fitted that what the net makes of it is beyond all numbers. "
                "Expected rows and codes like those fitted, or standardize='robust', which pulls rows in."
            )

    def score_samples(self, X: Any) -> Array:
        """The error of each row, negated: the lower, the less it is like the rows fitted. A row of missing cells has
        none, 0."""
        still = self._still()
        errors: Array = still._over(X, still._errors)
        return -errors

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The mean of `score_samples`: 0 at best."""
        still = self._still()
        total = weight = 0.0
        for batch in prepare(X, None, sample_weight, None, type(self).__name__).batches():
            errors = still._errors(still._matched(batch.table))
            total += float(errors.sum() if batch.weights is None else errors @ batch.weights)
            weight += float(batch.n_rows if batch.weights is None else batch.weights.sum())
        return -total / weight

    def _rows(self, table: Table) -> NetRows:
        return NetRows(self._cells.encode(table), np.zeros((table.n_rows, 0), np.int32))

    def _scores(self, table: Table) -> Array:
        return self._by_parts(table, lambda part: self._net.scores(self._cells, self._rows(part)))

    def _errors(self, table: Table) -> Array:
        return self._by_parts(table, lambda part: self._parts(part).sum(axis=1))

    def _parts(self, table: Table) -> Array:
        rows = self._rows(table)
        return column_parts(self._cells, rows.x, self._net.scores(self._cells, rows))

    def _by_parts(self, table: Table, hook: Any) -> Array:
        """What `hook` gives for some rows at a time, joined."""
        if table.n_rows <= ENCODED_ROWS:
            found: Array = hook(table)
            return found
        starts = range(0, table.n_rows, ENCODED_ROWS)
        return np.concatenate([hook(table.rows(start, min(start + ENCODED_ROWS, table.n_rows))) for start in starts])

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the numbers of the code: autoencoder0, autoencoder1, …"""
        super().get_feature_names_out(input_features)
        return np.array([f"autoencoder{c}" for c in range(self._net.units[self._net.code])], dtype=object)

    # Explaining

    def _explain(self, table: Table) -> Explanations:
        """What each column adds to the error of a row."""
        return Explanations(table.n_rows, lambda i: self._explain_row(table.rows(i, i + 1)))

    def _explain_row(self, row: Table) -> Explanation:
        rows = self._rows(row)
        f = self._net.scores(self._cells, rows)
        errors, parts = cell_errors(self._cells, rows.x, f)[0][0], column_parts(self._cells, rows.x, f)[0]
        back = self._cells.decode(f).columns
        evidence = tuple(
            Evidence(column.name, column.labels()[0], float(part), self._words(j, column, back[j], float(errors[j])))
            for j, (column, part) in enumerate(zip(row.columns, parts, strict=True))
        )
        total = float(parts.sum())
        return Explanation(total, "sum", 0.0, "", evidence, total, "reconstruction error")

    def _words(self, j: int, column: Column, back: Column, error: float) -> str:
        """What the net gives back for a cell."""
        cell, given = column.labels()[0], back.labels()[0]
        if cell is None:
            return "missing"
        if not self._cells.varies[j]:
            return "did not vary"
        if column.kind in ("nominal", "boolean"):
            other = "" if cell == given else f"; more probable: {printable(str(given))}"
            return f"probability {percent(float(np.exp(-error)), 0)}{other}"
        return f"given back as {number(given) if isinstance(given, float) else printable(str(given))}"

    # Showing

    @property
    def coefs_(self) -> list[Array]:
        """The weights of each layer, inputs × outputs; of scaled inputs."""
        self._fitted_schema()
        return [weights for weights, _ in self._net.layer_views()]

    @property
    def intercepts_(self) -> list[Array]:
        """The biases of each layer."""
        self._fitted_schema()
        return [biases for _, biases in self._net.layer_views()]

    def __str__(self) -> str:
        if not self.__sklearn_is_fitted__():
            return repr(self)
        rows = [["column", "error", "of the average", "kept"]]
        told = zip(self._schema.names, self.column_errors_.tolist(), self.average_errors_.tolist(), strict=True)
        shown = list(told)[:20]
        for name, error, average in shown:
            kept = percent(1 - error / average, 0) if average > 0 else ""
            rows.append([printable(name), *("" if np.isnan(v) else number(v) for v in (error, average)), kept])
        more = len(self._schema) - len(shown)
        return aligned(rows, left=(0,)) + (f"\n… and {more} more" if more else "")

    def plot_losses(self, ax: Any = None) -> Any:
        """Draw the mean error epoch by epoch, of rows learnt from and of rows held out; returns the matplotlib axes."""
        from learnt.plot.neural import plot_losses

        self._fitted_schema()
        return plot_losses(self.loss_curve_, self.validation_curve_, self.best_iter_, ax)

    def plot(self, X: Any, color: Any = None, ax: Any = None) -> Any:
        """Draw the rows of `X` by the first two numbers of their codes; returns the matplotlib axes.

        `color` gives one number or label per row.
        """
        from learnt.plot.reduction import plot_scores

        still = self._still()
        still._fitted_schema()
        names = [str(name) for name in still.get_feature_names_out()]
        if len(names) < 2:
            raise InputError("The code is one number, and a plane shows two. Set n_components=2 or more.")
        codes = still._transform(still._matched(X)).matrix
        assert codes is not None
        return plot_scores(codes[:, :2], names[:2], ax, color)

    # Saving

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        net, cells, p = self._net, self._cells, len(self._schema)
        sorts = cells.sorts
        if cells.schema != self._schema or net.dense != cells.n_dense:
            raise SavedModelError("The net does not fit the columns.")
        if (net.numbers, net.pairs, net.groups) != (len(sorts.numbers), len(sorts.pairs), cells.group_widths):
            raise SavedModelError("The net does not give back the columns.")
        if self.column_errors_.shape != (p,) or self.average_errors_.shape != (p,):
            raise SavedModelError("There is not one error per column.")

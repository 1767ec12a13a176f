"""What an encoder does with a category that was not there when it was fitted."""

from __future__ import annotations

from typing import Any, ClassVar

from learnt.data.files.scan import Scan
from learnt.data.table import Table
from learnt.errors import InputError
from learnt.learner.base import Transformer
from learnt.learner.matching import unseen_cells
from learnt.learner.text.counting import TextUse
from learnt.show.words import spell


class Encoder(Transformer, abstract=True):
    """A transformer of categories with a setting `handle_unknown`: "ignore" takes new ones for missing cells, or it is
    "error"."""

    takes_text: ClassVar[TextUse] = "left out"  # a category for each text would tell nothing of any other row
    handle_unknown = "ignore"

    def transform(self, X: Any) -> Any:
        if isinstance(X, Scan) and self.handle_unknown == "error":
            raise InputError(
                f"A {type(self).__name__} with handle_unknown='error' was given a scan. Its batches are read in the "
                "fitted categories, so that others cannot be told from missing cells. Transform batches that you read, "
                "or set handle_unknown='ignore'."
            )
        return super().transform(X)

    def _matched(self, X: Any) -> Table:
        if self.handle_unknown != "error":
            return super()._matched(X)
        given = X if isinstance(X, Table) else Table(X)
        same = super()._matched(given)
        for j, column, rows in unseen_cells(given, same):
            raise InputError(
                f"Column {column.name!r} has {spell(column.labels()[rows[0]])} in row {rows[0]}, a category that was "
                f"not there when the {type(self).__name__} was fitted; {len(rows)} cell(s) are of that kind. "
                f"Expected one of {list(self._schema.columns[j].categories)[:6]}. Fit on all categories, or set "
                "handle_unknown='ignore'."
            )
        return same

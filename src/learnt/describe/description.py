"""The answer of `learnt.describe`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any

import numpy as np

from learnt.data.notes import Note
from learnt.describe.notices import Notice
from learnt.describe.pairs import Correlations, Relation
from learnt.describe.summaries import NumericSummary, Summary
from learnt.describe.suspects import Suspect


@dataclass(frozen=True, eq=False, repr=False)
class Description(Mapping[str, Summary]):
    """Summaries by column name: `d["age"].mean`. Prints as text, shows as HTML in a notebook.

    | field | meaning |
    |---|---|
    | `summaries` | one per column |
    | `n_rows`, `weight` | rows described, and the sum of their weights (equal where none were given) |
    | `target` | the name of the target column, or None |
    | `level` | probability of the confidence limits |
    | `correlations` | Pearson's r among numeric columns, or None |
    | `relations` | how strongly each column goes with the target, strongest first |
    | `notices` | what deserves a second look |
    | `notes` | what a reader of files did to the columns, and how to undo it |
    | `suspects` | columns that know the target too well to be true, if there is a target |
    | `sampled` | of a scan, the number of rows behind what is approximate; None when all is exact |
    """

    summaries: dict[str, Summary]
    n_rows: int
    weight: float
    target: str | None
    level: float
    correlations: Correlations | None
    relations: tuple[Relation, ...]
    notices: tuple[Notice, ...]
    sampled: int | None = None
    suspects: tuple[Suspect, ...] = ()
    notes: tuple[Note, ...] = ()

    def __getitem__(self, name: str) -> Summary:
        if name not in self.summaries:
            from learnt.data.table import unknown_column

            raise KeyError(unknown_column(name, tuple(self.summaries)))
        return self.summaries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.summaries)

    def __len__(self) -> int:
        return len(self.summaries)

    @property
    def second_looks(self) -> tuple[Notice, ...]:
        """All that deserves one, suspects first."""
        known = "Is it known before the target is?"
        return (*(Notice("suspect", s.column, f"{s.words} {known}") for s in self.suspects), *self.notices)

    def to_text(self, width: int = 100) -> str:
        """The description as plain text in lines of at most `width` characters."""
        from learnt.describe.text import description_text

        return description_text(self, width)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return self.to_text()

    def to_html(self, title: str = "Description") -> str:
        """A complete HTML page that needs no other file."""
        from learnt.describe.html import description_page

        return description_page(self, title)

    def _repr_html_(self) -> str:
        from learnt.describe.html import description_html

        return description_html(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything as dicts, lists, numbers and text, as JSON has them; None for what is not defined."""
        columns = {}
        for name, s in self.summaries.items():
            facts = {
                key: value for key, value in asdict(s).items() if key not in ("name", "tally", "categories", "form")
            }
            facts |= {key: getattr(s, key) for key in ("count", "missing_share", "constant", "distinct")}
            facts["kind"] = s.kind_name
            if isinstance(s, NumericSummary):
                facts["sd"] = s.sd
            else:
                facts["counts"] = [[label, count] for label, count in s.counts.items()]
            columns[name] = facts
        whole: dict[str, Any] = _plain(
            {
                "rows": self.n_rows,
                "weight": self.weight,
                "target": self.target,
                "level": self.level,
                "columns": columns,
                "correlations": self.correlations and asdict(self.correlations),
                "relations": self.relations,
                "notices": self.notices,
                "suspects": self.suspects,
                "sampled": self.sampled,
                "notes": self.notes,
            }
        )
        return whole


def _plain(value: Any) -> Any:
    """The same in JSON's types; a label JSON has no type for becomes its text."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (str, int, bool)) else str(value)

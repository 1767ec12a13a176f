"""Two tables of the same columns, an older and a newer one: what moved, and does it matter?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from learnt.data.column import as_kind
from learnt.data.table import Column, Table, unknown_column
from learnt.drift.columns import ColumnDrift, compare_columns
from learnt.drift.predictions import PredictionDrift, compare_predictions
from learnt.drift.telling_apart import ToldApart, tell_apart
from learnt.drift.texts import compare_texts, is_text
from learnt.errors import InputError, ParameterError
from learnt.evaluate.significance.correction import adjust
from learnt.show.numbers import number, percent
from learnt.show.text_table import aligned
from learnt.show.words import count_of, label, list_of, short_name

#: A column that moved by less than this share is called moved only beside its number: with many rows everything is
#: significant.
LITTLE = 0.05


@dataclass(frozen=True, eq=False)
class TableDrift:
    """What differs between two tables. `print(it)` says it, `plot()` draws it.

    | field | meaning |
    |---|---|
    | `columns` | a `ColumnDrift` for each column of both, those that moved farthest first |
    | `moved` | the names of those whose corrected p-value is below `alpha` |
    | `told_apart` | how well a model tells new rows from old ones (`ToldApart`), or None with few rows |
    | `predictions` | what happens to a model's answers (`PredictionDrift`), where a model was given |
    | `gone`, `added`, `changed` | columns that only the old table has, only the new one, or both in other kinds |
    """

    columns: tuple[ColumnDrift, ...]
    n_rows: tuple[int, int]
    alpha: float
    told_apart: ToldApart | None = None
    predictions: PredictionDrift | None = None
    gone: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    @property
    def moved(self) -> list[str]:
        return [column.name for column in self.columns if column.adjusted < self.alpha]

    def __bool__(self) -> bool:
        """Whether anything moved."""
        apart = self.told_apart is not None and self.told_apart.p_value < self.alpha
        return bool(self.moved or self.gone or self.changed or apart)

    def to_dict(self) -> dict[str, Any]:
        """All of it in types of JSON."""
        told, found = self.told_apart, self.predictions
        return {
            "rows": {"old": self.n_rows[0], "new": self.n_rows[1]},
            "alpha": self.alpha,
            "drift": bool(self),
            "columns": [{**asdict(c), "moved": c.adjusted < self.alpha} for c in self.columns],
            "gone": list(self.gone),
            "added": list(self.added),
            "changed": list(self.changed),
            "told_apart": None
            if told is None
            else {
                "auc": told.auc.estimate,
                "interval": [told.auc.low, told.auc.high],
                "p_value": told.p_value,
                "columns": dict(told.columns),
            },
            "predictions": None
            if found is None
            else {
                **asdict(found.answers),
                "shares": [{"class": str(c), "old": a, "new": b} for c, a, b in found.shares],
                "scores": {then.metric.name: {"old": then.score, "new": now.score} for then, now in found.scores},
                "worse": found.is_worse,
            },
        }

    def sentences(self) -> list[str]:
        """What a reader should know first."""
        old, new = self.n_rows
        every, moved = len(self.columns), [c for c in self.columns if c.adjusted < self.alpha]
        if moved:
            far = [c for c in moved if c.distance >= LITTLE]
            names = list_of([label(c.name) for c in moved], most=6)
            said = [f"{len(moved)} of {count_of(every, 'column')} moved: {names}."]
            if not far:
                said.append(f"Each by less than {percent(LITTLE, 0)}: shown, because rows are many, but small.")
        else:
            which = "The column is not" if every == 1 else f"None of {every:,} columns is"
            said = [f"{which} shown to have moved."] if every else []
        for words, names_ in (
            ("are not in the new table", self.gone),
            ("are new", self.added),
            ("have another kind now", self.changed),
        ):
            if names_:
                shown = list_of([label(name) for name in names_], most=6)
                said.append(
                    f"{shown} {words if len(names_) > 1 else words.replace('are', 'is').replace('have', 'has')}."
                )
        for column in [c for c in self.columns if c.unseen][:3]:
            shown = list_of([label(short_name(text, 30)) for text in column.unseen], most=4)
            what = "words" if column.kind == "text" else "labels"
            said.append(f"{label(column.name)} has {what} that were not there before: {shown}.")
        if self.told_apart is not None:
            said.append(str(self.told_apart))
            alone = self.told_apart.alone
            if alone is not None and len(self.columns) > 1:
                said.append(f"Leave {label(alone)} out to see whether the others tell them apart, too.")
        if self.predictions is not None:
            said += self.predictions.lines()
        return [f"{count_of(old, 'row')} then, {new:,} now.", *said]

    def rows(self) -> list[tuple[str, ...]]:
        """The table of columns, as texts."""
        return [
            (
                ("● " if c.adjusted < self.alpha else "  ") + short_name(c.name, 40),
                percent(c.distance, 0),
                number(c.adjusted) if c.adjusted >= 1e-4 else "<0.0001",
                c.then,
                c.now,
                _missing_words(c),
            )
            for c in self.columns
        ]

    TITLES = ("  column", "moved by", "p", "then", "now", "missing")

    def __str__(self) -> str:
        table = aligned([self.TITLES, *self.rows()], left=(0, 3, 4, 5))
        note = "● moved. p: of Kolmogorov–Smirnov and χ² tests, corrected for the number of columns (Holm)."
        return "\n".join([*self.sentences(), "", table, note])

    def plot(self, ax: Any = None) -> Any:
        """Draw how far each column moved."""
        from learnt.plot.drift import plot_columns

        return plot_columns(self, ax)


def _missing_words(column: ColumnDrift) -> str:
    then, now = column.missing
    return "" if not then and not now else f"{percent(then, 0)} → {percent(now, 0)}"


def find_drift(
    old: Any,
    new: Any,
    *,
    model: Any = None,
    target: str | None = None,
    drop: str | Sequence[str] = (),
    alpha: float = 0.05,
    random_state: int = 0,
) -> TableDrift:
    """What moved between an older table and a newer one, and what that does to a model.

    >>> old = {"age": [20, 30, 40, 50, 60] * 20, "town": ["Bern", "Basel"] * 50}
    >>> new = {"age": [50, 60, 70, 80, 90] * 20, "town": ["Bern", "Basel"] * 50}
    >>> found = find_drift(old, new)
    >>> found.moved
    ['age']
    >>> print(found.sentences()[1])
    1 of 2 columns moved: 'age'.

    | argument | meaning |
    |---|---|
    | `old`, `new` | tables, frames or arrays |
    | `model` | a fitted learner: its answers to both are compared |
    | `target` | the column it predicts: its scores on both are compared where it is there |
    | `drop` | columns to leave out |
    | `alpha` | how often a column may be called moved by chance, all columns taken together |
    """
    if not (isinstance(alpha, float | int) and 0 < alpha < 1):
        raise ParameterError(f"alpha is {alpha}. Expected a number between 0 and 1.")
    old, new = Table(old), Table(new)
    if not old.n_rows or not new.n_rows:
        raise InputError("The old table has no rows." if not old.n_rows else "The new table has no rows.")
    drop = (drop,) if isinstance(drop, str) else tuple(drop)
    every = list(dict.fromkeys([*old.names, *new.names]))
    for role, names in (("drop", drop), ("target", () if target is None else (target,))):
        for name in names:
            if name not in every:
                raise InputError(f"{role}={name!r} names a column. {unknown_column(name, every)}")
    kept = [name for name in old.names if name not in drop]
    common = [name for name in kept if name in new]
    if not common:
        raise InputError("The two tables have no column in common.")
    old, new = _as_each_other(old, new, common)
    changed = [name for name in common if (old[name].kind == "numeric") != (new[name].kind == "numeric")]
    compared = [name for name in common if name not in changed]
    found = [_compare(old[name], new[name]) for name in compared]
    adjusted = adjust([column.p_value for column in found]) if found else []
    columns = [replace(column, adjusted=float(p)) for column, p in zip(found, adjusted, strict=True)]
    columns.sort(key=lambda column: -column.distance)
    asked = [name for name in compared if name != target]
    return TableDrift(
        tuple(columns),
        (old.n_rows, new.n_rows),
        float(alpha),
        tell_apart(old.select(asked), new.select(asked), random_state=random_state) if asked else None,
        None if model is None else compare_predictions(model, old, new, target),
        gone=tuple(name for name in kept if name not in new),
        added=tuple(name for name in new.names if name not in old and name not in drop),
        changed=tuple(changed),
    )


def _as_each_other(old: Table, new: Table, names: Sequence[str]) -> tuple[Table, Table]:
    """A column without a cell in one of them is of the kind that it has in the other."""
    made = []
    for table, other in ((old, new), (new, old)):
        empty = [name for name in names if table[name].missing.all() and table[name].kind != other[name].kind]
        columns = [as_kind(c, other[c.name].schema) if c.name in empty else c for c in table.columns]
        made.append(Table.of_columns(columns, n_rows=table.n_rows, named=table.schema.named) if empty else table)
    return made[0], made[1]


def _compare(old: Column, new: Column) -> ColumnDrift:
    return compare_texts(old, new) if is_text(old) or is_text(new) else compare_columns(old, new)

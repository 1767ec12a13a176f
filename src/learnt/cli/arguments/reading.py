"""How a file is to be read: the same flags on every command that reads a table, and what a model keeps of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any

import typer

from learnt.cli.arguments.completing import date_orders, kind_pairs, ordinal_columns, sheet_names
from learnt.data.files.text.dialect import Options
from learnt.data.notes import Note
from learnt.data.schema import KINDS, Schema
from learnt.errors import ParameterError
from learnt.show.words import spell

KIND_NAMES = (*KINDS, "date", "text")
DATE_ORDERS = ("day", "month")
_SIGNS = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";"}
_SETTLED = ("missing_in", "date_orders")
_KEPT = ("kinds", "ordinal", "missing", "date_order", *_SETTLED)  # what new rows must be read by as well
MOST_WORDS = 100  # of a column, that a model keeps


@dataclass(frozen=True)
class Reading:
    """What was said about a file. Each field is a setting of `learnt.read`, at its default where nothing was said."""

    kinds: Mapping[str, Any] = field(default_factory=dict)
    ordinal: Mapping[str, list[str]] = field(default_factory=dict)
    missing: tuple[str, ...] | None = None
    date_order: str | None = None
    sheet: str | None = None
    skip_bad: int = 0
    header: bool | None = None
    footer: bool | None = None
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    # What was settled when a model learnt, by column: texts that were no numbers, what stands first in dates.
    missing_in: Mapping[str, list[str]] = field(default_factory=dict)
    date_orders: Mapping[str, str] = field(default_factory=dict)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of `read` and `scan` that were given."""
        return {name: value for name, value in self._given.items() if name not in _SETTLED}

    @property
    def _given(self) -> dict[str, Any]:
        every = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: value for name, value in every.items() if value or value is False or value == ()}

    @property
    def of_the_file(self) -> dict[str, Any]:
        """Those that say how a file is written, not what its columns are."""
        return {name: value for name, value in self.settings.items() if name not in ("kinds", "ordinal")}

    @property
    def options(self) -> Options:
        """For readers of text, with what was settled when the model learnt."""
        return Options(**{name: value for name, value in self._given.items() if name not in ("kinds", "ordinal")})

    def settled_by(self, notes: Iterable[Note]) -> Reading:
        """With what reading a table settled, which new rows are held to."""
        notes = tuple(notes)
        words = {note.column: list(note.missing[:MOST_WORDS]) for note in notes if note.column and note.missing}
        orders = {note.column: note.date_order for note in notes if note.column and note.date_order}
        return replace(self, missing_in=words, date_orders=orders)

    def to_dict(self) -> dict[str, Any]:
        """What new rows must be read by as well, in types of JSON."""
        kept = {name: value for name, value in self._given.items() if name in _KEPT}
        return {name: list(value) if isinstance(value, tuple) else _plain(value) for name, value in kept.items()}

    @classmethod
    def from_dict(cls, facts: Any) -> Reading:
        """What a model's file says, as far as it makes sense: the file may come from anyone."""
        facts = facts if isinstance(facts, dict) else {}
        missing, order = facts.get("missing"), facts.get("date_order")
        return cls(
            {n: kind for n, kind in _pairs(facts.get("kinds")) if kind in KIND_NAMES},
            {n: labels for n, labels in _pairs(facts.get("ordinal")) if isinstance(labels, list)},
            tuple(missing) if isinstance(missing, list) and _are_texts(missing) else None,
            order if order in DATE_ORDERS else None,
            missing_in={n: words for n, words in _pairs(facts.get("missing_in")) if _are_texts(words)},
            date_orders={n: order for n, order in _pairs(facts.get("date_orders")) if order in DATE_ORDERS},
        )

    def over(self, other: Reading) -> Reading:
        """This one, and what `other` says where this one says nothing."""
        joined = {**other._given, **self._given}
        if self.date_order is not None:
            joined["date_orders"] = {}
        joined["kinds"] = {**{n: k for n, k in other.kinds.items() if n not in self.ordinal}, **self.kinds}
        joined["ordinal"] = {**{n: k for n, k in other.ordinal.items() if n not in self.kinds}, **self.ordinal}
        return Reading(**joined)

    def about(self, names: Collection[str]) -> Reading:
        """Without what is said of columns that are not there."""
        return replace(
            self,
            kinds={name: kind for name, kind in self.kinds.items() if name in names},
            ordinal={name: labels for name, labels in self.ordinal.items() if name in names},
        )


AS_FOUND = Reading()  # nothing was said


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _pairs(value: Any) -> list[tuple[str, Any]]:
    return list(value.items()) if isinstance(value, dict) else []


def reads_tables(command: Callable[..., None]) -> Callable[..., None]:
    """The command with these flags in the place of its parameter `reading`, which is given them as one."""
    own, flags = signature(command, eval_str=True), signature(reading_of, eval_str=True).parameters
    spliced: list[Parameter] = []
    for name, parameter in own.parameters.items():
        spliced += [p.replace(kind=parameter.kind) for p in flags.values()] if name == "reading" else [parameter]

    @wraps(command)
    def run(**given: Any) -> None:
        said = reading_of(**{name: given.pop(name) for name in flags})
        command(**given, reading=said)

    run.__signature__ = own.replace(parameters=spliced)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in spliced}
    return run


def reading_of(
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            "--kinds",
            metavar="COLUMN=KIND",
            help=f"What a column is: {', '.join(KIND_NAMES)}; e.g. zip=nominal. May be given several times.",
            autocompletion=kind_pairs,
        ),
    ] = None,
    ordinal: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=LABELS",
            help="Ordered labels of a column, lowest first, e.g. size=S,M,L.",
            autocompletion=ordinal_columns,
        ),
    ] = None,
    missing: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="A cell that means missing, instead of the usual NA, ?, …; may be given several times, '' for none.",
        ),
    ] = None,
    date_order: Annotated[
        str | None,
        typer.Option(
            metavar="day|month",
            help="What stands first in dates such as 3/4/2024; found from the whole column unless given.",
            autocompletion=date_orders,
        ),
    ] = None,
    sheet: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The sheet of a workbook, the table of a database.", autocompletion=sheet_names
        ),
    ] = None,
    skip_bad: Annotated[
        int, typer.Option(min=0, metavar="N", help="Leave out up to N lines that do not fit; they are counted.")
    ] = 0,
    header: Annotated[
        bool | None,
        typer.Option("--header/--no-header", help="Whether the first line names the columns; found unless given."),
    ] = None,
    footer: Annotated[
        bool | None,
        typer.Option(
            "--footer/--no-footer", help="Whether totals and remarks stand below the table; found unless given."
        ),
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(metavar="SIGN", help="What parts the cells of a line, e.g. ';' or tab.")
    ] = None,
    decimal: Annotated[str | None, typer.Option(metavar="SIGN", help="The decimal sign of numbers, . or ,.")] = None,
    encoding: Annotated[str | None, typer.Option(metavar="NAME", help="How text is written, e.g. latin-1.")] = None,
) -> Reading:
    """What was typed, checked. Anything left out is found from the file."""
    if date_order is not None and date_order not in DATE_ORDERS:
        raise ParameterError(f"--date-order is {spell(date_order)}. Expected day or month.")
    if decimal is not None and decimal not in (".", ","):
        raise ParameterError(f"--decimal is {spell(decimal)}. Expected . or a comma.")
    sign = None if delimiter is None else _SIGNS.get(delimiter, delimiter)
    if sign is not None and len(sign) != 1:
        raise ParameterError(f"--delimiter is {spell(delimiter)}. Expected one sign, such as ; or tab.")
    return Reading(
        _kinds_of(kind),
        {column: labels.split(",") for column, labels in map(_pair, ordinal or [])},
        None if missing is None else tuple(text for text in missing if text),
        date_order,
        sheet,
        skip_bad,
        header,
        footer,
        sign,
        decimal,
        encoding,
    )


def check_kinds(schema: Schema, reading: Reading) -> None:
    """A model has settled what its columns are: whoever says otherwise is told so, not passed over."""
    for name, kind in {**reading.kinds, **dict.fromkeys(reading.ordinal, "ordinal")}.items():
        if schema.place(name) is None:
            raise ParameterError(f"--kind {name}={kind} names a column that the model does not use. Leave it out.")
        known = schema.kinds[name]
        if kind not in (known, "text" if known == "nominal" else known):
            raise ParameterError(
                f"The model learnt from {name!r} as {known}, and --kind {name}={kind} was given. "
                "Leave it out, or train again with it."
            )


def _kinds_of(pairs: list[str] | None) -> dict[str, str]:
    """`zip=nominal`, given several times, as a dict."""
    found: dict[str, str] = {}
    for column, kind in map(_pair, pairs or []):
        if kind not in KIND_NAMES:
            names = ", ".join(KIND_NAMES)
            raise ParameterError(f"Column {column!r} is given the kind {kind!r}. The kinds are {names}.")
        found[column] = kind
    return found


def _pair(text: str) -> tuple[str, str]:
    """COLUMN=VALUE in two; column names may hold the sign, so the last one counts."""
    column, sign, value = text.rpartition("=")
    if not (sign and column and value):
        raise ParameterError(f"The option is {text!r}. Expected COLUMN=VALUE, such as zip=nominal.")
    return column, value

"""The first pass of a scan: the kinds and categories that all rows of all files agree on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import cast

from learnt.data.cells import ANYTHING, TEMPORAL, kind_of, reading
from learnt.data.convert import to_table
from learnt.data.files.columnar.forms import moment_forms
from learnt.data.files.deciding import decide_words
from learnt.data.files.first_rows import first_sentinels
from learnt.data.files.part import Part, Reading, Survey, known_readings
from learnt.data.files.words import merge_words
from learnt.data.form import TEXT, Form
from learnt.data.kinds import Decision
from learnt.data.long_texts import form_of_texts
from learnt.data.notes import Note
from learnt.data.raw import Words
from learnt.data.schema import BOOLEAN_CATEGORIES, KIND_NAMES, KINDS, ColumnSchema, Kind, Label, Schema
from learnt.data.table import Table, unknown_column
from learnt.data.workers import Workers, each
from learnt.errors import FileError, InputError, KindError, ParameterError
from learnt.show.words import spell


@dataclass(frozen=True)
class ScanSurvey:
    """The schema of all files together, how the columns of each file are read, and what was decided on the way.

    `said` are columns of text that the user says are numbers, with how all their texts are read.
    """

    schema: Schema
    readings: Sequence[Mapping[str, Reading]]
    notes: tuple[Note, ...] = ()
    said: Mapping[str, Decision] = field(default_factory=dict)


def survey(
    parts: Sequence[Part],
    kinds: Mapping[str, Kind],
    ordinal: Mapping[str, Sequence[Label]],
    batch_rows: int,
    workers: Workers | None = None,
) -> ScanSurvey:
    """Look at every file once; a second time only for labels of columns that turned out to be text late."""
    names = common_names(parts)
    _check_names(names, kinds, ordinal)
    known = known_readings(kinds, ordinal)
    surveys = surveyed(parts, known, workers)
    decisions = decide_words(parts, surveys, workers)
    how = {name: reading(_joined_candidates(name, parts, surveys)) for name in names}
    said = {
        name: _said_numbers(name, how[name], parts, surveys, batch_rows, workers)
        for name in names
        if kinds.get(name) == "numeric" and kind_of(how[name]) == "nominal"
    }
    decided = {**decisions, **said}
    schemas = {name: _without_labels(name, how[name], decided.get(name), kinds, ordinal) for name in names}
    readings: list[dict[str, Reading]] = [
        {name: decisions[name] if name in found.words else how[name] for name in names} for found in surveys
    ]
    moments = [name for name in names if how[name] in TEMPORAL and name not in decisions]
    forms = moment_forms(moments, parts, readings, batch_rows, workers)
    for name, form in forms.items():
        column = schemas[name]
        schemas[name] = None if column is None else replace(column, form=form)
    open_ones = [name for name, column in schemas.items() if column is None]
    labels = _labels(open_ones, readings, parts, surveys, kinds, batch_rows, workers)
    columns = [schemas[name] or labels[name] for name in names]
    notes = tuple(note for name in names if name in decisions for note in decisions[name].notes)
    notes = (*notes, *first_sentinels(decisions, parts, readings, batch_rows, workers))
    return ScanSurvey(Schema(tuple(columns)), readings, notes, said)


def surveyed(parts: Sequence[Part], known: Mapping[str, str], workers: Workers | None) -> list[Survey]:
    """A look at every file; the parts are told what there is to be known of them."""
    pairs = each(workers, partial(_surveyed_part, known), parts)
    for part, (looked_at, found) in zip(parts, pairs, strict=True):
        if looked_at is not part:  # by a worker, whose copy has learnt how the file is written
            vars(part).update(vars(looked_at))
        part.n_rows = found.n_rows if found.n_rows is not None else part.n_rows
    return [found for _, found in pairs]


def _surveyed_part(known: Mapping[str, str], part: Part) -> tuple[Part, Survey]:
    return part, part.survey(known)


def as_numbers(table: Table, said: Mapping[str, Decision]) -> Table:
    """A batch with those of its texts as numbers that the user says are some."""
    from learnt.data.kinds.said_numbers import are_texts, read_by, words_of

    texts = [column for column in table.columns if column.name in said and are_texts(column)]
    if not texts:
        return table
    made = {column.name: read_by(column, said[column.name], words_of(column)) for column in texts}
    return Table.of_columns([made.get(column.name, column) for column in table.columns], n_rows=table.n_rows)


def as_told(table: Table, kinds: Mapping[str, Kind], ordinal: Mapping[str, Sequence[Label]]) -> Table:
    """A batch with the user's word on those of its columns that it concerns."""
    kinds = {name: kind for name, kind in kinds.items() if name in table}
    ordinal = {name: labels for name, labels in ordinal.items() if name in table}
    return to_table(table, kinds=kinds, ordinal=ordinal) if kinds or ordinal else table


def common_names(parts: Sequence[Part]) -> tuple[str, ...]:
    """The columns of the first file, which all others must have too, in any order."""
    if all(part.may_lack for part in parts):
        return max((part.names for part in parts), key=len)
    first = parts[0]
    for part in parts[1:]:
        for here, there in ((part, first), (first, part)):
            absent = [name for name in there.names if name not in set(here.names)]
            if absent:
                raise FileError(
                    f"Column {spell(absent[0])} is missing. File {there.source.name!r} has it, and all files of a scan "
                    "have the same columns. Scan them apart, or make them alike.",
                    here.source.name,
                )
    return first.names


def _check_names(names: Sequence[str], kinds: Mapping[str, Kind], ordinal: Mapping[str, Sequence[Label]]) -> None:
    for name in (*kinds, *ordinal):
        if name not in names:
            raise InputError(unknown_column(name, names))
    for name, kind in kinds.items():
        if kind not in KIND_NAMES:
            raise ParameterError(f"kinds[{name!r}] is {kind!r}. Expected one of {', '.join(map(repr, KIND_NAMES))}.")


def _joined_candidates(name: str, parts: Sequence[Part], surveys: Sequence[Survey]) -> frozenset[str]:
    joined = ANYTHING
    for part, found in zip(parts, surveys, strict=True):
        before, joined = joined, joined & found.candidates.get(name, ANYTHING)
        if not joined:
            where = f"file {part.source.name!r}" if part.is_file else part.source.name
            raise KindError(
                f"Column {name!r} is {_spoken(found.candidates[name])} in {where}, but {_spoken(before)} in those "
                "before it. One kind was expected. Make them alike."
            )
    return joined


def _spoken(candidates: frozenset[str]) -> str:
    """What a column with these candidates is, in a word: dates are numbers to learners, and not to whoever reads."""
    how = reading(candidates)
    return "a date" if how in TEMPORAL else kind_of(how)


def _said_numbers(
    name: str,
    how: str,
    parts: Sequence[Part],
    surveys: Sequence[Survey],
    batch_rows: int,
    workers: Workers | None,
) -> Decision:
    """How the texts of a column are read that was declared numeric: all of all files by one decision."""
    from learnt.data.kinds.said_numbers import decision_of_said

    words = each(workers, partial(_words_of_part, name, how, batch_rows), parts)
    try:
        if None not in words:
            return decision_of_said(name, merge_words([found for found in words if found is not None]))
    except FileError:
        pass  # a text that is no number
    raise _first_text(name, parts, surveys).not_numeric(name)


def _words_of_part(name: str, how: str, batch_rows: int, part: Part) -> Words | None:
    """The texts of a column, each once; None if it has other cells."""
    from learnt.data.kinds.said_numbers import are_texts, words_of

    words = []
    for table in part.tables([name], {name: how}, batch_rows):
        if not are_texts(table[name]):
            return None
        words.append(words_of(table[name]))
    return merge_words(words)


def _first_text(name: str, parts: Sequence[Part], surveys: Sequence[Survey]) -> Part:
    pairs = zip(parts, surveys, strict=True)
    return next(part for part, found in pairs if kind_of(reading(found.candidates[name])) == "nominal")


def _without_labels(
    name: str,
    how: str,
    decision: Decision | None,
    kinds: Mapping[str, Kind],
    ordinal: Mapping[str, Sequence[Label]],
) -> ColumnSchema | None:
    """The column's schema, or None when its labels must be looked up."""
    if name in ordinal:
        return ColumnSchema(name, "ordinal", tuple(ordinal[name]))
    said = kinds.get(name)
    kind = said if said in KINDS else kind_of(how)
    form = None if decision is None else decision.form
    if kind == "boolean":
        return ColumnSchema(name, kind, BOOLEAN_CATEGORIES)
    return ColumnSchema(name, kind, (), form) if kind == "numeric" else None


def _labels(
    names: Sequence[str],
    readings: Sequence[Mapping[str, Reading]],
    parts: Sequence[Part],
    surveys: Sequence[Survey],
    kinds: Mapping[str, Kind],
    batch_rows: int,
    workers: Workers | None,
) -> dict[str, ColumnSchema]:
    """The nominal and ordinal columns with the labels of all files."""
    seen: dict[str, dict[Label, None]] = {name: {} for name in names}
    ordered: set[str] = {name for name in names if kinds.get(name) == "ordinal"}
    forms: dict[str, Form | None] = {}
    unseen: list[list[str]] = []
    for found, how in zip(surveys, readings, strict=True):
        unseen.append([])
        for name in names:
            decision = how[name]
            if not isinstance(decision, (str, ColumnSchema)) and decision.kind == "nominal":
                forms[name] = decision.form
            elif how[name] != "text" or name not in found.labels:
                unseen[-1].append(name)
    asked = [(part, how, absent) for part, how, absent in zip(parts, readings, unseen, strict=True) if absent]
    looked_up = iter(each(workers, partial(_labels_of_part, kinds, batch_rows), asked))
    for found, how, absent in zip(surveys, readings, unseen, strict=True):
        for name in names:
            decision = how[name]
            if name not in absent:
                known = found.labels[name] if isinstance(decision, str) else cast(Decision, decision).categories
                seen[name].update(dict.fromkeys(known))
        for name, (there, has_order) in (next(looked_up) if absent else {}).items():
            seen[name].update(dict.fromkeys(there))
            if has_order:
                ordered.add(name)
    n_rows = sum(part.n_rows or 0 for part in parts)
    columns = {}
    for name, labels in seen.items():
        declared = all(how[name] == "declared" for how in readings)
        found_labels = tuple(labels) if declared else _in_order(labels)
        if name not in forms and not declared and name not in ordered:  # texts of files with types
            free = form_of_texts(found_labels, n_rows) if name not in kinds else None
            forms[name] = TEXT if str(kinds.get(name)) == "text" else free
        kind: Kind = "ordinal" if name in ordered else "nominal"
        columns[name] = ColumnSchema(name, kind, found_labels, forms.get(name))
    return columns


def _labels_of_part(
    kinds: Mapping[str, Kind], batch_rows: int, asked: tuple[Part, Mapping[str, Reading], list[str]]
) -> dict[str, tuple[tuple[Label, ...], bool]]:
    """The labels of columns of one file in the order of their coming, and whether they are ordinal."""
    part, how, names = asked
    found: dict[str, dict[Label, None]] = {}
    ordered = set()
    for table in part.tables(names, how, batch_rows):
        for column in as_told(table, {n: k for n, k in kinds.items() if n in names}, {}).columns:
            found.setdefault(column.name, {}).update(dict.fromkeys(column.categories))
            if column.kind == "ordinal":
                ordered.add(column.name)
    return {name: (tuple(labels), name in ordered) for name, labels in found.items()}


def _in_order(labels: Mapping[Label, None]) -> tuple[Label, ...]:
    """Labels sorted; numbers all of one type, as when all rows are seen at once."""
    if any(isinstance(label, float) for label in labels):
        return tuple(sorted(map(float, labels)))
    return tuple(sorted(labels))

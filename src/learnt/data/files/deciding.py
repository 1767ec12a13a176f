"""What the columns of text files are, decided from the words of all files of a scan."""

from __future__ import annotations

from collections.abc import Sequence

from learnt.data.cells import ANYTHING
from learnt.data.files.part import Part, Survey
from learnt.data.files.words import ColumnWords, merge_columns
from learnt.data.kinds import Decision
from learnt.data.workers import Workers, each
from learnt.errors import FileError


def decide_words(
    parts: Sequence[Part], surveys: Sequence[Survey], workers: Workers | None = None
) -> dict[str, Decision]:
    """One decision per column that any file has words of. The surveys are told what their columns can be."""
    names = dict.fromkeys(name for found in surveys for name in found.words)
    decisions = {name: _decision(name, parts, surveys) for name in names}
    again = [name for name in names if decisions[name].as_words]
    if again:
        asked = [(part, held) for part, found in zip(parts, surveys, strict=True) if (held := _held(again, found))]
        words = iter(each(workers, _words_of_part, asked))
        for found in surveys:
            found.words.update(next(words) if _held(again, found) else {})
        decisions |= {name: _decision(name, parts, surveys) for name in again}
    for found in surveys:
        for name, column in found.words.items():
            found.candidates[name] = _candidates(decisions[name], column)
    return decisions


def _held(names: Sequence[str], found: Survey) -> list[str]:
    return [name for name in names if name in found.words]


def _words_of_part(asked: tuple[Part, list[str]]) -> dict[str, ColumnWords]:
    part, names = asked
    return part.survey_words(names).words


def _decision(name: str, parts: Sequence[Part], surveys: Sequence[Survey]) -> Decision:
    held = [(part, found.words[name]) for part, found in zip(parts, surveys, strict=True) if name in found.words]
    try:
        return merge_columns([column for _, column in held]).decide()
    except FileError as error:
        for part, column in held:  # in which file it is
            try:
                column.decide()
            except FileError as own:
                raise part.located(own, name) from None
        raise held[0][0].located(error, name) from None


def _candidates(decision: Decision, column: ColumnWords) -> frozenset[str]:
    """The same in the words of files with types, beside which text files may stand."""
    if not len(column.words) and not column.n_numbers:
        return ANYTHING
    if decision.kind == "numeric":
        temporal = decision.form is not None and decision.form.temporal
        return frozenset(("date", "timestamp", "nanostamp", "zoned") if temporal else ("number",))
    return frozenset(("boolean",) if decision.kind == "boolean" else ("text",))

"""Text in the table that `fit` is given: counted, left out or taken as it is, as the learner wants it; and said."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from dataclasses import replace
from typing import Any, Literal

from learnt.data.files.scan import Scan
from learnt.data.kinds.wording import undone_by_kind
from learnt.data.notes import Note
from learnt.data.table import Table
from learnt.data.texts import decoded_terms
from learnt.distance.metric import TEXT_METRICS
from learnt.engine.engines import run
from learnt.engine.passes import Pass
from learnt.engine.training import Training
from learnt.errors import InputError, LeftOutWarning
from learnt.learner.text.telling import frequent_words, telling_words
from learnt.learner.text.text_columns import CountedText, TextColumns
from learnt.learner.text.word_sums import ColumnWordSums, SumWords
from learnt.show.words import count_of, list_of, short_name

#: What a learner makes of columns of long text. "ignored" is for those that look at no column; as "labels", each text
#: is a category of its own.
TextUse = Literal["counts", "presence", "left out", "ignored", "labels"]


def text_use(learner: Any, default: TextUse) -> TextUse:
    """What an ensemble makes of text: what its members do, those of another make being given numbers."""
    if learner is None:
        return default
    use: TextUse = getattr(learner, "takes_text", "counts")
    return use


def text_use_by_metric(metric: Any, text_columns: Any = None) -> TextUse:
    """What learners that compare rows make of text. Hundreds of words would outvote all other columns: text is left
    out, unless the metric compares texts, or is the user's own."""
    plain = isinstance(metric, str) and metric not in TEXT_METRICS
    return "left out" if plain and not text_columns else "labels"


def with_words(training: Training, use: TextUse, owner: str) -> Training:
    """The same rows in the columns that a learner gets, with how they were made; as they are where nothing is text."""
    names = [c.name for c in training.schema if c.kind_name == "text"]
    if use == "labels" or not names:
        return training
    given = training.schema.without_documents
    if use == "ignored":
        rest = _with_documents(training)
        table = rest.source.matched(given) if isinstance(rest.source, Table) else rest.source
        return replace(rest, source=table, schema=given)
    found: tuple[CountedText, ...] = ()
    if use in ("counts", "presence") and training.target is not None:
        n_classes = 0 if training.classes is None else len(training.classes)
        found = run(_count(names, n_classes), _with_documents(training), owner)
    kept = tuple(text for text in found if text.words)
    left_out = tuple(name for name in names if name not in {text.name for text in kept})
    words = TextColumns(given.without(*left_out) if given.named else given, kept, use, left_out)
    if not words.schema.columns:
        raise InputError(_nothing_left(words, owner))
    for note in left_out_notes(words, owner):
        warnings.warn(LeftOutWarning(note.text), stacklevel=4)
    return in_words(training, words)


def in_words(training: Training, words: TextColumns) -> Training:
    """Rows in the columns that `words` was made for, or may be matched to, in those that it makes."""
    if isinstance(training.source, Table):
        table = words.spread(training.source.matched(words.given))
        return replace(training, source=table, schema=table.schema, words=words)
    return replace(_with_documents(training), schema=words.schema, words=words)


def _with_documents(training: Training) -> Training:
    """A scan as one whose batches have lists of texts of their own."""
    if isinstance(training.source, Scan):
        return replace(training, source=training.source.with_documents())
    return training


def _count(names: list[str], n_classes: int) -> Generator[Pass, Any, tuple[CountedText, ...]]:
    found: ColumnWordSums = yield SumWords(names, n_classes)
    texts = []
    for name, sums in zip(names, found.columns, strict=True):
        every = decoded_terms(sums.text, sums.ends)
        kept = telling_words(sums, n_classes)
        texts.append(CountedText(name, tuple(every[j] for j in kept), len(frequent_words(sums, n_classes))))
    return tuple(texts)


def text_notes(words: TextColumns | None, owner: str) -> tuple[Note, ...]:
    """What was made of each column of text, in a sentence, with how to undo it."""
    if words is None:
        return ()
    return (*(_counted_note(text) for text in words.counted), *left_out_notes(words, owner))


def _counted_note(text: CountedText) -> Note:
    name, n_words = _quoted_name(text.name), len(text.words)
    if n_words < text.n_frequent:
        which = f"the {n_words:,} words that tell most about the target, of {text.n_frequent:,}, are counted"
    else:
        which = f"{count_of(n_words, 'word')} {'is' if n_words == 1 else 'are'} counted"
    return undone_by_kind(text.name, f"{name} is text: {which}.", "nominal")


def left_out_notes(words: TextColumns, owner: str) -> tuple[Note, ...]:
    """Of the columns that a learner gets nothing of."""
    why = "no word of it is in two rows."
    if words.use == "left out":
        why = f"{owner} makes nothing of words. BagOfWords turns them into columns."
    return tuple(
        undone_by_kind(name, f"{_quoted_name(name)} is text and was left out: {why}", "nominal")
        for name in words.left_out
    )


def _nothing_left(words: TextColumns, owner: str) -> str:
    names = list_of([_quoted_name(name) for name in words.left_out], most=3)
    if words.use != "left out":
        return (
            f"There is nothing to learn from but {names}, and no word of it is in two rows. Give more rows or columns."
        )
    return (
        f"There is nothing to learn from but the text of {names}, and {owner} makes nothing of words. Give it more "
        f"columns, turn words into columns by BagOfWords, or take each text as a label: {_kinds(words.left_out[0])}."
    )


def _kinds(name: str) -> str:
    return f"kinds={{{name!r}: 'nominal'}}"


def _quoted_name(name: str) -> str:
    return f"'{short_name(name, 60)}'"
